// SPDX-License-Identifier: MIT
#include "ui/kernels/kernels_page.h"

#include <QSplitter>
#include <QTabWidget>

#include "core/solve/kernels.h"
#include "core/synth/print.h"
#include "ui/kernels/code_pane.h"
#include "ui/kernels/data_set_desk.h"
#include "ui/kernels/generated_panel.h"
#include "ui/kernels/kernel_view.h"
#include "ui/kernels/our_kernels.h"
#include "ui/kernels/ours_panel.h"
#include "ui/kernels/own_source.h"
#include "ui/kernels/yours_panel.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"

namespace workbench {

KernelsPage::KernelsPage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_shown(new ShownKernelModel(this)),
      m_ours(new OurKernels(session, *m_shown, this)),
      m_own(new OwnSource(*m_shown, this)),
      m_dataSets(new DataSetDesk(*m_shown, this)),
      m_messages(new MessageArea(this)) {
    setObjectName(QStringLiteral("kernelsPage"));
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    m_sources = new QTabWidget(splitter);
    m_sources->setObjectName(QStringLiteral("kernelSources"));
    m_sources->setAccessibleName(tr("Where kernels come from"));
    m_sources->setDocumentMode(true);
    m_oursPanel = new OursPanel(*m_ours, m_sources);
    m_yoursPanel = new YoursPanel(*m_own, m_sources);
    m_sources->addTab(m_oursPanel, tr("Ours"));
    m_sources->addTab(m_yoursPanel, tr("Yours"));
    m_generatedPanel = new GeneratedPanel(session, *m_shown, *m_dataSets, m_sources);
    m_sources->addTab(m_generatedPanel, tr("Generated"));
    m_view = new KernelView(session, *m_shown, splitter);
    splitter->addWidget(m_sources);
    splitter->addWidget(m_view);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 3);
    splitter->setSizes({380, 900});
    makeColumn(this, 0)->addWidget(splitter);
    // Not over the kernel's title.
    (new FloatingColumn(FloatingColumn::Edge::bottom, m_view))->add(m_messages);
    connect(m_view, &KernelView::kernelAsked, this, &KernelsPage::showKernel);
    connect(m_view, &KernelView::said, this, [this](const QString& text) { say(text, false); });
    connect(m_ours, &OurKernels::failed, this, [this](const QString& text) { say(text, true); });
    connect(m_dataSets, &DataSetDesk::failed, this, [this](const QString& text) { say(text, true); });
    connect(m_dataSets, &DataSetDesk::said, this, [this](const QString& text) { say(text, false); });
    connect(m_own, &OwnSource::failed, this, [this](const QString& text) { say(text, true); });
    CodePane& editor = m_view->editor();
    editor.setCode(m_own->text());
    connect(&editor, &QPlainTextEdit::textChanged, this,
            [this, &editor] { m_own->setText(editor.toPlainText()); });
    connect(m_own, &OwnSource::opened, this, [this, &editor] { editor.setCode(m_own->text()); });
    connect(m_own, &OwnSource::stateChanged, this, &KernelsPage::followOwn);
    connect(m_own, &OwnSource::checkChanged, this, &KernelsPage::followOwn);
    connect(m_sources, &QTabWidget::currentChanged, this, &KernelsPage::showSource);
    connect(m_shown, &ShownKernelModel::failed, this, [this](const QString& text) { say(text, true); });
    showSource();
}

KernelsPage::~KernelsPage() = default;

void KernelsPage::say(const QString& message, bool isFailure) {
    m_messages->show(QStringLiteral("kernels"),
                     isFailure ? MessageArea::Severity::error : MessageArea::Severity::info, message);
}

void KernelsPage::showKernel(const QString& name) {
    m_messages->clear(QStringLiteral("kernels"));
    const QString ofSolvers = QStringLiteral("solve/");
    if (name.startsWith(ofSolvers)) {
        const auto kernel = solve::find_kernel(name.mid(ofSolvers.size()).toStdString());
        if (!kernel) return say(toSentence(kernel.error().message), true);
        m_own->setSource(name, toText(synth::print_cuda(solve::tree_of((*kernel)->name))));
        return showYours();
    }
    m_sources->setCurrentWidget(m_oursPanel);
    m_ours->showKernel(name);
}

void KernelsPage::showOperation(const Operation& operation) {
    m_messages->clear(QStringLiteral("kernels"));
    m_sources->setCurrentWidget(m_oursPanel);
    m_view->setTab(KernelView::Tab::traffic);
    m_ours->showOperation(operation);
}

void KernelsPage::showYours() {
    m_sources->setCurrentWidget(m_yoursPanel);
}

void KernelsPage::showOurs() {
    m_sources->setCurrentWidget(m_oursPanel);
}

void KernelsPage::showGenerated() {
    m_sources->setCurrentWidget(m_generatedPanel);
}

void KernelsPage::keepSourceIn(const std::filesystem::path& file) {
    m_own->keepIn(file);
}

bool KernelsPage::isMaking() const {
    return m_dataSets->isMaking();
}

// Each source of kernels shows its own when one comes back to it.
void KernelsPage::showSource() {
    const QWidget* const now = m_sources->currentWidget();
    m_view->setEditing(now == m_yoursPanel && !m_own->isBackward());
    m_ours->setShown(false);
    m_own->setShown(false);
    m_dataSets->setShown(false);
    m_shown->show(nullptr);
    if (now == m_oursPanel) m_ours->setShown(true);
    if (now == m_yoursPanel) m_own->setShown(true);
    if (now == m_generatedPanel) m_dataSets->setShown(true);
}

void KernelsPage::followOwn() {
    m_view->setEditing(m_sources->currentWidget() == m_yoursPanel && !m_own->isBackward());
    m_view->editor().markError(m_own->isCompiling() ? 0 : m_own->problemLine());
}

void KernelsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_ours->load();
}

}  // namespace workbench
