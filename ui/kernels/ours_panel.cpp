// SPDX-License-Identifier: MIT
#include "ui/kernels/ours_panel.h"

#include <QLineEdit>

#include "ui/kernels/our_kernels.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {

OursPanel::OursPanel(OurKernels& ours, QWidget* parent)
    : QWidget(parent),
      m_ours(ours),
      m_search(new QLineEdit(this)),
      m_list(new TextTable(tr("The product's kernels"), this)),
      m_note(new ToneLabel(ToneLabel::Tone::muted, this)) {
    m_search->setPlaceholderText(tr("Search: rows f32 order2"));
    m_search->setAccessibleName(tr("Search the product's kernels"));
    m_search->setClearButtonEnabled(true);
    m_list->setObjectName(QStringLiteral("ourKernels"));
    m_note->setObjectName(QStringLiteral("ourNote"));
    auto* column =
        makeColumn(this, smallSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    column->addWidget(m_search);
    column->addWidget(m_note);
    column->addWidget(m_list, 1);
    connect(m_search, &QLineEdit::textChanged, m_list, &TextTable::setFilter);
    connect(m_list, &TextTable::chosen, this, [this](int row) {
        if (m_ours.kernels() && row >= 0)
            m_ours.showKernel(toText(m_ours.kernels()->kernels()[std::size_t(row)].name));
    });
    connect(&m_ours, &OurKernels::changed, this, &OursPanel::show);
    connect(&m_ours, &OurKernels::shown, this, &OursPanel::choose);
    show();
}

void OursPanel::show() {
    QList<TextTableModel::Row> rows;
    if (m_ours.kernels()) {
        for (const ptx::EntryInfo& one : m_ours.kernels()->kernels())
            rows.append(
                {.cells = {toText(one.name), countCell(one.instructions)}, .share = -1, .toolTip = {}});
    }
    m_list->setRows({tr("Kernel"), tr("Instructions")}, rows);
    m_list->setVisible(!rows.isEmpty());
    m_search->setEnabled(!rows.isEmpty());
    m_note->setText(m_ours.note());
}

void OursPanel::choose(const QString& name) {
    if (!m_ours.kernels()) return;
    const auto& kernels = m_ours.kernels()->kernels();
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (toText(kernels[k].name) == name && m_list->chosenRow() != int(k)) m_list->chooseRow(int(k));
    }
}

}  // namespace workbench
