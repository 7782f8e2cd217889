// SPDX-License-Identifier: MIT
#include "ui/operations/operation_editor.h"

#include "iir2d/filter.h"
#include "ui/operations/filter_editor.h"
#include "ui/operations/pool_editor.h"
#include "ui/operations/recipe_edits.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QString helpOf(const Operation& operation) {
    if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) {
        const auto row = iir2d::filter_row(filter->filter_id);
        if (!row) return {};
        return toText(row->help);
    }
    return poolHelp(std::get<PoolOperation>(operation.what).op);
}

}  // namespace

iir2d::Shape imageShape(const Session& session) {
    const ImagePtr image = session.image();
    if (!image) return {.w = 0};
    const PlanarImage& pixels = image->pixels;
    return {.n = 1, .c = pixels.channels(), .h = pixels.height(), .w = pixels.width()};
}

OperationEditor::OperationEditor(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_title(new ToneLabel(ToneLabel::Tone::normal, this)),
      m_help(new ToneLabel(ToneLabel::Tone::muted, this)),
      m_problem(new ToneLabel(ToneLabel::Tone::error, this)),
      m_size(new ToneLabel(ToneLabel::Tone::muted, this)),
      m_pool(new PoolEditor(this)) {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    m_title->setFont(bold);
    m_size->setFont(tabularFont());
    for (const iir2d::FilterRow& row : iir2d::filter_table()) {
        auto* editor = new FilterEditor(row, this);
        m_filters.push_back(editor);
        connect(editor, &FilterEditor::edited, this,
                [this](const FilterOperation& draft, int control, const QString& what) {
                    takeEdit({.what = draft}, control, what);
                });
        connect(editor, &FilterEditor::finished, this, [this] { m_session.endMerge(); });
    }

    auto* layout = makeColumn(this, smallSpacing, {0, normalSpacing, 0, 0});
    layout->addWidget(m_title);
    layout->addWidget(m_help);
    layout->addWidget(m_problem);
    layout->addSpacing(smallSpacing);
    // Not a stack: its height would be that of the tallest page, and one is shown at a time.
    for (QWidget* editor : editors()) layout->addWidget(editor);
    layout->addWidget(m_size);
    layout->addStretch(1);

    connect(m_pool, &PoolEditor::edited, this,
            [this](const PoolOperation& draft, int control, const QString& what) {
                takeEdit({.what = draft}, control, what);
            });
    connect(m_pool, &PoolEditor::finished, this, [this] { m_session.endMerge(); });
    setRow(-1);
}

// A recipe holds only filters of the table: reading refuses others, and nothing else adds any.
FilterEditor* OperationEditor::filterEditor(int filterId) const {
    for (FilterEditor* editor : m_filters) {
        if (editor->filterId() == filterId) return editor;
    }
    return m_filters.front();
}

std::vector<QWidget*> OperationEditor::editors() const {
    std::vector<QWidget*> all(m_filters.begin(), m_filters.end());
    all.push_back(m_pool);
    return all;
}

void OperationEditor::showEditor(const QWidget* shown) {
    for (QWidget* editor : editors()) editor->setVisible(editor == shown);
}

void OperationEditor::setRow(int row) {
    if (row != m_row) m_session.endMerge();
    m_row = row;
    showOperation(false);
}

void OperationEditor::follow(int row) {
    m_row = row;
    showOperation(true);
}

void OperationEditor::takeEdit(Operation next, int control, const QString& what) {
    if (m_row < 0 || std::cmp_greater_equal(m_row, m_session.recipe().operations.size())) return;
    const Operation& now = m_session.recipe().operations[std::size_t(m_row)];
    next.enabled = now.enabled;
    const auto* filter = std::get_if<FilterOperation>(&next.what);
    FilterEditor* editor = filter != nullptr ? filterEditor(filter->filter_id) : nullptr;
    const QString reason = refusal(m_session.recipe(), m_row, next, imageShape(m_session));
    if (!reason.isEmpty()) {
        if (editor != nullptr) {
            editor->refuse(control, reason);
        } else {
            m_pool->refuse(control, reason);
        }
        return;
    }
    if (editor != nullptr) {
        editor->accept();
    } else {
        m_pool->accept();
    }
    m_shown = next;
    const int mergeKey = (m_row + 1) * 1000 + control;
    m_session.changeRecipe(tr("Change %1 of %2").arg(what, operationName(now)),
                           withReplaced(m_session.recipe(), m_row, next), mergeKey);
}

void OperationEditor::showOperation(bool keepDraft) {
    const auto& operations = m_session.recipe().operations;
    if (m_row < 0 || std::cmp_greater_equal(m_row, operations.size())) {
        m_row = -1;
        m_shown.reset();
        setVisible(false);
        return;
    }
    setVisible(true);
    const Operation& operation = operations[std::size_t(m_row)];
    // Switching a row on or off leaves its draft alone.
    if (!keepDraft || !m_shown || operation.what != m_shown->what) {
        if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) {
            FilterEditor* editor = filterEditor(filter->filter_id);
            editor->setOperation(*filter);
            showEditor(editor);
        } else {
            m_pool->setOperation(std::get<PoolOperation>(operation.what));
            showEditor(m_pool);
        }
    }
    m_shown = operation;
    const QString title = operationName(operation);
    const auto* filter = std::get_if<FilterOperation>(&operation.what);
    m_title->setText(filter != nullptr ? tr("%1 (filter %2)").arg(title).arg(filter->filter_id) : title);
    m_help->setText(helpOf(operation));
    showSizes();
}

void OperationEditor::showSizes() {
    const Operation& operation = *m_shown;
    const RowState state = rowStates(m_session.recipe(), imageShape(m_session))[std::size_t(m_row)];
    m_problem->setText(state.error);
    m_problem->setVisible(!state.error.isEmpty());

    const bool isPool = std::holds_alternative<PoolOperation>(operation.what);
    const auto output = validate(operation, state.input);
    m_size->setVisible(isPool);
    if (!isPool) return;
    if (state.input.w == 0) {
        m_size->setText(tr("The output size shows when an image is open."));
    } else if (output) {
        m_pool->setResultSize({output->h, output->w});
        m_size->setText(tr("%1 × %2 becomes %3 × %4 pixels")
                            .arg(state.input.w)
                            .arg(state.input.h)
                            .arg(output->w)
                            .arg(output->h));
    } else {
        m_size->clear();
    }
}

}  // namespace workbench
