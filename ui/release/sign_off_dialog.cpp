// SPDX-License-Identifier: MIT
#include "ui/release/sign_off_dialog.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextList>
#include <QTextTable>
#include <QVBoxLayout>
#include <utility>

#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/path_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr qsizetype longestReport = 1 << 18;  // what a text browser lays out without a pause

// Thin lines in place of the doubled ones of Markdown's tables.
void drawTables(QTextDocument& document) {
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderBrush(themeColours().border);
        format.setCellSpacing(0);
        format.setCellPadding(3);
        format.setBottomMargin(normalSpacing);
        table->setFormat(format);
    }
}

// Qt draws the box of an item that holds with a cross in it, which reads as a failure: a tick in its place.
void tickBoxes(QTextDocument& document) {
    const ThemeColours& c = themeColours();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const auto marker = block.blockFormat().marker();
        if (marker == QTextBlockFormat::MarkerType::NoMarker) continue;
        const bool holds = marker == QTextBlockFormat::MarkerType::Checked;
        QTextCursor cursor(block);
        QTextBlockFormat plain;
        QTextList* list = block.textList();
        if (!list) {  // a paragraph after the list, which Qt gives the marker of its last item
            cursor.setBlockFormat(plain);
            continue;
        }
        list->remove(block);
        plain.setLeftMargin(3 * normalSpacing);
        plain.setTextIndent(-2 * normalSpacing);
        cursor.setBlockFormat(plain);
        QTextCharFormat mark;
        mark.setForeground(holds ? c.success : c.muted);
        cursor.insertText(holds ? QStringLiteral("✓  ") : QStringLiteral("○  "), mark);
    }
}

}  // namespace

SignOffDialog::SignOffDialog(ReleaseSnapshotPtr snapshot, const QString& role, QWidget* parent)
    : FormDialog(tr("Sign off"),
                 tr("Below is what is signed, as it was read. Your key signs its hash, with the log up to "
                    "here: evidence or a waiver that comes later makes the signature stale."),
                 tr("Sign"), parent),
      m_snapshot(std::move(snapshot)),
      m_role(comboBox(tr("Role"))),
      m_person(lineEdit(tr("Person"), tr("Your name"))),
      m_key(new PathField(tr("Private key file"), tr("Choose your private key"), PathField::What::file,
                          body())) {
    setObjectName(QStringLiteral("signOffDialog"));
    m_role->setObjectName(QStringLiteral("role"));
    m_person->setObjectName(QStringLiteral("person"));
    m_key->setObjectName(QStringLiteral("key"));
    const ReleaseState& state = m_snapshot->release.state;
    for (const auto one : release_roles) {
        if (state.holders.contains(std::string(one))) m_role->addItem(toText(one));
    }
    m_role->setPlaceholderText(tr("Choose your role"));
    m_role->setCurrentIndex(m_role->findText(role));
    m_key->edit().setPlaceholderText(tr("The role's private key, as `iir2d key new` wrote it"));
    auto* seen = new QLineEdit(toText(state.seen()), body());
    seen->setObjectName(QStringLiteral("seen"));
    seen->setReadOnly(true);
    seen->setFont(tabularFont());
    seen->setAccessibleName(tr("Hash that is signed"));
    seen->setToolTip(
        tr("SHA-256 of identity, stage, commit, limit, keys, evidence and waivers: what `iir2d "
           "release show` prints as seen"));
    auto* report = new QTextBrowser(body());
    report->setObjectName(QStringLiteral("report"));
    report->setAccessibleName(tr("What is signed"));
    report->setOpenLinks(false);
    QString markdown = toText(release_markdown(state, m_snapshot->release.evaluation));
    if (markdown.size() > longestReport) {
        markdown = tr("**Only the beginning is shown here. `iir2d release show` prints all of it.**") +
                   QStringLiteral("\n\n") + markdown.left(longestReport);
    }
    // GitHub's dialect as Qt reads it, but for one thing: text between two _ is emphasised, as everywhere
    // else, and not underlined, as links are.
    constexpr int underlineFlag = 0x4000;  // MD_FLAG_UNDERLINE of MD4C, which reads it
    const auto dialect =
        QTextDocument::MarkdownFeatures::fromInt(QTextDocument::MarkdownDialectGitHub & ~underlineFlag);
    report->document()->setMarkdown(markdown, dialect | QTextDocument::MarkdownNoHTML);
    drawTables(*report->document());
    tickBoxes(*report->document());
    report->moveCursor(QTextCursor::Start);
    report->setMinimumHeight(140);
    static_cast<QVBoxLayout*>(body()->layout())->insertWidget(0, report, 1);
    form()->addRow(tr("Hash"), seen);
    form()->addRow(tr("&Role"), m_role);
    form()->addRow(tr("&Person"), m_person);
    form()->addRow(tr("Private &key"), m_key);
    connect(m_role, &QComboBox::currentIndexChanged, this, [this] { check(); });
    connect(m_person, &QLineEdit::textChanged, this, [this] { check(); });
    connect(m_key, &PathField::changed, this, [this] { check(); });
    m_person->setFocus();
    resize(760, 620);
    check();
}

bool SignOffDialog::isComplete() const {
    return m_role->currentIndex() >= 0 && isFilled(m_person) && !m_key->text().isEmpty();
}

SignOffDialog::Answer SignOffDialog::answer() const {
    return {.role = m_role->currentText().toStdString(),
            .person = trimmed(m_person),
            .key = toPath(m_key->text()),
            .seen = m_snapshot->release.state.seen()};
}

}  // namespace workbench
