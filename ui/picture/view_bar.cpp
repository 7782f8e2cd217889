// SPDX-License-Identifier: MIT
#include "ui/picture/view_bar.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <cmath>

#include "ui/picture/image_view.h"
#include "ui/picture/pixel_text.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double exposureRange = 12.0;  // stops, each way
constexpr double exposureStep = 0.25;

}  // namespace

QAction* ViewBar::addViewAction(const QString& icon, const QString& text,
                                const QList<QKeySequence>& shortcuts, const QString& toolTip) {
    auto* action = new QAction(themedIcon(icon), text, this);
    action->setShortcuts(shortcuts);
    const QString keys =
        shortcuts.isEmpty()
            ? QString()
            : QStringLiteral(" (%1)").arg(shortcuts.first().toString(QKeySequence::NativeText));
    action->setToolTip(toolTip + keys);
    m_actions.append(action);
    addAction(action);
    return action;
}

ViewBar::ViewBar(ImageView& view, QWidget* parent) : QToolBar(tr("View"), parent), m_view(view) {
    setObjectName(QStringLiteral("viewBar"));
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    setIconSize(QSize(16, 16));

    auto* zoomOut =
        addViewAction(QStringLiteral("zoom-out"), tr("Zoom &out"),
                      {QKeySequence(tr("-")), QKeySequence(QKeySequence::ZoomOut)}, tr("Zoom out"));
    auto* zoomIn = addViewAction(
        QStringLiteral("zoom-in"), tr("Zoom &in"),
        {QKeySequence(tr("+")), QKeySequence(tr("=")), QKeySequence(QKeySequence::ZoomIn)}, tr("Zoom in"));
    auto* fit = addViewAction(QStringLiteral("fit"), tr("&Fit in window"),
                              {QKeySequence(tr("F")), QKeySequence(tr("Ctrl+0"))}, tr("Fit in window"));
    auto* actual = addViewAction(QStringLiteral("actual-size"), tr("&100 %"),
                                 {QKeySequence(tr("1")), QKeySequence(tr("Ctrl+Alt+0"))},
                                 tr("One screen pixel for each image pixel"));
    addSeparator();
    m_actions.append(nullptr);
    auto* split = addViewAction(QStringLiteral("split"), tr("&Split before and after"),
                                {QKeySequence(tr("S"))}, tr("Split: original left, result right"));
    split->setCheckable(true);
    auto* original = addViewAction(QStringLiteral("original"), tr("Sho&w original"), {},
                                   tr("Hold to see the original (O)"));
    original->setCheckable(true);
    original->setShortcut(QKeySequence(tr("Shift+O")));
    auto* grid = addViewAction(QStringLiteral("grid"), tr("Pixel &grid"), {QKeySequence(tr("G"))},
                               tr("Pixel grid from 800 % on"));
    grid->setCheckable(true);
    grid->setChecked(view.hasPixelGrid());

    m_gradient =
        addViewAction(QStringLiteral("link"), tr("Input gra&dient of pooling"), {QKeySequence(tr("D"))},
                      tr("Show the samples that the pooled pixel under the cursor depends on, and how much; "
                         "Ctrl+click pooled pixels to paint an upstream gradient"));
    m_gradient->setCheckable(true);
    m_argmax = addViewAction(QStringLiteral("argmax"), tr("Argma&x of pooling"), {QKeySequence(tr("W"))},
                             tr("Mark the samples of its input that a max pooling takes"));
    m_argmax->setCheckable(true);
    m_actions.append(nullptr);
    const auto menuAction = [this](const QString& text, const QString& keys, const QString& toolTip) {
        auto* action = new QAction(text, this);
        action->setShortcut(QKeySequence(keys));
        action->setToolTip(toolTip);
        m_actions.append(action);
        return action;
    };
    m_paint = menuAction(tr("&Paint an upstream gradient here"), tr("P"),
                         tr("Give the pooled pixel under the cursor the gradient 1, or take it away"));
    m_paintNegative =
        menuAction(tr("Paint a &negative one here"), tr("Shift+P"),
                   tr("Give the pooled pixel under the cursor the gradient -1, or take it away"));
    m_clearPainted = menuAction(tr("C&lear the painted gradient"), tr("Ctrl+Shift+P"),
                                tr("Take the gradient from all pooled pixels"));

    connect(zoomOut, &QAction::triggered, &view, &ImageView::zoomOut);
    connect(zoomIn, &QAction::triggered, &view, &ImageView::zoomIn);
    connect(fit, &QAction::triggered, &view, &ImageView::fit);
    connect(actual, &QAction::triggered, &view, &ImageView::actualSize);
    connect(split, &QAction::toggled, &view, &ImageView::setSplit);
    connect(grid, &QAction::toggled, &view, &ImageView::setPixelGrid);
    connect(original, &QAction::toggled, &view, &ImageView::showOriginal);
    connect(&view, &ImageView::splitChanged, split, &QAction::setChecked);
    connect(&view, &ImageView::originalChanged, original, &QAction::setChecked);
    // The button shows the original while it is held; the menu entry and its shortcut toggle it.
    if (auto* button = qobject_cast<QToolButton*>(widgetForAction(original))) {
        button->setDefaultAction(nullptr);
        removeAction(original);
        auto* hold = new QToolButton(this);
        hold->setObjectName(QStringLiteral("holdOriginal"));
        hold->setIcon(themedIcon(QStringLiteral("original")));
        hold->setAutoRaise(true);
        hold->setToolTip(tr("Hold to see the original (O)"));
        hold->setAccessibleName(tr("Hold to see the original"));
        insertWidget(grid, hold);
        connect(hold, &QToolButton::pressed, &view, [&view] { view.showOriginal(true); });
        connect(hold, &QToolButton::released, &view, [&view] { view.showOriginal(false); });
    }

    m_page = new QComboBox(this);
    m_page->setAccessibleName(tr("Page of the file"));
    m_page->setToolTip(tr("Page or part of the file"));
    m_page->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_page->setMaximumWidth(180);
    m_pagePart = addWidget(m_page);
    connect(m_page, &QComboBox::activated, this, &ViewBar::pageChosen);
    m_previousPage = new QAction(tr("Pre&vious page"), this);
    m_previousPage->setShortcut(QKeySequence(tr("Ctrl+PgUp")));
    m_nextPage = new QAction(tr("Nex&t page"), this);
    m_nextPage->setShortcut(QKeySequence(tr("Ctrl+PgDown")));
    connect(m_previousPage, &QAction::triggered, this,
            [this] { Q_EMIT pageChosen(m_page->currentIndex() - 1); });
    connect(m_nextPage, &QAction::triggered, this, [this] { Q_EMIT pageChosen(m_page->currentIndex() + 1); });

    auto* stretch = new QWidget(this);
    stretch->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(stretch);

    auto* exposureLabel = new QLabel(tr("Exposure"), this);
    m_exposureSlider = new QSlider(Qt::Horizontal, this);
    m_exposureSlider->setAccessibleName(tr("Exposure"));
    m_exposureSlider->setRange(int(-exposureRange / exposureStep), int(exposureRange / exposureStep));
    m_exposureSlider->setMinimumWidth(60);
    m_exposureSlider->setMaximumWidth(140);
    m_exposure = new NumberBox(this);
    m_exposure->setAccessibleName(tr("Exposure in stops"));
    m_exposure->setRange(-exposureRange, exposureRange);
    m_exposure->setSingleStep(exposureStep);
    m_exposure->setSuffix(tr(" EV"));
    m_exposure->setToolTip(tr("Exposure of the display, in stops; the result does not change"));
    auto* gammaLabel = new QLabel(tr("Gamma"), this);
    m_gamma = new NumberBox(this);
    m_gamma->setAccessibleName(tr("Gamma"));
    m_gamma->setRange(0.1, 5.0);
    m_gamma->setSingleStep(0.1);
    m_gamma->setValue(1.0);
    m_gamma->setToolTip(tr("Gamma of the display; the result does not change"));
    auto* reset = new QAction(themedIcon(QStringLiteral("reset")), tr("&Reset exposure and gamma"), this);
    reset->setShortcut(QKeySequence(tr("Ctrl+Shift+0")));
    exposureLabel->setContentsMargins(0, 0, smallSpacing, 0);
    gammaLabel->setContentsMargins(normalSpacing, 0, smallSpacing, 0);
    exposureLabel->setBuddy(m_exposure);
    gammaLabel->setBuddy(m_gamma);
    for (QWidget* part :
         std::initializer_list<QWidget*>{exposureLabel, m_exposureSlider, m_exposure, gammaLabel, m_gamma}) {
        m_displayParts.append(addWidget(part));
    }
    addAction(reset);
    m_displayParts.append(reset);
    m_actions.append(nullptr);
    auto* brighter = new QAction(tr("&Brighter"), this);
    brighter->setShortcut(QKeySequence(tr("E")));
    auto* darker = new QAction(tr("D&arker"), this);
    darker->setShortcut(QKeySequence(tr("Shift+E")));
    connect(brighter, &QAction::triggered, m_exposure, &QDoubleSpinBox::stepUp);
    connect(darker, &QAction::triggered, m_exposure, &QDoubleSpinBox::stepDown);
    m_actions.append({brighter, darker, reset});
    m_displayParts.append({brighter, darker});

    connect(m_exposureSlider, &QSlider::valueChanged, this,
            [this](int value) { m_exposure->setValue(value * exposureStep); });
    connect(m_exposure, &QDoubleSpinBox::valueChanged, this, [this](double stops) {
        const QSignalBlocker blocker(m_exposureSlider);  // its steps are coarser
        m_exposureSlider->setValue(int(std::lround(stops / exposureStep)));
        applyDisplay();
    });
    connect(m_gamma, &QDoubleSpinBox::valueChanged, this, &ViewBar::applyDisplay);
    connect(reset, &QAction::triggered, this, &ViewBar::resetDisplay);

    // What lies in the bar is reached by keyboard too.
    for (auto* button : findChildren<QToolButton*>()) {
        button->setFocusPolicy(Qt::TabFocus);
        if (button->accessibleName().isEmpty() && button->defaultAction()) {
            button->setAccessibleName(button->defaultAction()->text().remove(QLatin1Char('&')));
        }
    }
    setImage(nullptr);
}

void ViewBar::setExposure(double stops) {
    m_exposure->setValue(stops);
}

void ViewBar::setGamma(double gamma) {
    m_gamma->setValue(gamma);
}

void ViewBar::resetDisplay() {
    m_exposure->setValue(0.0);
    m_gamma->setValue(1.0);
}

void ViewBar::applyDisplay() {
    m_view.setDisplayOptions(
        {.exposure_stops = m_exposure->value(), .gamma = m_gamma->value(), .linear_source = m_linear});
    Q_EMIT displayChanged();
}

void ViewBar::setImage(const ImagePtr& image) {
    const bool isFloat = image && !is_integer(image->info.type);
    m_linear = image && isSceneLinear(image->info);
    for (QAction* part : m_displayParts) part->setVisible(isFloat);
    if (!isFloat) resetDisplay();  // what cannot be seen must not act
    applyDisplay();
    for (QAction* action : m_actions) {
        if (action) action->setEnabled(image != nullptr);
    }
    if (auto* hold = findChild<QToolButton*>(QStringLiteral("holdOriginal"))) {
        hold->setEnabled(image != nullptr);
    }
    const int count = image ? image->info.image_count : 0;
    m_pagePart->setVisible(count > 1);
    m_page->clear();
    for (int i = 0; i < count && count > 1; ++i) {
        const auto& names = image->info.image_names;
        const bool isNamed = std::size_t(i) < names.size() && !names[std::size_t(i)].empty();
        m_page->addItem(isNamed ? QString::fromStdString(names[std::size_t(i)]) : tr("page %1").arg(i + 1));
    }
    const int current = image ? image->info.image_index : 0;
    if (count > 1) m_page->setCurrentIndex(current);
    m_previousPage->setEnabled(count > 1 && current > 0);
    m_nextPage->setEnabled(count > 1 && current + 1 < count);
}

}  // namespace workbench
