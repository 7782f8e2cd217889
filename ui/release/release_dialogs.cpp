// SPDX-License-Identifier: MIT
#include "ui/release/release_dialogs.h"

#include <QComboBox>
#include <QDateEdit>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

#include "core/release/requirements.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/path_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

const EvidenceKind* kindNamed(const QString& name) {
    const auto& kinds = evidence_kinds();
    const auto found = std::ranges::find(kinds, name.toStdString(), &EvidenceKind::name);
    return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

// ---------------------------------------------------------------------------------------------- beginning

NewReleaseDialog::NewReleaseDialog(const QString& base, QWidget* parent)
    : FormDialog(tr("New release"),
                 tr("A folder named as the release is made, with a log that all that follows is "
                    "written to. Stage, commit, limit and keys cannot be changed afterwards."),
                 tr("Begin the release"), parent),
      m_base(new PathField(tr("Folder that releases are in"), tr("Choose where releases are"),
                           PathField::What::folder, body())),
      m_id(lineEdit(tr("Name of the release"), tr("v1.2"))),
      m_stage(comboBox(tr("Stage"))),
      m_commit(lineEdit(tr("Commit"), tr("40 hex digits: git rev-parse HEAD"))),
      m_limit(new NumberBox(body())) {
    setObjectName(QStringLiteral("newReleaseDialog"));
    m_base->setText(base);
    for (const StageRow& stage : stages()) m_stage->addItem(toText(stage.name));
    m_stage->setToolTip(toText(needs_of_stages()));
    m_limit->setRange(0.0, 100.0);
    m_limit->setSuffix(tr(" %"));
    m_limit->setValue(100.0 * NewRelease{}.max_regression);
    m_limit->setAccessibleName(tr("Largest regression"));
    m_limit->setToolTip(tr("What a case may be slower than in the baseline record"));
    form()->addRow(tr("&Folder"), m_base);
    form()->addRow(tr("&Name"), m_id);
    form()->addRow(tr("&Stage"), m_stage);
    form()->addRow(tr("&Commit"), m_commit);
    form()->addRow(tr("Largest &regression"), m_limit);
    auto* help = new ToneLabel(ToneLabel::Tone::muted, body());
    help->setText(
        tr("Who signs off: the public key of each role's holder (a .pub file of `iir2d key new`, or "
           "its 64 digits). %1 need all of them.")
            .arg(toText(stages_with_keys())));
    form()->addRow(help);
    for (const auto role : release_roles) {
        const QString name = toText(role);
        auto* field =
            new PathField(tr("Public key of the %1").arg(name),
                          tr("Choose the public key of the %1").arg(name), PathField::What::file, body());
        field->setObjectName(name);
        form()->addRow(name, field);
        m_keys[std::string(role)] = field;
    }
    connect(m_base, &PathField::changed, this, [this] { check(); });
    connect(m_limit, &NumberBox::wrongChanged, this, [this] { check(); });
    for (QLineEdit* edit : {m_id, m_commit})
        connect(edit, &QLineEdit::textChanged, this, [this] { check(); });
    m_id->setObjectName(QStringLiteral("id"));
    m_commit->setObjectName(QStringLiteral("commit"));
    m_stage->setObjectName(QStringLiteral("stage"));
    m_id->setFocus();
    resize(560, sizeHint().height());
    check();
}

bool NewReleaseDialog::isComplete() const {
    return !m_base->text().isEmpty() && isFilled(m_id) && isFilled(m_commit) && m_limit->wrong().isEmpty();
}

NewReleaseDialog::Answer NewReleaseDialog::answer() const {
    Answer answer{.base = toPath(m_base->text()),
                  .release = {.id = trimmed(m_id),
                              .stage = stages()[std::size_t(m_stage->currentIndex())].stage,
                              .commit = trimmed(m_commit),
                              .max_regression = m_limit->value() / 100.0,
                              .holders = {}},
                  .keys = {}};
    for (const auto& [role, field] : m_keys) {
        if (!field->text().isEmpty()) answer.keys[role] = field->text().toStdString();
    }
    return answer;
}

// ---------------------------------------------------------------------------------------------- attaching

AttachDialog::AttachDialog(const ReleaseSnapshot& snapshot, const QString& kind, const QString& path,
                           QWidget* parent)
    : FormDialog(tr("Attach evidence"),
                 tr("It is copied into the release under its name and hashed. Evidence is never replaced; "
                    "of each kind the last counts. Sign-offs from before become stale."),
                 tr("Attach"), parent),
      m_file(new PathField(tr("File or record folder"), tr("Choose what to attach"), PathField::What::file,
                           body())),
      m_kind(comboBox(tr("Kind of evidence"))),
      m_name(lineEdit(tr("Its name in the release"), {})),
      m_commit(lineEdit(tr("Commit that it is about"), tr("40 hex digits"))),
      m_commitRow(new QWidget(body())) {
    setObjectName(QStringLiteral("attachDialog"));
    m_file->setObjectName(QStringLiteral("file"));
    m_kind->setObjectName(QStringLiteral("kind"));
    m_name->setObjectName(QStringLiteral("name"));
    m_commit->setObjectName(QStringLiteral("commit"));
    for (const EvidenceKind& one : evidence_kinds()) m_kind->addItem(toText(one.name));
    m_kind->setCurrentIndex(kind.isEmpty() ? -1 : m_kind->findText(kind));
    m_kind->setPlaceholderText(tr("Choose what it is evidence of"));
    auto* row = makeRow(m_commitRow, smallSpacing);
    row->addWidget(m_commit, 1);
    auto* same = new QPushButton(tr("The release's"), m_commitRow);
    same->setObjectName(QStringLiteral("releaseCommit"));
    same->setAutoDefault(false);
    same->setAccessibleName(tr("It is about the release's commit"));
    same->setToolTip(tr("Say that it is about commit %1").arg(toText(snapshot.release.state.commit)));
    row->addWidget(same);
    m_commitRow->setFocusProxy(m_commit);
    connect(same, &QPushButton::clicked, this,
            [this, commit = toText(snapshot.release.state.commit)] { m_commit->setText(commit); });
    form()->addRow(tr("&File"), m_file);
    form()->addRow(tr("&Kind"), m_kind);
    form()->addRow(tr("&Name"), m_name);
    form()->addRow(tr("&Commit"), m_commitRow);
    connect(m_file, &PathField::changed, this, [this] {
        m_name->setPlaceholderText(QFileInfo(QDir::cleanPath(m_file->text())).fileName());
        check();
    });
    connect(m_kind, &QComboBox::currentIndexChanged, this, &AttachDialog::showKind);
    connect(m_commit, &QLineEdit::textChanged, this, [this] { check(); });
    m_file->setText(path);
    showKind();
    QWidget* next = m_name;
    if (m_commitRow->isEnabled()) next = m_commit;
    if (kind.isEmpty()) next = m_kind;
    if (path.isEmpty()) next = m_file;
    next->setFocus();
    resize(560, sizeHint().height());
}

void AttachDialog::showKind() {
    const EvidenceKind* kind = kindNamed(m_kind->currentText());
    const bool isRecord = kind != nullptr && kind->is_record();
    m_file->setWhat(isRecord ? PathField::What::folder : PathField::What::file);
    m_commitRow->setEnabled(kind != nullptr && kind->needs_commit);
    m_commit->setPlaceholderText(kind == nullptr || kind->needs_commit ? tr("40 hex digits")
                                 : isRecord                            ? tr("the record says it")
                                                                       : tr("it is about none"));
    check();
}

bool AttachDialog::isComplete() const {
    const EvidenceKind* kind = kindNamed(m_kind->currentText());
    return kind != nullptr && !m_file->text().isEmpty() && (!kind->needs_commit || isFilled(m_commit));
}

AttachDialog::Answer AttachDialog::answer() const {
    return {.kind = m_kind->currentText().toStdString(),
            .file = toPath(m_file->text()),
            .name = trimmed(m_name),
            .commit = m_commitRow->isEnabled() ? trimmed(m_commit) : std::string()};
}

// ---------------------------------------------------------------------------------------------- waiving

WaiverDialog::WaiverDialog(const ReleaseSnapshot& snapshot, const QString& scope, QWidget* parent)
    : FormDialog(tr("Waive"),
                 tr("What is waived may go unmet until its day has passed. It is written down with its "
                    "owner, and sign-offs from before become stale."),
                 tr("Waive"), parent),
      m_scope(comboBox(tr("What is waived"))),
      m_risk(lineEdit(tr("Risk"), tr("What may go wrong"))),
      m_owner(lineEdit(tr("Owner"), tr("Who is responsible for it"))),
      m_expires(new QDateEdit(QDateTime::currentDateTimeUtc().date(), body())) {
    setObjectName(QStringLiteral("waiverDialog"));
    m_scope->setEditable(true);
    m_scope->lineEdit()->setAccessibleName(tr("What is waived"));
    m_scope->setToolTip(tr("issue:ID of an open P1, or a requirement that can be waived"));
    for (const Requirement& r : snapshot.release.evaluation.requirements) {
        for (const std::string& one : r.waivable) m_scope->addItem(toText(one));
    }
    m_scope->setCurrentText(scope);
    m_expires->setCalendarPopup(true);
    m_expires->setDisplayFormat(QStringLiteral("yyyy-MM-dd"));
    m_expires->setAccessibleName(tr("The last day on which it counts"));
    m_expires->setToolTip(tr("The last day on which it counts, by UTC"));
    guardWheel(m_expires);
    m_scope->setObjectName(QStringLiteral("scope"));
    m_risk->setObjectName(QStringLiteral("risk"));
    m_owner->setObjectName(QStringLiteral("owner"));
    m_expires->setObjectName(QStringLiteral("expires"));
    form()->addRow(tr("&Scope"), m_scope);
    form()->addRow(tr("&Risk"), m_risk);
    form()->addRow(tr("&Owner"), m_owner);
    form()->addRow(tr("Counts &until"), m_expires);
    connect(m_scope, &QComboBox::currentTextChanged, this, [this] { check(); });
    for (QLineEdit* edit : {m_risk, m_owner})
        connect(edit, &QLineEdit::textChanged, this, [this] { check(); });
    if (!scope.isEmpty()) m_risk->setFocus();
    resize(520, sizeHint().height());
    check();
}

bool WaiverDialog::isComplete() const {
    return !m_scope->currentText().trimmed().isEmpty() && isFilled(m_risk) && isFilled(m_owner);
}

Waiver WaiverDialog::answer() const {
    return {.scope = m_scope->currentText().trimmed().toStdString(),
            .risk = trimmed(m_risk),
            .owner = trimmed(m_owner),
            .expires = m_expires->date().toString(Qt::ISODate).toStdString(),
            .utc = {}};
}

}  // namespace workbench
