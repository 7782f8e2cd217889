// SPDX-License-Identifier: MIT
#include "ui/benchmark/duel_dialogs.h"

#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QRadioButton>
#include <QVBoxLayout>

#include "core/support/files.h"
#include "ui/benchmark/library_probe.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/path_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// Beside the radio button's text.
constexpr int noteIndent = 22;

ToneLabel* makeNote(QWidget* parent, const char* name) {
    auto* note = new ToneLabel(ToneLabel::Tone::muted, parent);
    note->setObjectName(QLatin1String(name));
    note->setTextFormat(Qt::PlainText);
    note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return note;
}

// What is known of a side, below it.
void showProbe(const LibraryProbe& probe, ToneLabel* note, const QString& nothing) {
    QString text = nothing;
    auto tone = ToneLabel::Tone::muted;
    if (!probe.problem().isEmpty()) {
        text = probe.problem();
        tone = ToneLabel::Tone::error;
    } else if (const auto& library = probe.library()) {
        text = DuelDialog::tr("✓ %1, SHA-256 %2…")
                   .arg(QDir::toNativeSeparators(fromPath(library->path)), toText(library->sha256).left(12));
    } else if (!probe.given().isEmpty()) {
        text = DuelDialog::tr("Looking…");
    }
    note->setTone(tone);
    note->setText(text);
}

}  // namespace

DuelDialog::DuelDialog(std::expected<DuelPlan, QString> plan, const Settings& settings, QWidget* parent)
    : FormDialog(
          tr("Duel with…"),
          tr("Times this program's build of the library and another in turn, so that whatever the machine "
             "does happens to both. Each case ends when there is a verdict."),
          tr("Start the duel"), parent),
      m_plan(std::move(plan)),
      m_isLibrary(new QRadioButton(tr("A &library, an installed prefix or a build folder"), body())),
      m_isRevision(new QRadioButton(tr("The kernels of a &git revision, built once"), body())),
      m_base(new PathField(tr("Library or folder of the base"), tr("Choose the base"),
                           PathField::What::either, body())),
      m_baseNote(makeNote(body(), "baseNote")),
      m_revision(lineEdit(tr("Git revision of the base"), tr("HEAD~1, a tag, or a commit"))),
      m_source(new PathField(tr("Repository of the revision"), tr("Choose the repository"),
                             PathField::What::folder, body())),
      m_new(new PathField(tr("Library or folder of the new build"), tr("Choose the new build"),
                          PathField::What::either, body())),
      m_newNote(makeNote(body(), "newNote")),
      m_margin(new NumberBox(body())),
      m_budget(new NumberBox(body())),
      m_cases(makeNote(body(), "duelCases")),
      m_baseProbe(new LibraryProbe("the base", this)),
      m_newProbe(new LibraryProbe("the new build", this)) {
    setObjectName(QStringLiteral("duelDialog"));
    const DuelSettings defaults;
    form()->addRow(tr("Base"), makeBase(settings));
    auto* now = new QWidget(body());
    auto* rows = makeColumn(now, smallSpacing);
    rows->addWidget(m_new);
    rows->addWidget(m_newNote);
    now->setFocusProxy(m_new);
    form()->addRow(tr("&New"), now);
    m_new->setObjectName(QStringLiteral("newLibrary"));
    m_new->edit().setPlaceholderText(tr("this program's own library"));
    m_margin->setRange(0.1, 99);
    m_margin->setSuffix(tr(" %"));
    m_margin->setValue(100 * defaults.rule.margin);
    m_margin->setObjectName(QStringLiteral("duelMargin"));
    m_margin->setAccessibleName(tr("Margin"));
    m_margin->setToolTip(tr("Relative differences up to this count as no difference"));
    for (NumberBox* box : {m_margin, m_budget}) {
        box->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        box->setMinimumWidth(140);
    }
    form()->addRow(tr("&Margin"), m_margin);
    m_budget->setRange(0.1, 86'400);
    m_budget->setSuffix(tr(" s a case"));
    m_budget->setValue(defaults.budget_seconds);
    m_budget->setObjectName(QStringLiteral("duelBudget"));
    m_budget->setAccessibleName(tr("Budget of a case, in seconds"));
    m_budget->setToolTip(tr("A case without a verdict by then is AMBIGUOUS"));
    form()->addRow(tr("B&udget"), m_budget);
    form()->addRow(tr("Cases"), makeCases());

    connect(m_baseProbe, &LibraryProbe::changed, this, &DuelDialog::showSides);
    connect(m_newProbe, &LibraryProbe::changed, this, &DuelDialog::showSides);
    connect(m_base, &PathField::changed, this, [this] { m_baseProbe->look(m_base->text()); });
    connect(m_new, &PathField::changed, this, [this] { m_newProbe->look(m_new->text()); });
    connect(m_source, &PathField::changed, this, &DuelDialog::showSides);
    connect(m_revision, &QLineEdit::textChanged, this, &DuelDialog::showSides);
    connect(m_isLibrary, &QRadioButton::toggled, this, &DuelDialog::showSides);
    for (NumberBox* box : {m_margin, m_budget}) {
        connect(box, &NumberBox::wrongChanged, this, &DuelDialog::showSides);
        connect(box, &QDoubleSpinBox::valueChanged, this, &DuelDialog::showSides);
    }
    // A library that is dropped anywhere on it is the base.
    for (QLineEdit* edit : {&m_base->edit(), &m_new->edit(), &m_source->edit(), m_revision})
        edit->setAcceptDrops(false);
    new DropCue(
        this, [](const QString& path) { return tr("Drop to duel with %1").arg(QFileInfo(path).fileName()); },
        [this](const QString& path) { setBase(path); });
    resize(600, sizeHint().height());
    m_base->setFocus();
    showSides();
}

QWidget* DuelDialog::makeBase(const Settings& settings) {
    auto* base = new QWidget(body());
    auto* rows = makeColumn(base, smallSpacing);
    m_isLibrary->setObjectName(QStringLiteral("baseIsLibrary"));
    m_isRevision->setObjectName(QStringLiteral("baseIsRevision"));
    m_isLibrary->setAccessibleName(tr("The base is a library"));
    m_isRevision->setAccessibleName(tr("The base is a git revision"));
    m_isRevision->setToolTip(tr("With git and cmake, into %1; the next duel with it takes what is there")
                                 .arg(QDir::toNativeSeparators(fromPath(cache_directory() / "duel"))));
    m_isLibrary->setChecked(true);
    m_base->setObjectName(QStringLiteral("baseLibrary"));
    m_base->edit().setPlaceholderText(tr("choose, type or drop it here"));
    QStringList recent;
    for (const std::string& path : settings.duel_bases) recent.append(toText(path));
    m_base->setRecent(recent);
    m_revision->setObjectName(QStringLiteral("baseRevision"));
    m_source->setObjectName(QStringLiteral("baseSource"));
    m_source->edit().setPlaceholderText(tr("the repository"));
    m_source->setText(toText(settings.duel_source));
    rows->addWidget(m_isLibrary);
    auto* library = makeColumn(nullptr, smallSpacing, {noteIndent, 0, 0, 0});
    library->addWidget(m_base);
    library->addWidget(m_baseNote);
    rows->addLayout(library);
    rows->addWidget(m_isRevision);
    auto* revision = makeRow(nullptr, smallSpacing, {noteIndent, 0, 0, 0});
    auto* of = new QLabel(tr("&of"), base);
    of->setBuddy(m_source);
    revision->addWidget(m_revision, 2);
    revision->addWidget(of);
    revision->addWidget(m_source, 3);
    rows->addLayout(revision);
    return base;
}

QWidget* DuelDialog::makeCases() {
    auto* cases = new QWidget(body());
    auto* rows = makeColumn(cases, smallSpacing);
    rows->addWidget(m_cases);
    if (!m_plan) return cases;
    for (const QString& sentence : m_plan->leftOut) {
        ToneLabel* left = makeNote(cases, "leftOut");
        left->setText(QStringLiteral("⚠ ") + sentence);
        rows->addWidget(left);
    }
    return cases;
}

void DuelDialog::showSides() {
    const bool isLibrary = m_isLibrary->isChecked();
    m_base->setEnabled(isLibrary);
    m_baseNote->setVisible(isLibrary);
    m_revision->setEnabled(!isLibrary);
    m_source->setEnabled(!isLibrary);
    showProbe(*m_baseProbe, m_baseNote, {});
    m_baseNote->setVisible(isLibrary && !m_baseNote->text().isEmpty());
    showProbe(*m_newProbe, m_newNote, {});
    m_newNote->setVisible(!m_newNote->text().isEmpty());
    if (m_plan) {
        const int threads = m_plan->matrix.threads;
        m_cases->setTone(ToneLabel::Tone::normal);
        m_cases->setText(tr("%n case(s) of the form, with default parameters, on the CPU with ", nullptr,
                            int(m_plan->cases)) +
                         (threads == 0 ? tr("all threads") : tr("%n thread(s)", nullptr, threads)) +
                         tr(": at most %1.").arg(durationText(double(m_plan->cases) * m_budget->value())));
    } else {
        m_cases->setTone(ToneLabel::Tone::error);
        m_cases->setText(m_plan.error());
    }
    check();
}

bool DuelDialog::isComplete() const {
    const bool hasBase = m_isLibrary->isChecked() ? m_baseProbe->library().has_value()
                                                  : isFilled(m_revision) && !m_source->text().isEmpty();
    const bool hasNew = m_new->text().isEmpty() || m_newProbe->library().has_value();
    return m_plan && hasBase && hasNew && m_margin->wrong().isEmpty() && m_budget->wrong().isEmpty();
}

DuelRequest DuelDialog::request() const {
    DuelRequest request;
    if (m_isLibrary->isChecked()) {
        request.base = m_base->text();
    } else {
        request.revision = m_revision->text().trimmed();
        request.source = m_source->text();
    }
    if (!m_new->text().isEmpty()) request.now = m_new->text();
    request.settings.matrix = m_plan->matrix;
    request.settings.rule.margin = m_margin->value() / 100;
    request.settings.rule.seed = m_plan->matrix.seed;
    request.settings.budget_seconds = m_budget->value();
    return request;
}

void DuelDialog::setBase(const QString& path) {
    m_isLibrary->setChecked(true);
    m_base->setText(path);
}

void DuelDialog::setRevision(const QString& revision, const QString& source) {
    m_isRevision->setChecked(true);
    m_revision->setText(revision);
    m_source->setText(source);
}

void DuelDialog::setNew(const QString& path) {
    m_new->setText(path);
}

QString DuelDialog::baseNote() const {
    return m_baseNote->text();
}

QString DuelDialog::newNote() const {
    return m_newNote->text();
}

// Saving ------------------------------------------------------------------------------------------------

SaveDuelDialog::SaveDuelDialog(const QString& folder, const QString& name, const QString& key,
                               QWidget* parent)
    : FormDialog(tr("Save the duel's record"),
                 tr("A new directory with every pair (duel.json), a report (duel.md) and SHA256SUMS. It is "
                    "verified when it is written."),
                 tr("Save"), parent),
      m_folder(new PathField(tr("Folder"), tr("Where to make the record's directory"),
                             PathField::What::folder, body())),
      m_name(lineEdit(tr("Name of the directory"), {})),
      m_key(new PathField(tr("Private key"), tr("Choose the private key to sign with"), PathField::What::file,
                          body())) {
    setObjectName(QStringLiteral("saveDuelDialog"));
    m_folder->setText(folder);
    m_name->setText(name);
    m_name->setObjectName(QStringLiteral("duelName"));
    m_key->setText(key);
    m_key->setObjectName(QStringLiteral("duelKey"));
    m_key->edit().setPlaceholderText(tr("none: not signed"));
    m_key->edit().setToolTip(tr("A private key of `iir2d key new`; a release takes only a signed record"));
    form()->addRow(tr("&Folder"), m_folder);
    form()->addRow(tr("&Name"), m_name);
    form()->addRow(tr("Sign with &key"), m_key);
    connect(m_folder, &PathField::changed, this, [this] { check(); });
    connect(m_name, &QLineEdit::textChanged, this, [this] { check(); });
    m_name->setFocus();
    resize(560, sizeHint().height());
    check();
}

bool SaveDuelDialog::isComplete() const {
    return !m_folder->text().isEmpty() && isFilled(m_name);
}

QString SaveDuelDialog::folder() const {
    return m_folder->text();
}

QString SaveDuelDialog::directory() const {
    return QDir(folder()).filePath(m_name->text().trimmed());
}

QString SaveDuelDialog::key() const {
    return m_key->text();
}

}  // namespace workbench
