// SPDX-License-Identifier: MIT
// Dialogs about duels: what is duelled with what, and where its record is saved.
#pragma once

#include "core/support/settings.h"
#include "ui/benchmark/duel_desk.h"
#include "ui/benchmark/duel_plan.h"
#include "ui/widgets/form_dialog.h"

class QRadioButton;

namespace workbench {

class LibraryProbe;
class NumberBox;
class PathField;
class ToneLabel;

// Asks for the base, as a library or as a git revision, for the new build, and for what may be spent. Stays
// open while a revision is built.
class DuelDialog : public FormDialog {
    Q_OBJECT
  public:
    // Opens with a plan. `plan` is what the form's cases come to, or why there are none.
    DuelDialog(std::expected<DuelPlan, QString> plan, const Settings& settings, QWidget* parent);

    DuelRequest request() const;
    void setBase(const QString& path);
    void setRevision(const QString& revision, const QString& source);
    void setNew(const QString& path);
    QString baseNote() const;  // what is said of what was typed
    QString newNote() const;

  protected:
    bool isComplete() const override;

  private:
    QWidget* makeBase(const Settings& settings);
    QWidget* makeCases();
    void showSides();

    std::expected<DuelPlan, QString> m_plan;
    QRadioButton* m_isLibrary;
    QRadioButton* m_isRevision;
    PathField* m_base;
    ToneLabel* m_baseNote;
    QLineEdit* m_revision;
    PathField* m_source;
    PathField* m_new;
    ToneLabel* m_newNote;
    NumberBox* m_margin;
    NumberBox* m_budget;
    ToneLabel* m_cases;
    LibraryProbe* m_baseProbe;
    LibraryProbe* m_newProbe;
};

// Asks where the record of a duel is saved, and by which key it is signed, if by any.
class SaveDuelDialog : public FormDialog {
    Q_OBJECT
  public:
    SaveDuelDialog(const QString& folder, const QString& name, const QString& key, QWidget* parent);
    QString directory() const;
    QString folder() const;
    QString key() const;

  protected:
    bool isComplete() const override;

  private:
    PathField* m_folder;
    QLineEdit* m_name;
    PathField* m_key;
};

}  // namespace workbench
