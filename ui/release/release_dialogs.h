// SPDX-License-Identifier: MIT
// Dialogs that ask for what a person decides about a release: beginning one, attaching, waiving (signing off:
// sign_off_dialog.h). A dialog stays until what it asked for is done, so that nothing typed is lost to a
// refusal. None of them fills in what is a person's to say.
#pragma once

#include <QDialog>

#include "ui/release/release_snapshot.h"

class QComboBox;
class QDateEdit;
class QDialogButtonBox;
class QFormLayout;
class QLineEdit;

namespace workbench {

class JobBar;
class MessageArea;
class NumberBox;
class PathField;

class ReleaseDialog : public QDialog {
    Q_OBJECT
  public:
    ReleaseDialog(const QString& title, const QString& help, const QString& confirm, QWidget* parent);

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
    // Only what is complete can be submitted.
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

class NewReleaseDialog : public ReleaseDialog {
    Q_OBJECT
  public:
    NewReleaseDialog(const QString& base, QWidget* parent);
    struct Answer {
        std::filesystem::path base;
        NewRelease release;                       // without keys
        std::map<std::string, std::string> keys;  // role to a public key's file or digits
    };
    Answer answer() const;

  protected:
    bool isComplete() const override;

  private:
    PathField* m_base;
    QLineEdit* m_id;
    QComboBox* m_stage;
    QLineEdit* m_commit;
    NumberBox* m_limit;
    std::map<std::string, PathField*> m_keys;
};

class AttachDialog : public ReleaseDialog {
    Q_OBJECT
  public:
    AttachDialog(const ReleaseSnapshot& snapshot, const QString& kind, const QString& path, QWidget* parent);
    struct Answer {
        std::string kind;
        std::filesystem::path file;
        std::string name;
        std::string commit;
    };
    Answer answer() const;

  protected:
    bool isComplete() const override;

  private:
    void showKind();
    PathField* m_file;
    QComboBox* m_kind;
    QLineEdit* m_name;
    QLineEdit* m_commit;
    QWidget* m_commitRow;
};

class WaiverDialog : public ReleaseDialog {
    Q_OBJECT
  public:
    WaiverDialog(const ReleaseSnapshot& snapshot, const QString& scope, QWidget* parent);
    Waiver answer() const;

  protected:
    bool isComplete() const override;

  private:
    QComboBox* m_scope;
    QLineEdit* m_risk;
    QLineEdit* m_owner;
    QDateEdit* m_expires;
};

}  // namespace workbench
