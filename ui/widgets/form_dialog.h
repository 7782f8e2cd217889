// SPDX-License-Identifier: MIT
// A dialog that asks for what a job needs: a form, a button that submits it, the job's progress, and why it
// was refused. It stays until what it asked for is done, so that nothing typed is lost to a refusal.
#pragma once

#include <QDialog>
#include <string>

class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLineEdit;

namespace workbench {

class JobBar;
class MessageArea;

class FormDialog : public QDialog {
    Q_OBJECT
  public:
    FormDialog(const QString& title, const QString& help, const QString& confirm, QWidget* parent);

    void setBusy(bool busy);
    void setRefusal(const QString& why);
    JobBar& jobBar() const { return *m_bar; }

    void reject() override;  // while busy, asks the job to stop instead

  Q_SIGNALS:
    void submitted();
    void cancelRequested();

  protected:
    QFormLayout* form() const { return m_form; }
    QWidget* body() const { return m_body; }
    QLineEdit* lineEdit(const QString& name, const QString& hint) const;
    QComboBox* comboBox(const QString& name) const;
    static bool isFilled(const QLineEdit* edit);
    static std::string trimmed(const QLineEdit* edit);
    // Returns whether the form is complete; only then it can be submitted.
    virtual bool isComplete() const = 0;
    void check();

  private:
    QWidget* m_body;
    QFormLayout* m_form;
    MessageArea* m_messages;
    JobBar* m_bar;
    QDialogButtonBox* m_buttons;
    bool m_busy = false;
};

}  // namespace workbench
