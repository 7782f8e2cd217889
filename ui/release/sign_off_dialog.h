// SPDX-License-Identifier: MIT
// Asks for a signature: what is signed, and who signs it with which key.
#pragma once

#include "ui/release/release_dialogs.h"

namespace workbench {

// Shows what is signed: the report of the release as the page has read it, and its hash. That hash is signed,
// whatever the release has become meanwhile: then it is refused.
class SignOffDialog : public FormDialog {
    Q_OBJECT
  public:
    SignOffDialog(ReleaseSnapshotPtr snapshot, const QString& role, QWidget* parent);
    struct Answer {
        std::string role;
        std::string person;
        std::filesystem::path key;
        std::string seen;
    };
    Answer answer() const;

  protected:
    bool isComplete() const override;

  private:
    ReleaseSnapshotPtr m_snapshot;
    QComboBox* m_role;
    QLineEdit* m_person;
    PathField* m_key;
};

}  // namespace workbench
