// SPDX-License-Identifier: MIT
#include "ui/widgets/number_field.h"

#include <QApplication>
#include <QSignalBlocker>
#include <QStyle>
#include <QStyleOptionSpinBox>
#include <cmath>

#include "ui/widgets/field_note.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/number_text.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int pause_ms = 600;

// So many digits after the point that no double is rounded.
constexpr int all_decimals = 323;

// The whole width of a spin box that shows `text`.
QSize boxSize(const QAbstractSpinBox* box, QStyleOptionSpinBox option, const QString& text, int height) {
    const QSize content(box->fontMetrics().horizontalAdvance(text) + 4, height);
    return box->style()->sizeFromContents(QStyle::CT_SpinBox, &option, content, box);
}

// The text without the prefix and the unit, which one may leave out, or type before the one that Qt adds.
template <class Box>
QString bare(const Box& box, QString text) {
    text = text.trimmed();
    const QString prefix = box.prefix().trimmed();
    const QString suffix = box.suffix().trimmed();
    if (!prefix.isEmpty() && text.startsWith(prefix)) text = text.mid(prefix.size());
    while (!suffix.isEmpty() && text.endsWith(suffix)) {
        text.chop(suffix.size());
        text = text.trimmed();
    }
    return text.trimmed();
}

template <class Box>
bool isSpecial(const Box& box, const QString& text) {
    return !box.specialValueText().isEmpty() && text.trimmed() == box.specialValueText();
}

// What is wrong with a number in words, and what would be right. Empty when it is in the range.
template <class Box>
QString faultOf(const Box& box, const QString& text, bool isWhole, const QString& range) {
    const auto number = readNumber(text, box.locale());
    QString wrong;
    if (!number) {
        wrong = number.error();
    } else if (*number < box.minimum()) {
        wrong = NumberEntry::tr("“%1” is too small").arg(text);
    } else if (*number > box.maximum()) {
        wrong = NumberEntry::tr("“%1” is too large").arg(text);
    } else if (isWhole && *number != std::floor(*number)) {
        wrong = NumberEntry::tr("“%1” is not a whole number").arg(text);
    } else {
        return {};
    }
    return NumberEntry::tr("%1. Allowed: %2.").arg(wrong, range);
}

void prepare(QAbstractSpinBox* box) {
    box->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    box->setFont(tabularFont());
    guardWheel(box);
}

}  // namespace

NumberEntry::NumberEntry(Field field) : m_field(std::move(field)) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(pause_ms);
    connect(&m_pause, &QTimer::timeout, this, [this] { look(true); });
    // Only what is typed comes here: a box that shows a value blocks its line edit.
    connect(m_field.edit, &QLineEdit::textChanged, this, [this] {
        look(false);
        if (isPending()) qApp->installEventFilter(this);
    });
}

NumberEntry::~NumberEntry() {
    delete m_bubble;
}

bool NumberEntry::isPending() const {
    return m_field.edit->text() != m_field.valueText();
}

bool NumberEntry::isWrong() const {
    return !m_field.fault(m_field.edit->text()).isEmpty();
}

void NumberEntry::commit() {
    qApp->removeEventFilter(this);
    if (isWrong()) {
        look(true);
    } else if (isPending()) {
        m_field.box->interpretText();
    }
}

void NumberEntry::restore() {
    {
        const QSignalBlocker quiet(m_field.edit);
        m_field.edit->setText(m_field.valueText());
        m_field.edit->selectAll();
    }
    qApp->removeEventFilter(this);
    look(true);
}

void NumberEntry::look(bool atOnce) {
    const QString fault = m_field.fault(m_field.edit->text());
    if (fault.isEmpty() || atOnce || !m_note.isEmpty()) {
        m_pause.stop();
        setNote(fault);
    } else {
        m_pause.start();
    }
}

void NumberEntry::setNote(const QString& note) {
    if (note == m_note) return;
    m_note = note;
    setWrong(m_field.box, note);
    // What was selected of the wrong text is some part of the new one.
    if (note.isEmpty() && m_field.edit->hasSelectedText()) m_field.box->selectAll();
    focusChanged();
    Q_EMIT noteChanged(note);
}

void NumberEntry::focusChanged() {
    const bool shows = !m_note.isEmpty() && m_field.box->hasFocus() && m_field.box->isVisible();
    if (shows) {
        if (m_bubble == nullptr) m_bubble = new FieldNote(m_field.box);
        m_bubble->say(m_note);
    } else if (m_bubble != nullptr) {
        m_bubble->hide();
    }
}

void NumberEntry::holdText(const QString& text) {
    qApp->removeEventFilter(this);
    const QSignalBlocker quiet(m_field.edit);
    // Also a right one is set again: what was typed before is no longer there to be undone.
    m_field.edit->setText(text.isEmpty() ? m_field.edit->text() : text);
    look(true);
}

bool NumberEntry::takesKey(QKeyEvent* event) {
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape || event->matches(QKeySequence::Undo)) {
        const bool isOwnUndo = event->key() != Qt::Key_Escape && m_field.edit->isUndoAvailable();
        if (!isPending() || isOwnUndo) return false;
        restore();
    } else if (isEnter && isWrong()) {
        look(true);
        m_field.edit->selectAll();
    } else {
        return false;
    }
    event->accept();
    return true;
}

bool NumberEntry::leavesToWindow(QKeyEvent* event) const {
    if (event->matches(QKeySequence::Undo)) return !isPending();
    if (event->matches(QKeySequence::Redo)) return !m_field.edit->isRedoAvailable();
    return false;
}

void NumberEntry::commitBefore(const QKeyEvent* event) {
    const bool isModifier = event->key() == Qt::Key_Control || event->key() == Qt::Key_Shift ||
                            event->key() == Qt::Key_Alt || event->key() == Qt::Key_Meta ||
                            event->key() == Qt::Key_AltGr;
    const bool isCommand =
        (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) ||
        (event->key() >= Qt::Key_F1 && event->key() <= Qt::Key_F35);
    // A third level of the keyboard looks like Ctrl+Alt, but types.
    const bool types = event->modifiers().testFlags(Qt::ControlModifier | Qt::AltModifier) &&
                       !event->text().isEmpty() && event->text().front().isPrint();
    if (!isModifier && !types && isCommand) commit();
}

// While a number waits to be taken: a press elsewhere, also on what takes no focus, is about it too.
bool NumberEntry::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonPress && watched->isWidgetType()) {
        const auto* widget = static_cast<const QWidget*>(watched);
        if (widget != m_field.box && !m_field.box->isAncestorOf(widget)) commit();
    }
    return QObject::eventFilter(watched, event);
}

NumberBox::NumberBox(QWidget* parent) : NumberFieldOf<QDoubleSpinBox>(parent) {
    setDecimals(all_decimals);
    prepare(this);
    connect(this, &QDoubleSpinBox::valueChanged, &entry(), [this] { entry().look(true); });
    connect(&entry(), &NumberEntry::noteChanged, this, &NumberBox::wrongChanged);
}

QString NumberBox::textFromValue(double value) const {
    return numberText(value, locale());
}

double NumberBox::valueFromText(const QString& text) const {
    return isSpecial(*this, text) ? minimum() : readNumber(bare(*this, text), locale()).value_or(value());
}

QString NumberBox::fault(const QString& text) const {
    if (isSpecial(*this, text)) return {};
    const QString range = tr("%1 to %2").arg(textFromValue(minimum()), textFromValue(maximum()) + suffix());
    return faultOf(*this, bare(*this, text), false, range);
}

void NumberBox::stepBy(int steps) {
    if (entry().isWrong()) {
        entry().restore();
    } else {
        interpretText();
    }
    const double step = m_scale ? m_scale->stepAt(value(), steps > 0) : singleStep();
    // What adding leaves far behind the step's own digits is not meant: 0.1 + 0.2 is 0.3.
    const double unit = step * 1e-6;
    const double next = std::round((value() + steps * step) / unit) * unit;
    setValue(QString::number(next, 'g', 12).toDouble());
    selectAll();
}

QSize NumberBox::sizeHint() const {
    QStyleOptionSpinBox option;
    initStyleOption(&option);
    return boxSize(this, option, QStringLiteral("-0.000 px"), QDoubleSpinBox::sizeHint().height() - 6);
}

CountBox::CountBox(int minimum, QWidget* parent) : NumberFieldOf<QSpinBox>(parent) {
    setRange(minimum, largest);
    prepare(this);
    connect(this, &QSpinBox::valueChanged, &entry(), [this] { entry().look(true); });
    connect(&entry(), &NumberEntry::noteChanged, this, &CountBox::wrongChanged);
}

QString CountBox::textFromValue(int value) const {
    return numberText(value, locale());
}

int CountBox::valueFromText(const QString& text) const {
    if (isSpecial(*this, text)) return minimum();
    const auto number = readNumber(bare(*this, text), locale());
    return number ? int(*number) : value();
}

QString CountBox::fault(const QString& text) const {
    if (isSpecial(*this, text)) return {};
    const QString range =
        maximum() < largest
            ? tr("%1 to %2").arg(textFromValue(minimum()), textFromValue(maximum()) + suffix())
        : minimum() > -largest ? tr("%1 or more").arg(textFromValue(minimum()) + suffix())
                               : tr("any whole number");
    return faultOf(*this, bare(*this, text), true, range);
}

QSize CountBox::sizeHint() const {
    QStyleOptionSpinBox option;
    initStyleOption(&option);
    return boxSize(this, option, QStringLiteral("00000"), QSpinBox::sizeHint().height() - 6);
}

}  // namespace workbench
