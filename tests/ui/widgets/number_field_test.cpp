// SPDX-License-Identifier: MIT
// Numbers are taken as typed, or refused with the range; and the keys of undo go to whom they are meant for.
#include "ui/widgets/number_field.h"

#include <gmock/gmock.h>

#include <QAccessible>
#include <QAction>
#include <QDialog>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include "tests/ui/patience.h"
#include "ui/widgets/field_note.h"
#include "ui/widgets/number_text.h"

namespace workbench {
namespace {

QString utf8(const char* text) {
    return QString::fromUtf8(text);
}

const QLocale english(QLocale::English, QLocale::UnitedStates);
const QLocale german(QLocale::German, QLocale::Germany);
const QLocale french(QLocale::French, QLocale::France);

struct Reading {
    const char* text;
    QLocale locale;
    double value;
};

TEST(NumberText, IsReadAsItWasMeant) {
    const Reading readings[] = {{"2,5", english, 2.5},
                                {"2.5", english, 2.5},
                                {"2.5", german, 2.5},
                                {"2,5", german, 2.5},
                                {"1e1", english, 10},
                                {"1E+2", german, 100},
                                {"-2,5e-3", english, -0.0025},
                                {" +7 ", english, 7},
                                {"\u22127", english, -7},
                                {".5", english, 0.5},
                                {",5", english, 0.5},
                                {"5.", english, 5},
                                {"2.500", english, 2.5},
                                {"2,500", german, 2.5},
                                {"0,125", english, 0.125},
                                {"1234,567", english, 1234.567},
                                {"1,2345", english, 1.2345},
                                {"1.234,5", english, 1234.5},
                                {"1,234.5", german, 1234.5},
                                {"1.234.567", english, 1234567},
                                {"1,234,567", german, 1234567},
                                {"1 234,5", french, 1234.5},
                                {"1\u202f234,5", french, 1234.5},
                                {"1'234.5", english, 1234.5},
                                {"0.0029098247456789123", english, 0.0029098247456789123},
                                {"\u0663\u066b\u0665", QLocale(QLocale::Arabic, QLocale::Egypt), 3.5}};
    for (const Reading& each : readings) {
        const auto number = readNumber(utf8(each.text), each.locale);
        ASSERT_TRUE(number) << each.text << ": " << number.error().toStdString();
        EXPECT_EQ(*number, each.value) << each.text << " in " << each.locale.name().toStdString();
    }
    EXPECT_TRUE(std::isinf(*readNumber(utf8("1e999"), english)));
}

TEST(NumberText, WhatIsNoneOrMeansTwoIsRefused) {
    for (const char* text : {"", " ", "abc", "1e", "e5", "1e5.5", "--1", "1,2,3", "1.2.3", "12 34", "1,,5",
                             ".", "-", "0x10", "inf", "nan", "1.234,5.6", "1.5px", "1e-999"}) {
        EXPECT_FALSE(readNumber(utf8(text), english)) << text;
    }
    const auto comma = readNumber(utf8("1,500"), english);
    ASSERT_FALSE(comma);
    EXPECT_TRUE(comma.error().contains(utf8("1.5 or 1500"))) << comma.error().toStdString();
    const auto dot = readNumber(utf8("1.500"), german);
    ASSERT_FALSE(dot);
    EXPECT_TRUE(dot.error().contains(utf8("1,5 or 1500"))) << dot.error().toStdString();
}

TEST(NumberText, IsWrittenSoThatItReadsBack) {
    for (const QLocale& locale : {english, german, french}) {
        for (const double value :
             {0.0, 0.1, -2.5, 1234567.0, 1e-12, 1e300, 5e-324, 0.1 + 0.2, 1.7976931348623157e308}) {
            const QString text = numberText(value, locale);
            const auto number = readNumber(text, locale);
            ASSERT_TRUE(number) << text.toStdString();
            EXPECT_EQ(*number, value) << text.toStdString();
        }
    }
}

class NumberFieldTest : public ::testing::Test {
  protected:
    NumberFieldTest() {
        auto* layout = new QVBoxLayout(&window);
        layout->addWidget(&number);
        layout->addWidget(&count);
        layout->addWidget(&other);
        layout->addStretch(1);
        window.resize(320, 240);
        number.setLocale(english);
        count.setLocale(english);
        number.setRange(0.5, 50);
        number.setSuffix(utf8(" px"));
        number.setValue(2);
        count.setMaximum(1024);
        count.setSpecialValueText(utf8("all"));
        count.setValue(4);
        window.show();
        window.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
    }
    static void write(QAbstractSpinBox& box, const char* text) {
        box.setFocus();
        box.selectAll();
        QTest::keyClicks(&box, utf8(text));
    }
    static void type(QAbstractSpinBox& box, const char* text) {
        write(box, text);
        QTest::keyClick(&box, Qt::Key_Return);
    }
    const FieldNote* note() { return window.findChild<FieldNote*>(); }

    QWidget window;
    NumberBox number;
    CountBox count{0};
    QPushButton other{utf8("other")};
};

TEST_F(NumberFieldTest, TakesWhatWasTyped) {
    const std::pair<const char*, double> typed[] = {
        {"2,5", 2.5},     {"1e1", 10}, {"50", 50}, {"0.5", 0.5},
        {"7.25px", 7.25}, {"3 px", 3}, {"12", 12}, {"0.1234567891e1", 1.234567891}};
    for (const auto& [text, value] : typed) {
        type(number, text);
        EXPECT_EQ(number.value(), value) << text;
        EXPECT_TRUE(number.wrong().isEmpty()) << text;
    }
    type(number, "2");
    EXPECT_EQ(number.text(), utf8("2 px"));
    number.setLocale(german);
    type(number, "2.5");
    EXPECT_EQ(number.value(), 2.5);
    EXPECT_EQ(number.text(), utf8("2,5 px"));

    for (const auto& [text, value] : {std::pair{"1e3", 1000}, {"16", 16}, {"8,0", 8}, {"all", 0}, {"0", 0}}) {
        type(count, text);
        EXPECT_EQ(count.value(), value) << text;
    }
}

TEST_F(NumberFieldTest, WhatItCannotTakeIsShownWithTheRangeAndChangesNothing) {
    const QPalette usual = number.palette();
    for (const char* text : {"500", "0.1", "abc", "-3", "1e9", "", "1,500"}) {
        write(number, text);
        if (*text == 0) QTest::keyClick(&number, Qt::Key_Delete);
        QTest::keyClick(&number, Qt::Key_Return);
        EXPECT_EQ(number.value(), 2) << text;
        EXPECT_EQ(number.text(), utf8(text) + utf8(" px")) << "nothing typed is dropped";
        EXPECT_TRUE(number.wrong().contains(utf8("0.5 to 50 px"))) << number.wrong().toStdString();
        EXPECT_EQ(number.accessibleDescription(), number.wrong());
        EXPECT_NE(number.palette().color(QPalette::Text), usual.color(QPalette::Text));
        ASSERT_NE(note(), nullptr);
        EXPECT_TRUE(note()->isVisible());
        EXPECT_EQ(note()->text(), number.wrong());
        EXPECT_TRUE(window.rect().contains(note()->geometry())) << "seen whole";
        EXPECT_FALSE(note()->geometry().intersects(number.geometry()));
        QTest::keyClick(&number, Qt::Key_Escape);
        EXPECT_EQ(number.text(), utf8("2 px"));
        EXPECT_TRUE(number.wrong().isEmpty());
        EXPECT_TRUE(number.accessibleDescription().isEmpty());
        EXPECT_FALSE(note()->isVisible());
    }
    type(count, "5000");
    EXPECT_EQ(count.value(), 4);
    EXPECT_EQ(count.text(), utf8("5000"));
    EXPECT_TRUE(count.wrong().contains(utf8("0 to 1024"))) << count.wrong().toStdString();
    type(count, "2.5");
    EXPECT_EQ(count.value(), 4);
    EXPECT_TRUE(count.wrong().contains(utf8("not a whole number"))) << count.wrong().toStdString();
}

TEST_F(NumberFieldTest, AWrongTextStaysWhenTheFocusGoesAndItsNoteDoesNot) {
    write(number, "500");
    other.setFocus();
    EXPECT_EQ(number.text(), utf8("500 px"));
    EXPECT_FALSE(number.wrong().isEmpty());
    EXPECT_EQ(number.value(), 2);
    EXPECT_TRUE(note() == nullptr || !note()->isVisible());
    number.setFocus();
    ASSERT_NE(note(), nullptr);
    EXPECT_TRUE(note()->isVisible());
    number.stepBy(1);
    EXPECT_EQ(number.value(), 3) << "from the value, not from what was typed";
    EXPECT_TRUE(number.wrong().isEmpty());
    write(number, "500");
    number.setValue(2);
    EXPECT_EQ(number.text(), utf8("2 px"));
    EXPECT_TRUE(number.wrong().isEmpty());
}

TEST_F(NumberFieldTest, HalfANumberIsNotWrongBeforeAPause) {
    number.setRange(16, 50);
    write(number, "3");
    EXPECT_TRUE(number.wrong().isEmpty());
    QTest::keyClick(&number, Qt::Key_2);
    QTest::keyClick(&number, Qt::Key_Return);
    EXPECT_EQ(number.value(), 32);
    write(number, "3");
    EXPECT_TRUE(QTest::qWaitFor([&] { return !number.wrong().isEmpty(); }, patience_ms));
    QTest::keyClick(&number, Qt::Key_3);
    EXPECT_TRUE(number.wrong().isEmpty()) << "right again at once";
}

TEST_F(NumberFieldTest, StepsLeaveNoRemainders) {
    number.setRange(-1, 1);
    number.setSuffix({});
    number.setSingleStep(0.1);
    number.setValue(0);
    for (int i = 0; i < 3; ++i) number.stepBy(1);
    EXPECT_EQ(number.text(), utf8("0.3"));
    for (int i = 0; i < 3; ++i) number.stepBy(-1);
    EXPECT_EQ(number.text(), utf8("0"));
}

TEST_F(NumberFieldTest, UndoAndRedoAreTheWindowsOnceTheNumberIsTaken) {
    QAction undo;
    QAction redo;
    undo.setShortcut(utf8("Ctrl+Z"));
    redo.setShortcuts({utf8("Ctrl+Shift+Z"), utf8("Ctrl+Y")});
    window.addActions({&undo, &redo});
    int undone = 0;
    int redone = 0;
    QObject::connect(&undo, &QAction::triggered, [&] { ++undone; });
    QObject::connect(&redo, &QAction::triggered, [&] { ++redone; });
    type(number, "12");
    QTest::keyClick(&number, Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(&number, Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(&number, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(undone, 1);
    EXPECT_EQ(redone, 2);
    EXPECT_EQ(number.text(), utf8("12 px"));

    // What is being typed is taken back first.
    write(number, "45");
    QTest::keyClick(&number, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(undone, 1);
    EXPECT_EQ(number.text(), utf8("12 px"));
    QTest::keyClick(&number, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(undone, 2);

    // A wrong text that was left behind goes like any other.
    write(number, "500");
    other.setFocus();
    number.setFocus();
    QTest::keyClick(&number, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(undone, 2);
    EXPECT_EQ(number.text(), utf8("12 px"));
    EXPECT_TRUE(number.wrong().isEmpty());
}

TEST_F(NumberFieldTest, AShortcutActsWithWhatWasTyped) {
    QAction act;
    act.setShortcut(utf8("Ctrl+R"));
    window.addAction(&act);
    double seen = 0;
    QObject::connect(&act, &QAction::triggered, [&] { seen = number.value(); });
    write(number, "33");
    QTest::keyClick(&number, Qt::Key_R, Qt::ControlModifier);
    EXPECT_EQ(seen, 33);
}

TEST_F(NumberFieldTest, APressOnWhatTakesNoFocusActsWithWhatWasTyped) {
    other.setFocusPolicy(Qt::NoFocus);
    double seen = 0;
    QObject::connect(&other, &QPushButton::clicked, [&] { seen = number.value(); });
    write(number, "33");
    QTest::mouseClick(&other, Qt::LeftButton);
    EXPECT_EQ(seen, 33);
    write(number, "500");
    QTest::mouseClick(&other, Qt::LeftButton);
    EXPECT_EQ(seen, 33);
    EXPECT_FALSE(number.wrong().isEmpty()) << "said at once";
}

TEST_F(NumberFieldTest, EnterOnAWrongNumberAcceptsNoDialog) {
    QDialog dialog;
    auto* box = new NumberBox(&dialog);
    auto* accept = new QPushButton(utf8("OK"), &dialog);
    auto* layout = new QVBoxLayout(&dialog);
    layout->addWidget(box);
    layout->addWidget(accept);
    accept->setDefault(true);
    QObject::connect(accept, &QPushButton::clicked, &dialog, &QDialog::accept);
    box->setRange(0, 10);
    dialog.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&dialog));
    type(*box, "11");
    EXPECT_TRUE(dialog.isVisible());
    QTest::keyClick(box, Qt::Key_Escape);
    EXPECT_TRUE(dialog.isVisible()) << "the first Escape brings the value back";
    type(*box, "10");
    EXPECT_FALSE(dialog.isVisible());
    EXPECT_EQ(box->value(), 10);
}

}  // namespace
}  // namespace workbench
