// SPDX-License-Identifier: MIT
// Dialogs that ask for what a person decides about a release: beginning one, attaching, waiving (signing off:
// sign_off_dialog.h). None of them fills in what is a person's to say.
#pragma once

#include "ui/release/release_snapshot.h"
#include "ui/widgets/form_dialog.h"

class QComboBox;
class QDateEdit;
class QLineEdit;

namespace workbench {

class NumberBox;
class PathField;

class NewReleaseDialog : public FormDialog {
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

class AttachDialog : public FormDialog {
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

class WaiverDialog : public FormDialog {
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
