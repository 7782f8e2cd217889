// SPDX-License-Identifier: MIT
#include "ui/widgets/form_parts.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <algorithm>

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr char window_undo_property[] = "undoIsTheWindows";

class WheelGuard : public QObject {
  public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Wheel) return false;
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (widget == nullptr || widget->hasFocus()) return false;
        event->ignore();  // on to the scroll area
        return true;
    }
};

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto mix = [share](int x, int y) { return int(x + (y - x) * share); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

// Colours an input whose value is refused or whose text is wrong, now and after every change of theme.
class RefusedLook : public QObject {
  public:
    explicit RefusedLook(QWidget* input) : QObject(input), m_input(input) {
        setObjectName(QStringLiteral("RefusedLook"));
        connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { apply(); });
    }
    static RefusedLook* of(QWidget* input) {
        auto* look = input->findChild<QObject*>(QStringLiteral("RefusedLook"), Qt::FindDirectChildrenOnly);
        return static_cast<RefusedLook*>(look);
    }

    QString refused;
    QString wrong;

    void apply() {
        const QString reason = wrong.isEmpty() ? refused : wrong;
        m_input->setAccessibleDescription(reason);
        if (reason.isEmpty()) {
            m_input->setPalette({});
            return;
        }
        QPalette palette;
        const ThemeColours& c = themeColours();
        palette.setColor(QPalette::Base, mixed(c.base, c.error, 0.16));
        palette.setColor(QPalette::Text, c.error);
        palette.setColor(QPalette::Window, c.error);  // Fusion draws the frame from it
        m_input->setPalette(palette);
    }

  private:
    QWidget* m_input;
};

void setReason(QWidget* input, QString RefusedLook::*which, const QString& reason) {
    RefusedLook* look = RefusedLook::of(input);
    if (look == nullptr) {
        if (reason.isEmpty()) return;
        look = new RefusedLook(input);
    }
    look->*which = reason;
    look->apply();
}

}  // namespace

ToneLabel::ToneLabel(Tone tone, QWidget* parent) : QLabel(parent), m_tone(tone) {
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &ToneLabel::applyTone);
    applyTone();
}

// One line: how many there are follows from the width that the layout gives. QLabel's own wish is a narrow
// column, which would be kept as empty space around a wide one.
QSize ToneLabel::minimumSizeHint() const {
    return {QLabel::minimumSizeHint().width(), fontMetrics().height()};
}

void ToneLabel::setTone(Tone tone) {
    m_tone = tone;
    applyTone();
}

void ToneLabel::applyTone() {
    QPalette palette;
    const ThemeColours& c = themeColours();
    if (m_tone != Tone::normal) {
        palette.setColor(QPalette::WindowText, m_tone == Tone::error ? c.error : c.muted);
    }
    setPalette(palette);
}

QToolButton* makeActionButton(QAction* action, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(QString(action->text()).remove(QLatin1Char('&')).remove(QStringLiteral("…")));
    return button;
}

RefusalLine::RefusalLine(QWidget* parent)
    : QWidget(parent),
      m_reason(new ToneLabel(ToneLabel::Tone::error, this)),
      m_revert(new QToolButton(this)) {
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, smallSpacing);
    layout->setSpacing(smallSpacing);
    layout->setColumnStretch(1, 1);
    auto* icon = new QLabel(this);
    icon->setPixmap(themedIcon(QStringLiteral("error")).pixmap(16, 16));
    m_reason->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    layout->addWidget(icon, 0, 0, Qt::AlignTop);
    layout->addWidget(m_reason, 0, 1);
    layout->addWidget(m_revert, 1, 1, Qt::AlignLeft);
    m_revert->setAccessibleName(tr("Keep the value in force"));
    connect(m_revert, &QToolButton::clicked, this, &RefusalLine::revertRequested);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, icon,
            [icon] { icon->setPixmap(themedIcon(QStringLiteral("error")).pixmap(16, 16)); });
    hide();
}

void RefusalLine::setReason(const QString& reason, const QString& valueInForce) {
    m_reason->setText(reason);
    m_reason->setAccessibleName(tr("Refused: %1").arg(reason));
    m_revert->setText(tr("Keep %1").arg(valueInForce));
    m_revert->setAccessibleName(tr("Keep %1, the value in force").arg(valueInForce));
    m_revert->setToolTip(tr("Go back to %1, the value that the recipe still has").arg(valueInForce));
    show();
}

void RefusalLine::clear() {
    m_reason->clear();
    hide();
}

QString RefusalLine::reason() const {
    return m_reason->text();
}

void setRefused(QWidget* input, const QString& reason) {
    setReason(input, &RefusedLook::refused, reason);
}

void setWrong(QWidget* input, const QString& reason) {
    setReason(input, &RefusedLook::wrong, reason);
}

FormGrid::FormGrid(QWidget* parent) : m_parent(parent), m_layout(new QGridLayout(parent)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(normalSpacing);
    m_layout->setVerticalSpacing(smallSpacing);
    m_layout->setColumnStretch(1, 1);
}

void FormGrid::shareColumns() {
    m_layout->setColumnStretch(2, m_layout->columnStretch(1));
}

QLabel* FormGrid::addLabel(const QString& text, QWidget* buddy, const QString& toolTip) {
    addRow();
    auto* label = new QLabel(text, m_parent);
    label->setBuddy(buddy);
    label->setToolTip(toolTip);
    m_layout->addWidget(label, m_row, 0, Qt::AlignLeft | Qt::AlignVCenter);
    return label;
}

void FormGrid::addRow() {
    ++m_row;
}

void FormGrid::add(QWidget* widget, int column, int columnCount) {
    m_layout->addWidget(widget, m_row, column, 1, columnCount);
}

RefusalLine* FormGrid::addRefusalLine() {
    addRow();
    auto* line = new RefusalLine(m_parent);
    m_layout->addWidget(line, m_row, 0, 1, columns);
    return line;
}

QComboBox* choiceBox(const QStringList& names, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->addItems(names);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    guardWheel(box);
    return box;
}

void guardWheel(QWidget* input) {
    input->setFocusPolicy(Qt::StrongFocus);  // a wheel gives no focus
    input->installEventFilter(new WheelGuard(input));
}

void leaveUndoToWindow(QLineEdit* edit) {
    edit->setProperty(window_undo_property, true);
}

bool leavesUndoToWindow(const QWidget* edit) {
    return edit->property(window_undo_property).toBool();
}

QToolButton* iconButton(const QString& icon, const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(themedIcon(icon));
    button->setAutoRaise(true);
    button->setToolTip(name);
    button->setAccessibleName(name);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

}  // namespace workbench
