// SPDX-License-Identifier: MIT
#include "ui/operations/operations_panel.h"
#include "ui/support/text.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <algorithm>

#include "iir2d/filter.h"
#include "ui/operations/operation_editor.h"
#include "ui/operations/operation_list.h"
#include "ui/operations/operation_list_model.h"
#include "ui/operations/recipe_bar.h"
#include "ui/operations/recipe_edits.h"
#include "ui/session/session.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// Merge keys below 1000 are the panel's, from there on those of the editors' controls.
constexpr int drag_merge_key = 2;

QPushButton* menuButton(const QString& label, const QString& icon, QMenu* menu, QWidget* parent) {
    auto* button = new QPushButton(themedIcon(icon), label, parent);
    button->setMenu(menu);
    button->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    return button;
}

QToolButton* actionButton(QAction* action, QWidget* parent) {
    auto* button = iconButton(QString(), action->text(), parent);
    button->setDefaultAction(action);
    button->setAccessibleName(action->iconText());
    return button;
}

}  // namespace

OperationsPanel::OperationsPanel(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new OperationListModel(this)),
      m_bar(new RecipeBar(session, this)) {
    setObjectName(QStringLiteral("OperationsPanel"));
    makeActions();
    QWidget* toolBar = makeToolBar();
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(makeListPage());
    m_pages->addWidget(makeEmptyPage());

    auto* layout =
        makeColumn(this, normalSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    layout->addWidget(m_bar);
    layout->addWidget(toolBar);
    layout->addWidget(m_pages, 1);

    connect(&m_session, &Session::recipeChanged, this, &OperationsPanel::follow);
    connect(&m_session, &Session::imageChanged, this, [this] {
        follow();
        m_editor->setRow(selectedRow());  // what was refused was refused for another image
    });
    connect(m_bar, &RecipeBar::recipeLoaded, this, [this] { selectRow(0); });
    follow();
}

void OperationsPanel::makeActions() {
    const auto make = [this](const QString& label, const QString& icon, const QKeySequence& keys,
                             void (OperationsPanel::*slot)()) {
        auto* action = new QAction(themedIcon(icon), label, this);
        action->setShortcut(keys);
        // Only in the panel: Delete and Alt+Up mean other things elsewhere.
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        QString tip = QString(label).remove(QLatin1Char('&'));
        if (!keys.isEmpty()) tip += QStringLiteral(" (%1)").arg(keys.toString(QKeySequence::NativeText));
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    m_up = make(tr("Mo&ve Up"), QStringLiteral("up"), QKeySequence(Qt::ALT | Qt::Key_Up),
                &OperationsPanel::moveSelectedUp);
    m_down = make(tr("Move &Down"), QStringLiteral("down"), QKeySequence(Qt::ALT | Qt::Key_Down),
                  &OperationsPanel::moveSelectedDown);
    m_duplicate = make(tr("D&uplicate"), QStringLiteral("duplicate"), QKeySequence(Qt::CTRL | Qt::Key_D),
                       &OperationsPanel::duplicateSelected);
    m_remove = make(tr("&Remove"), QStringLiteral("remove"), QKeySequence(Qt::Key_Delete),
                    &OperationsPanel::removeSelected);
    m_toggle = make(tr("Switch &On or Off"), QString(), QKeySequence(), &OperationsPanel::toggleSelected);
    m_kernel = make(tr("Sho&w Its GPU Kernel"), QStringLiteral("kernels"), QKeySequence(),
                    &OperationsPanel::showKernelOfSelected);
    addAction(m_duplicate);
}

QWidget* OperationsPanel::makeToolBar() {
    auto* bar = new QWidget(this);
    auto* menu = new QMenu(bar);
    menu->setObjectName(QStringLiteral("addMenu"));
    addOperationsTo(menu);
    auto* addButton = menuButton(tr("&Add"), QStringLiteral("add"), menu, bar);
    addButton->setToolTip(tr("Add a filter or pooling after the selected operation"));
    addButton->setAccessibleName(tr("Add an operation"));
    auto* layout = makeRow(bar, smallSpacing);
    layout->addWidget(addButton);
    layout->addStretch(1);
    for (QAction* action : {m_up, m_down, m_duplicate, m_remove}) {
        layout->addWidget(actionButton(action, bar));
    }
    return bar;
}

QWidget* OperationsPanel::makeListPage() {
    auto* page = new QSplitter(Qt::Vertical, m_pages);
    page->setChildrenCollapsible(false);

    auto* top = new QWidget(page);
    m_list = new OperationList(top);
    m_list->setModel(m_model);
    m_list->addActions({m_up, m_down, m_remove, m_kernel});
    m_keepAlpha = new QCheckBox(tr("&Keep alpha"), top);
    m_keepAlpha->setAccessibleName(tr("Keep alpha"));
    m_keepAlpha->setToolTip(
        tr("Filters leave an alpha channel as it is; pooling, which changes the size, does not"));
    m_summary = new ToneLabel(ToneLabel::Tone::muted, top);
    m_summary->setFont(tabularFont());
    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* line = new QHBoxLayout;
    line->addWidget(m_keepAlpha);
    line->addWidget(m_summary, 1);
    auto* topLayout = makeColumn(top, smallSpacing);
    topLayout->addWidget(m_list, 1);
    topLayout->addLayout(line);

    auto* scroll = new QScrollArea(page);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_editor = new OperationEditor(m_session, scroll);
    scroll->setWidget(m_editor);
    page->addWidget(top);
    page->addWidget(scroll);
    page->setStretchFactor(0, 0);
    page->setStretchFactor(1, 1);

    connect(m_keepAlpha, &QCheckBox::clicked, this, [this](bool keep) {
        Recipe next = m_session.recipe();
        next.keep_alpha = keep;
        m_session.changeRecipe(keep ? tr("Keep alpha") : tr("Filter alpha"), std::move(next));
    });
    connect(m_model, &OperationListModel::enableRequested, this, &OperationsPanel::setEnabledAt);
    connect(m_list, &OperationList::moveRequested, this,
            [this](int from, int to) { move(from, to, tr("Reorder operations"), drag_merge_key); });
    connect(m_list, &OperationList::dragFinished, this, [this] { m_session.endMerge(); });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (m_following) return;
                m_editor->setRow(current.row());
                updateActions();
                Q_EMIT selectionChanged(current.row());
            });
    return page;
}

QWidget* OperationsPanel::makeEmptyPage() {
    auto* page = new QWidget(m_pages);
    auto* title = new ToneLabel(ToneLabel::Tone::normal, page);
    title->setText(tr("No operations yet"));
    title->setAlignment(Qt::AlignCenter);
    QFont bold = title->font();
    bold.setWeight(QFont::DemiBold);
    title->setFont(bold);
    auto* hint = new ToneLabel(ToneLabel::Tone::muted, page);
    hint->setText(tr("A recipe is a list of filters and pooling. The picture follows every change."));
    hint->setAlignment(Qt::AlignCenter);

    auto* addMenu = new QMenu(page);
    addOperationsTo(addMenu);
    m_addFirst = menuButton(tr("A&dd the first operation"), QStringLiteral("add"), addMenu, page);
    auto* presetButton =
        menuButton(tr("&Choose a preset"), QStringLiteral("benchmark"), createPresetsMenu(page), page);
    presetButton->setIcon({});

    auto* layout =
        makeColumn(page, normalSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    layout->addStretch(1);
    layout->addWidget(title);
    layout->addWidget(hint);
    layout->addSpacing(normalSpacing);
    layout->addWidget(m_addFirst, 0, Qt::AlignHCenter);
    layout->addWidget(presetButton, 0, Qt::AlignHCenter);
    layout->addStretch(2);
    return page;
}

void OperationsPanel::addOperationsTo(QMenu* menu) {
    menu->setToolTipsVisible(true);
    menu->addSection(tr("Filters"));
    for (const iir2d::FilterRow& row : iir2d::filter_table()) {
        QAction* action = menu->addAction(QStringLiteral("&%1  %2").arg(row.id).arg(toText(row.name)));
        action->setToolTip(toText(row.help));
        connect(action, &QAction::triggered, this, [this, id = row.id] { addFilter(id); });
    }
    menu->addSection(tr("Pooling"));
    for (const iir2d::PoolOp op : {iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp}) {
        QAction* action = menu->addAction(poolName(op).prepend(QLatin1Char('&')));
        connect(action, &QAction::triggered, this, [this, op] { addPool(op); });
    }
    for (const iir2d::PoolOp op : {iir2d::PoolOp::adaptive_max, iir2d::PoolOp::adaptive_avg}) {
        QAction* action = menu->addAction(poolName(op));
        connect(action, &QAction::triggered, this, [this, op] { addPool(op); });
    }
}

QMenu* OperationsPanel::createOperationsMenu(QWidget* parent) {
    auto* menu = new QMenu(tr("&Operations"), parent);
    addOperationsTo(menu->addMenu(themedIcon(QStringLiteral("add")), tr("&Add")));
    menu->addSeparator();
    menu->addActions({m_toggle, m_duplicate, m_remove});
    menu->addSeparator();
    menu->addActions({m_up, m_down});
    menu->addSeparator();
    menu->addAction(m_kernel);
    menu->addSeparator();
    QAction* load = menu->addAction(themedIcon(QStringLiteral("open")), tr("&Load Recipe…"), m_bar,
                                    &RecipeBar::loadRecipe);
    load->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_L));
    QAction* save = menu->addAction(themedIcon(QStringLiteral("save")), tr("&Save Recipe"), m_bar,
                                    &RecipeBar::saveRecipe);
    save->setShortcut(QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_S));
    menu->addAction(tr("Sav&e Recipe As…"), m_bar, &RecipeBar::saveRecipeAs);
    return menu;
}

QMenu* OperationsPanel::createPresetsMenu(QWidget* parent) {
    auto* menu = new QMenu(tr("&Presets"), parent);
    m_bar->addPresets(menu);
    return menu;
}

int OperationsPanel::selectedRow() const {
    return m_list->currentIndex().row();
}

void OperationsPanel::selectRow(int row) {
    m_list->setCurrentIndex(m_model->index(row));
}

QSize OperationsPanel::sizeHint() const {
    return {320, 640};
}

void OperationsPanel::addFilter(int filterId) {
    add(defaultFilter(filterId));
}

void OperationsPanel::addPool(iir2d::PoolOp op) {
    Operation operation = defaultPool(op);
    if (is_adaptive(op)) {
        // Half of what there is, as other pooling begins with.
        const auto shape = validate(m_session.recipe(), imageShape(m_session));
        auto& output = std::get<PoolOperation>(operation.what).output;
        output = shape && shape->w != 0 ? iir2d::Extent{std::max<std::int64_t>(shape->h / 2, 1),
                                                        std::max<std::int64_t>(shape->w / 2, 1)}
                                        : iir2d::Extent{256, 256};
    }
    add(operation);
}

void OperationsPanel::add(const Operation& operation) {
    const int row = selectedRow() + 1;  // first when there is none
    m_session.changeRecipe(tr("Add %1").arg(operationName(operation)),
                           withInserted(m_session.recipe(), row, operation));
    selectRow(row);
    // What was added can be removed, moved or duplicated by the next key.
    if (m_list->isVisible()) m_list->setFocus();
}

void OperationsPanel::duplicateSelected() {
    const int row = selectedRow();
    if (row < 0) return;
    const Operation operation = m_session.recipe().operations[std::size_t(row)];
    m_session.changeRecipe(tr("Duplicate %1").arg(operationName(operation)),
                           withInserted(m_session.recipe(), row + 1, operation));
    selectRow(row + 1);
}

void OperationsPanel::removeSelected() {
    const int row = selectedRow();
    if (row < 0) return;
    const QString name = operationName(m_session.recipe().operations[std::size_t(row)]);
    m_session.changeRecipe(tr("Remove %1").arg(name), withRemoved(m_session.recipe(), row));
    selectRow(std::min(row, m_model->rowCount() - 1));
}

void OperationsPanel::moveSelectedUp() {
    const int row = selectedRow();
    if (row > 0) move(row, row - 1, tr("Move an operation up"));
}

void OperationsPanel::moveSelectedDown() {
    const int row = selectedRow();
    if (row >= 0 && row + 1 < m_model->rowCount()) move(row, row + 1, tr("Move an operation down"));
}

void OperationsPanel::move(int from, int to, const QString& undoText, int mergeKey) {
    m_session.changeRecipe(undoText, withMoved(m_session.recipe(), from, to), mergeKey);
    selectRow(to);
}

void OperationsPanel::toggleSelected() {
    const int row = selectedRow();
    if (row >= 0) setEnabledAt(row, !m_session.recipe().operations[std::size_t(row)].enabled);
}

void OperationsPanel::showKernelOfSelected() {
    if (const int row = selectedRow(); row >= 0) Q_EMIT kernelRequested(row);
}

void OperationsPanel::setEnabledAt(int row, bool enabled) {
    const QString name = operationName(m_session.recipe().operations[std::size_t(row)]);
    m_session.changeRecipe(enabled ? tr("Switch %1 on").arg(name) : tr("Switch %1 off").arg(name),
                           withEnabled(m_session.recipe(), row, enabled));
}

// The keys go on to the list, not to whatever comes next to a control that is gone.
void OperationsPanel::keepFocus(bool had) {
    const QWidget* now = QApplication::focusWidget();
    if (!had || (now != nullptr && now->isVisible() && m_pages->isAncestorOf(now))) return;
    if (m_model->rowCount() == 0) {
        m_addFirst->setFocus();
    } else {
        m_list->setFocus();
    }
}

void OperationsPanel::follow() {
    const QWidget* focused = QApplication::focusWidget();
    const bool hadFocus = focused != nullptr && m_pages->isAncestorOf(focused);
    const QPersistentModelIndex before = m_list->currentIndex();
    {
        const QScopedValueRollback<bool> following(m_following, true);
        m_model->setRecipe(m_session.recipe(), imageShape(m_session));
        if (!m_list->currentIndex().isValid() && m_model->rowCount() > 0) selectRow(0);
    }
    if (before.isValid() && before == m_list->currentIndex()) {
        m_editor->follow(selectedRow());
    } else {
        m_editor->setRow(selectedRow());
    }
    m_keepAlpha->setChecked(m_session.recipe().keep_alpha);
    m_pages->setCurrentIndex(m_model->rowCount() == 0 ? 1 : 0);
    showSummary();
    updateActions();
    keepFocus(hadFocus);
    Q_EMIT selectionChanged(selectedRow());
}

void OperationsPanel::showSummary() {
    const iir2d::Shape input = imageShape(m_session);
    const auto output = validate(m_session.recipe(), input);
    if (input.w == 0) {
        m_summary->setText(tr("no image"));
        m_summary->setToolTip(tr("Size and memory show when an image is open."));
    } else if (!output) {
        m_summary->setText(tr("no result"));
        m_summary->setToolTip(toText(output.error().message));
    } else {
        const QString memory =
            QLocale().formattedDataSize(qint64(memory_estimate(m_session.recipe(), input)), 0);
        m_summary->setText(tr("%1 × %2 · %3").arg(output->w).arg(output->h).arg(memory));
        m_summary->setToolTip(tr("The result has %1 × %2 pixels.\nApplying the recipe needs about %3 beyond "
                                 "the image itself.")
                                  .arg(output->w)
                                  .arg(output->h)
                                  .arg(memory));
    }
}

void OperationsPanel::updateActions() {
    const int row = selectedRow();
    for (QAction* action : {m_duplicate, m_remove, m_toggle, m_kernel}) action->setEnabled(row >= 0);
    m_up->setEnabled(row > 0);
    m_down->setEnabled(row >= 0 && row + 1 < m_model->rowCount());
}

}  // namespace workbench
