// SPDX-License-Identifier: MIT
#include "ui/benchmark/result_note.h"

#include <QLineEdit>

#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int longestNote = 500;  // bytes, in the history

}  // namespace

ResultNote::ResultNote(QWidget* parent)
    : QWidget(parent), m_label(new ToneLabel(ToneLabel::Tone::muted, this)), m_note(new QLineEdit(this)) {
    auto* layout =
        makeRow(this, normalSpacing, {normalSpacing + smallSpacing, 0, normalSpacing, smallSpacing});
    m_label->setWordWrap(false);
    m_label->setText(tr("Kept in the history"));
    m_note->setObjectName(QStringLiteral("resultNote"));
    m_note->setAccessibleName(tr("Note on these results"));
    m_note->setPlaceholderText(tr("Note: what is to be remembered of this run?"));
    m_note->setToolTip(tr("Kept beside the record in the history; it is not part of the record"));
    m_note->setMaxLength(longestNote / 4);  // a character has up to four bytes
    layout->addWidget(m_label);
    layout->addWidget(m_note, 1);
    connect(m_note, &QLineEdit::editingFinished, this, &ResultNote::commit);
    hide();
}

void ResultNote::showRecord(const QString& historyFile, const QString& id, const QString& note) {
    if (historyFile == m_historyFile && id == m_id && m_note->hasFocus()) return;  // being written
    commit();
    m_historyFile = historyFile;
    m_id = id;
    m_written = note;
    m_note->setText(note);
    m_label->setToolTip(tr("Record %1").arg(id));
    setVisible(!id.isEmpty());
}

void ResultNote::commit() {
    const QString note = m_note->text().simplified();
    if (m_id.isEmpty() || note == m_written) return;
    m_written = note;
    Q_EMIT noteWritten(m_historyFile, m_id, note);
}

}  // namespace workbench
