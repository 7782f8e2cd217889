// SPDX-License-Identifier: MIT
// The number fields of every form. A number is taken as it was typed, or the field says what is wrong with it
// and its value stays: nothing typed is dropped or cut to fit. Escape brings the value back. A field whose
// text is its value leaves the keys of undo and redo to the window.
#pragma once

#include <QDoubleSpinBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPointer>
#include <QSpinBox>
#include <QTimer>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "ui/widgets/slider_scale.h"

namespace workbench {

class FieldNote;

// Watches the text of a field and shows what is wrong with it, for all kinds of fields.
class NumberEntry : public QObject {
    Q_OBJECT
  public:
    struct Field {
        QAbstractSpinBox* box;
        QLineEdit* edit;
        std::function<QString(const QString&)> fault;  // of a text; empty when it is a number in the range
        std::function<QString()> valueText;            // as shown
    };
    explicit NumberEntry(Field field);
    ~NumberEntry() override;

    bool isPending() const;  // the text is not that of the value
    bool isWrong() const;
    QString note() const { return m_note; }  // what is shown to be wrong
    // Takes the text as the value, or shows at once what is wrong with it.
    void commit();
    void restore();  // the text of the value
    void look(bool atOnce);
    bool takesKey(QKeyEvent* event);  // a press that is not for the box
    // Returns whether undo or redo is left to the window: the text has nothing of its own to undo.
    bool leavesToWindow(QKeyEvent* event) const;
    // Commits before a shortcut: what it does, it does with the number that was typed.
    void commitBefore(const QKeyEvent* event);
    void focusChanged();
    QString heldText() const { return isWrong() ? m_field.edit->text() : QString(); }
    void holdText(const QString& text);  // as it was before the box put its value there

  Q_SIGNALS:
    void noteChanged(const QString& note);

  private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void setNote(const QString& note);

    Field m_field;
    QString m_note;
    QTimer m_pause;  // half a number is not wrong yet
    QPointer<FieldNote> m_bubble;
};

template <class Base>
class NumberFieldOf : public Base {
  public:
    explicit NumberFieldOf(QWidget* parent)
        : Base(parent),
          m_entry({.box = this,
                   .edit = Base::lineEdit(),
                   .fault = [this](const QString& text) { return fault(text); },
                   .valueText = [this] { return valueText(); }}) {
        Base::setKeyboardTracking(false);
    }
    ~NumberFieldOf() override = default;
    NumberFieldOf(const NumberFieldOf&) = delete;
    NumberFieldOf& operator=(const NumberFieldOf&) = delete;

    // Returns what is wrong; empty while the text is a number that the field can take.
    QString wrong() const { return m_entry.note(); }
    void setValue(decltype(std::declval<Base>().value()) value) {
        Base::setValue(value);
        m_entry.look(true);
    }
    void stepBy(int steps) override {
        if (m_entry.isWrong()) m_entry.restore();
        Base::stepBy(steps);
        m_entry.look(true);
    }
    QValidator::State validate(QString& text, int& /*position*/) const override {
        return fault(text).isEmpty() ? QValidator::Acceptable : QValidator::Intermediate;
    }
    void fixup(QString& /*text*/) const override {}

  protected:
    // Returns what is wrong with a text, in a sentence with the range.
    virtual QString fault(const QString& text) const = 0;
    NumberEntry& entry() { return m_entry; }
    bool event(QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride) {
            auto* key = static_cast<QKeyEvent*>(event);
            if (m_entry.leavesToWindow(key)) {
                event->ignore();
                return true;
            }
            const bool done = Base::event(event);
            if (!event->isAccepted()) m_entry.commitBefore(key);
            return done;
        }
        return Base::event(event);
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (!m_entry.takesKey(event)) Base::keyPressEvent(event);
    }
    void focusInEvent(QFocusEvent* event) override {
        Base::focusInEvent(event);
        m_entry.focusChanged();
    }
    void focusOutEvent(QFocusEvent* event) override {
        const QString held = m_entry.heldText();
        Base::focusOutEvent(event);
        m_entry.holdText(held);
        m_entry.focusChanged();
    }
    void hideEvent(QHideEvent* event) override {
        Base::hideEvent(event);
        m_entry.look(true);
    }

  private:
    QString valueText() const {
        const bool isSpecial = Base::value() == Base::minimum() && !Base::specialValueText().isEmpty();
        return isSpecial ? Base::specialValueText()
                         : Base::prefix() + this->textFromValue(Base::value()) + Base::suffix();
    }
    NumberEntry m_entry;
};

// Takes any number, shown with as many digits as it has; steps as its scale says, or by singleStep().
class NumberBox : public NumberFieldOf<QDoubleSpinBox> {
    Q_OBJECT
  public:
    explicit NumberBox(QWidget* parent = nullptr);
    void setScale(const SliderScale& scale) { m_scale = scale; }
    QString textFromValue(double value) const override;
    double valueFromText(const QString& text) const override;
    void stepBy(int steps) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  Q_SIGNALS:
    void wrongChanged(const QString& wrong);

  protected:
    QString fault(const QString& text) const override;

  private:
    std::optional<SliderScale> m_scale;
};

// A whole number of pixels or the like; as narrow as its digits allow.
class CountBox : public NumberFieldOf<QSpinBox> {
    Q_OBJECT
  public:
    static constexpr int largest = std::numeric_limits<int>::max();
    explicit CountBox(int minimum, QWidget* parent = nullptr);
    QString textFromValue(int value) const override;
    int valueFromText(const QString& text) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  Q_SIGNALS:
    void wrongChanged(const QString& wrong);

  protected:
    QString fault(const QString& text) const override;
};

}  // namespace workbench
