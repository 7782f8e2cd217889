// SPDX-License-Identifier: MIT
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QHeaderView>
#include <QPainter>
#include <QPalette>
#include <QPointer>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>
#include <QStyleOptionButton>
#include <QStyleOptionComboBox>
#include <QStyleOptionToolButton>
#include <QTableView>

#include "ui/widgets/icons.h"

namespace workbench {
namespace {

QList<QColor> colours(std::initializer_list<QRgb> values) {
    QList<QColor> list;
    for (const QRgb value : values) list.append(QColor(value));
    return list;
}

const ThemeColours& darkColours() {
    static const ThemeColours table{
        .window = QColor(0x1d2024),
        .panel = QColor(0x25292e),
        .base = QColor(0x16191c),
        .canvas = QColor(0x121212),
        .text = QColor(0xe8eaed),
        .muted = QColor(0x9fa7b0),
        .border = QColor(0x3a4047),
        .accent = QColor(0x5aa9ff),
        .accentText = QColor(0x08131f),
        .accent2 = QColor(0xf5a04c),
        .warning = QColor(0xf2b84b),
        .error = QColor(0xff7b72),
        .success = QColor(0x56c98d),
        .grid = QColor(0x383d44),
        .series = colours({0x5aa9ff, 0xf5a04c, 0x4fc48a, 0xf0709f, 0xa993f5, 0xd9c04a, 0x4fc6d6, 0xa3abb5})};
    return table;
}

const ThemeColours& lightColours() {
    static const ThemeColours table{
        .window = QColor(0xeceef1),
        .panel = QColor(0xf8f9fa),
        .base = QColor(0xffffff),
        .canvas = QColor(0xd4d4d4),
        .text = QColor(0x1a1d21),
        .muted = QColor(0x555d66),
        .border = QColor(0xc9ced4),
        .accent = QColor(0x0a66c2),
        .accentText = QColor(0xffffff),
        .accent2 = QColor(0xc25a00),
        .warning = QColor(0x8f5b00),
        .error = QColor(0xb3261e),
        .success = QColor(0x137a43),
        .grid = QColor(0xdde1e5),
        .series = colours({0x0a66c2, 0xd4690a, 0x178a55, 0xb8336a, 0x7252c4, 0x8a6d00, 0x0b8394, 0x68717b})};
    return table;
}

bool g_dark = false;  // GUI thread only

// The width that the arrow of a tool button with a menu takes beside the button's text.
constexpr int menuArrowWidth = 14;

// The option of a tool button that opens a menu when it is clicked anywhere and that has a text; null for any
// other.
const QStyleOptionToolButton* menuButtonWithText(const QStyleOption* option) {
    const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    if (button == nullptr || button->text.isEmpty() || button->toolButtonStyle == Qt::ToolButtonIconOnly)
        return nullptr;
    const bool opens = button->features.testFlag(QStyleOptionToolButton::HasMenu) &&
                       !button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup);
    return opens ? button : nullptr;
}

// Returns whether it is a table with cells, or the header of one.
bool isOfTable(const QWidget* widget) {
    const auto* header = qobject_cast<const QHeaderView*>(widget);
    return qobject_cast<const QTableView*>(header ? header->parentWidget() : widget) != nullptr;
}

// Fusion outlines check and radio boxes darker than the window, which on a dark one cannot be seen, as the
// black arrows of a tool bar that is too narrow for its buttons cannot. It draws the arrow of a tool button
// with a menu into its lower right corner, where it reads as a comma after the text, and that of a push
// button against the text.
class WorkbenchStyle : public QProxyStyle {
  public:
    WorkbenchStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        const bool round = element == PE_IndicatorRadioButton;
        if (!g_dark ||
            (!round && element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck))
            return;
        QColor outline = themeColours().muted;
        if (!(option->state & State_Enabled)) outline.setAlphaF(0.4F);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(outline, 1));
        painter->setBrush(Qt::NoBrush);
        const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
        if (round) {
            painter->drawEllipse(box);
        } else {
            painter->drawRoundedRect(box, 1.5, 1.5);
        }
        painter->restore();
    }

    // Text at the left of a table's cell would touch the figure at the right of the one before it.
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
        const bool isMargin = metric == PM_FocusFrameHMargin || metric == PM_HeaderMargin;
        return isMargin && isOfTable(widget) ? tableCellMargin
                                             : QProxyStyle::pixelMetric(metric, option, widget);
    }

    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override {
        QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
        if (type == CT_ToolButton && menuButtonWithText(option) != nullptr) size.rwidth() += menuArrowWidth;
        const auto* button =
            type == CT_PushButton ? qstyleoption_cast<const QStyleOptionButton*>(option) : nullptr;
        if (button != nullptr && button->icon.isNull() &&
            button->features.testFlag(QStyleOptionButton::HasMenu))
            size.rwidth() += menuArrowWidth / 2;
        return size;
    }

    // A desktop's own icons on Close and Cancel, a red cross among them, are no line icons. Off screen there
    // are none.
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* returned) const override {
        return hint == SH_DialogButtonBox_ButtonsHaveIcons
                   ? 0
                   : QProxyStyle::styleHint(hint, option, widget, returned);
    }

    QIcon standardIcon(StandardPixmap icon, const QStyleOption* option,
                       const QWidget* widget) const override {
        return icon == SP_ToolBarHorizontalExtensionButton ? themedIcon(QStringLiteral("more"))
                                                           : QProxyStyle::standardIcon(icon, option, widget);
    }

    // An icon with its text beside it would touch the left edge, with all that is left of the width at the
    // right. The text of a combo box that is too narrow for it would end in the middle of a letter.
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
        const auto* box =
            element == CE_ComboBoxLabel ? qstyleoption_cast<const QStyleOptionComboBox*>(option) : nullptr;
        if (box != nullptr) {
            const int icon = box->currentIcon.isNull() ? 0 : box->iconSize.width() + 4;
            const QRect field = proxy()->subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget);
            QStyleOptionComboBox label = *box;
            label.currentText =
                box->fontMetrics.elidedText(box->currentText, Qt::ElideRight, field.width() - 2 - icon);
            QProxyStyle::drawControl(element, &label, painter, widget);
            return;
        }
        const auto* button = element == CE_ToolButtonLabel
                                 ? qstyleoption_cast<const QStyleOptionToolButton*>(option)
                                 : nullptr;
        if (button == nullptr || button->toolButtonStyle != Qt::ToolButtonTextBesideIcon ||
            button->text.isEmpty() || button->icon.isNull()) {
            QProxyStyle::drawControl(element, option, painter, widget);
            return;
        }
        QStyleOptionToolButton label = *button;
        label.rect = visualRect(label.direction, label.rect, label.rect.adjusted(3, 0, 0, 0));
        QProxyStyle::drawControl(element, &label, painter, widget);
    }

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override {
        const QStyleOptionToolButton* button =
            control == CC_ToolButton ? menuButtonWithText(option) : nullptr;
        if (button == nullptr) {
            QProxyStyle::drawComplexControl(control, option, painter, widget);
            return;
        }
        QStyleOptionToolButton frame = *button;
        frame.features.setFlag(QStyleOptionToolButton::HasMenu, false);
        frame.text.clear();
        frame.icon = QIcon();
        QProxyStyle::drawComplexControl(control, &frame, painter, widget);

        const auto placed = [&](const QRect& rect) {
            return visualRect(button->direction, button->rect, rect);
        };
        const QRect inside = button->rect.adjusted(3, 3, -3, -3);
        QStyleOptionToolButton label = *button;
        label.rect = placed(inside.adjusted(0, 0, -menuArrowWidth, 0));
        proxy()->drawControl(CE_ToolButtonLabel, &label, painter, widget);

        QStyleOptionToolButton arrow = *button;
        constexpr int side = menuArrowWidth - 5;
        arrow.rect = placed(QRect(inside.right() - side, inside.center().y() - side / 2, side, side));
        proxy()->drawPrimitive(PE_IndicatorArrowDown, &arrow, painter, widget);
    }
};

QPalette paletteOf(const ThemeColours& c) {
    QPalette p;
    p.setColor(QPalette::Window, c.panel);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.base);
    p.setColor(QPalette::AlternateBase, c.window);
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::Button, g_dark ? c.panel.lighter(118) : c.panel);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.error);
    p.setColor(QPalette::Highlight, c.accent);
    p.setColor(QPalette::HighlightedText, c.accentText);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::ToolTipBase, c.base);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::PlaceholderText, c.muted);
    p.setColor(QPalette::Light, g_dark ? c.panel.lighter(130) : QColor(Qt::white));
    p.setColor(QPalette::Midlight, g_dark ? c.panel.lighter(115) : c.window);
    p.setColor(QPalette::Mid, c.border);
    p.setColor(QPalette::Dark, g_dark ? c.base : c.border.darker(115));
    p.setColor(QPalette::Shadow, g_dark ? QColor(Qt::black) : c.border.darker(150));
    QColor faint = c.muted;
    faint.setAlphaF(0.6F);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        p.setColor(QPalette::Disabled, role, faint);
    }
    p.setColor(QPalette::Disabled, QPalette::Highlight, c.border);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, c.muted);
    return p;
}

// Only what Fusion has no palette role for.
QString styleSheetOf(const ThemeColours& c) {
    return QStringLiteral(
               "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 4px; }"
               "QMainWindow::separator { background: %3; width: 1px; height: 1px; }"
               "QMainWindow::separator:hover { background: %4; }"
               "QDockWidget::title { background: %5; padding: 6px 8px; }"
               "QToolBar { background: %5; border: 0; border-bottom: 1px solid %3; spacing: 4px; padding: "
               "4px; }"
               "QStatusBar { background: %5; border-top: 1px solid %3; }"
               "QStatusBar::item { border: 0; }"
               "QMenuBar { background: %5; }")
        .arg(c.text.name(), c.base.name(), c.border.name(), c.accent.name(), c.window.name());
}

}  // namespace

void applyTheme(QApplication& application, Theme theme) {
    static const bool desktopIsDark =
        QGuiApplication::palette().color(QPalette::Window).lightnessF() < 0.5F;  // before ours is set
    g_dark = theme == Theme::dark || (theme == Theme::system && desktopIsDark);
    static QPointer<WorkbenchStyle> style;
    if (style.isNull()) QApplication::setStyle(style = new WorkbenchStyle);  // which owns it
    QApplication::setPalette(paletteOf(themeColours()));
    application.setStyleSheet(styleSheetOf(themeColours()));
    Q_EMIT ThemeNotifier::instance().changed();
}

bool isDark() {
    return g_dark;
}

const ThemeColours& themeColours() {
    return g_dark ? darkColours() : lightColours();
}

QFont tabularFont() {
    QFont font = QApplication::font();
    const QFontMetrics metrics(font);
    const int width = metrics.horizontalAdvance(QLatin1Char('0'));
    for (char digit = '1'; digit <= '9'; ++digit) {
        if (metrics.horizontalAdvance(QLatin1Char(digit)) != width) {
            QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
            fixed.setPointSizeF(font.pointSizeF());
            return fixed;
        }
    }
    return font;
}

ThemeNotifier& ThemeNotifier::instance() {
    static ThemeNotifier notifier;
    return notifier;
}

}  // namespace workbench
