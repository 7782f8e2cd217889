// SPDX-License-Identifier: MIT
#include "ui/kernels/mismatch_tab.h"

#include <QPushButton>
#include <cmath>

#include "core/support/files.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// With all digits that tell it from its neighbours.
QString fullNumber(double value) {
    if (std::isnan(value)) return QStringLiteral("nan");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    return toText(format_number(value));
}

QString summaryOf(const inspect::Mismatch& shown) {
    QStringList lines{MismatchTab::tr("Candidate %1, %2%3: %4")
                          .arg(shown.index)
                          .arg(toText(shown.target),
                               shown.is_backward ? MismatchTab::tr(", backward") : QString(),
                               toText(shown.detail))};
    if (!shown.finding.empty()) lines << MismatchTab::tr("Run again: %1").arg(toText(shown.finding));
    if (shown.total > 0)
        lines << MismatchTab::tr("Run again, %n element(s) are not what is expected%1.", nullptr,
                                 int(shown.total))
                     .arg(
                         shown.total > shown.elements.size()
                             ? MismatchTab::tr(", of which the first %1 are shown").arg(shown.elements.size())
                             : QString());
    if (!shown.statement.empty())
        lines << MismatchTab::tr("The first statement whose value differs, %1:")
                     .arg(toText(shown.statement_note));
    else if (!shown.statement_note.empty())
        lines << toSentence(shown.statement_note);
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

MismatchTab::MismatchTab(ShownKernelModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
    auto* column = makeColumn(this, smallSpacing, {normalSpacing, normalSpacing, normalSpacing, 0});
    m_said = new ToneLabel(ToneLabel::Tone::muted, this);
    m_said->setObjectName(QStringLiteral("mismatchSaid"));
    m_statement = new QPushButton(this);
    m_statement->setObjectName(QStringLiteral("mismatchStatement"));
    m_statement->setAccessibleName(tr("Go to the first statement whose value differs"));
    m_elements = new TextTable(tr("Elements that differ"), this);
    m_elements->setObjectName(QStringLiteral("mismatchElements"));
    column->addWidget(m_said);
    column->addWidget(m_statement, 0, Qt::AlignLeft);
    column->addWidget(m_elements, 1);
    connect(m_statement, &QPushButton::clicked, this, [this] {
        if (m_model.kernel() && m_model.kernel()->mismatch)
            Q_EMIT statementChosen(m_model.kernel()->mismatch->statement_line);
    });
    connect(&m_model, &ShownKernelModel::kernelChanged, this, &MismatchTab::showMismatch);
    showMismatch();
}

void MismatchTab::showMismatch() {
    const inspect::Mismatch none;
    const bool isThere = m_model.kernel() && m_model.kernel()->mismatch;
    const inspect::Mismatch& shown = isThere ? *m_model.kernel()->mismatch : none;
    QList<TextTableModel::Row> rows;
    for (const inspect::MismatchElement& one : shown.elements)
        rows.append(
            {.cells = {toText(one.parameter), countCell(one.element), fullNumber(one.expected),
                       fullNumber(one.got), one.ulp, one.bound, countCell(one.set), toText(one.inputs)},
             .share = -1,
             .toolTip = toText(one.inputs)});
    m_elements->setRows({tr("Output"), tr("Element"), tr("Expected"), tr("Got"), tr("ulp"), tr("Bound"),
                         tr("Set"), tr("Input")},
                        rows);
    m_said->setText(isThere ? summaryOf(shown) : QString());
    m_statement->setText(tr("Line %1: %2").arg(shown.statement_line).arg(toText(shown.statement)));
    m_statement->setVisible(shown.statement_line > 0);
}

}  // namespace workbench
