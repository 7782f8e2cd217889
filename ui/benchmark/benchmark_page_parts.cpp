// SPDX-License-Identifier: MIT
// What the benchmark page is made of: its columns, tabs and actions.
#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/result_note.h"
#include "ui/benchmark/results_header.h"
#include "ui/benchmark/results_table.h"
#include "ui/benchmark/run_panel.h"
#include "ui/session/session.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/glyph.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {

QWidget* BenchmarkPage::makeFormColumn() {
    auto* column = new QWidget(m_splitter);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* scroll = new QScrollArea(column);
    scroll->setObjectName(QStringLiteral("formScroll"));
    scroll->setAccessibleName(tr("What to measure"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_form = new MatrixForm(m_session, scroll);
    scroll->setWidget(m_form);
    m_run = new RunPanel(column);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_run);
    // Wide enough for the form beside its scroll bar: nothing scrolls sideways.
    const int needed = m_form->minimumSizeHint().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    column->setMinimumWidth(needed);
    column->setMaximumWidth(std::max(needed, 440));
    return column;
}

QWidget* BenchmarkPage::makeEmptyPage() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(normalSpacing);
    layout->addStretch(2);
    layout->addWidget(new Glyph(QStringLiteral("benchmark"), 72, page), 0, Qt::AlignHCenter);
    m_emptyTitle = new QLabel(page);
    QFont large = m_emptyTitle->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    m_emptyTitle->setFont(large);
    layout->addWidget(m_emptyTitle, 0, Qt::AlignHCenter);
    m_emptyText = new ToneLabel(ToneLabel::Tone::muted, page);
    m_emptyText->setAlignment(Qt::AlignHCenter);
    m_emptyText->setMaximumWidth(480);
    auto* middle = new QHBoxLayout;  // an alignment would give the label the height of another width
    middle->addStretch(1);
    middle->addWidget(m_emptyText, 100);
    middle->addStretch(1);
    layout->addLayout(middle);
    auto* open = new QPushButton(tr("Open a record…"), page);
    open->setObjectName(QStringLiteral("openRecordButton"));
    open->setAccessibleName(tr("Open a record"));
    open->setToolTip(tr("Look at a record that was measured before, compare and reproduce it"));
    connect(open, &QPushButton::clicked, this, &BenchmarkPage::openRecord);
    layout->addWidget(open, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    return page;
}

// Results, comparison and history, below what is said and what is under way.
QWidget* BenchmarkPage::makeRightSide() {
    auto* right = new QWidget(m_splitter);
    auto* layout = new QVBoxLayout(right);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_messages = new MessageArea(right);
    m_jobBar = new JobBar(right);
    m_tabs = new QTabWidget(right);
    m_tabs->setObjectName(QStringLiteral("benchmarkTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Results, comparison, history"));
    m_tabs->tabBar()->setAccessibleName(m_tabs->accessibleName());
    m_stack = new QStackedWidget(m_tabs);
    m_stack->addWidget(makeEmptyPage());
    m_stack->addWidget(makeResultsPage());
    m_compare = new CompareView(m_tabs);
    m_history = new HistoryView(m_tabs);
    m_tabs->addTab(m_stack, tr("Results"));
    m_tabs->addTab(m_compare, tr("Comparison"));
    m_tabs->addTab(m_history, tr("History"));
    layout->addWidget(m_tabs, 1);
    auto* column = new FloatingColumn(FloatingColumn::Edge::bottom, right);
    column->add(m_messages);
    column->add(m_jobBar);
    return right;
}

QWidget* BenchmarkPage::makeResultsPage() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_header = new ResultsHeader(page);
    m_export = m_header->exportButton();
    layout->addWidget(m_header);
    m_note = new ResultNote(page);
    layout->addWidget(m_note);

    m_resultsSplitter = new QSplitter(Qt::Vertical, page);
    m_resultsSplitter->setChildrenCollapsible(false);
    m_charts = new ChartsArea(m_resultsSplitter);
    m_charts->setMinimumHeight(180);
    m_table = new ResultsTable(*m_model, m_resultsSplitter);
    m_table->setMinimumHeight(90);
    m_resultsSplitter->addWidget(m_charts);
    m_resultsSplitter->addWidget(m_table);
    m_resultsSplitter->setStretchFactor(0, 3);
    m_resultsSplitter->setStretchFactor(1, 2);
    m_resultsSplitter->setSizes({460, 240});
    layout->addWidget(m_resultsSplitter, 1);
    m_export->setMenu(makeExportMenu());
    return page;
}

void BenchmarkPage::makeActions() {
    const auto make = [this](const char* icon, const QString& text, const QString& keys, auto slot) {
        auto* action = new QAction(themedIcon(QLatin1String(icon)), text, this);
        action->setShortcut(QKeySequence(keys));
        connect(action, &QAction::triggered, this, slot);
        m_header->addAction(action);
        return action;
    };
    m_openAction =
        make("open", tr("&Open record…"), QStringLiteral("Ctrl+Shift+O"), &BenchmarkPage::openRecord);
    m_compareAction =
        make("split", tr("Co&mpare with…"), QStringLiteral("Ctrl+Shift+B"), &BenchmarkPage::compareWith);
    m_previousAction = make("previous", tr("Compare with previous"), QStringLiteral("Ctrl+Alt+B"),
                            &BenchmarkPage::compareWithPrevious);
    m_reproduceAction =
        make("refresh", tr("Re&produce"), QStringLiteral("Ctrl+Alt+R"), &BenchmarkPage::reproduce);
    // The window has Ctrl+R; these are the page's own, and only while it has the focus.
    auto* run = new QAction(tr("Run benchmark"), this);
    run->setShortcut(QKeySequence(Qt::Key_F5));
    auto* stop = new QAction(tr("Cancel the benchmark"), this);
    stop->setShortcut(QKeySequence(Qt::Key_Escape));
    for (QAction* action : {run, stop}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
    connect(run, &QAction::triggered, this, &BenchmarkPage::run);
    connect(stop, &QAction::triggered, this, &BenchmarkPage::cancel);
    stop->setEnabled(false);
    connect(this, &BenchmarkPage::runningChanged, stop, &QAction::setEnabled);
}

}  // namespace workbench
