// SPDX-License-Identifier: MIT
// What a person decides, through the dialogs that ask for it.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDateEdit>
#include <QDropEvent>
#include <QMimeData>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextEdit>

#include "tests/ui/release/release_page_fixture.h"
#include "ui/release/release_dialogs.h"
#include "ui/release/sign_off_dialog.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReleaseDialogsTest : public testing::ReleasePageFixture {
  protected:
    std::string refusal() const {
        return dialog()->findChild<MessageArea*>()->textOf(QStringLiteral("refusal")).toStdString();
    }
    void drop(const fs::path& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(text(path))});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(page.get(), &enter);
        QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(page.get(), &event);
        settle();
    }
    void expectNames(QWidget& top, int atLeast) {
        int walked = 0;
        for (QWidget* widget : top.findChildren<QWidget*>()) {
            const bool isInteractive =
                qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) ||
                qobject_cast<QTextEdit*>(widget) || qobject_cast<QAbstractItemView*>(widget);
            const bool isPart = widget->objectName().startsWith(QLatin1String("qt_")) ||
                                widget->inherits("QTableCornerButton") ||
                                qobject_cast<QComboBox*>(widget->parentWidget()) ||
                                qobject_cast<QAbstractItemView*>(widget->parentWidget()) ||
                                qobject_cast<QAbstractSpinBox*>(widget->parentWidget());
            if (!isInteractive || isPart || !widget->isVisible()) continue;
            ++walked;
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
            ASSERT_NE(face, nullptr);
            EXPECT_FALSE(face->text(QAccessible::Name).isEmpty())
                << widget->metaObject()->className() << " " << widget->objectName().toStdString() << " in "
                << widget->parentWidget()->metaObject()->className();
            EXPECT_NE(widget->focusPolicy(), Qt::NoFocus) << face->text(QAccessible::Name).toStdString();
        }
        EXPECT_GE(walked, atLeast);
    }
};

TEST_F(ReleaseDialogsTest, BeginsAReleaseWithTheKeysOfItsRoles) {
    page->commands().beginRelease();
    ASSERT_NE(dialog(), nullptr);
    EXPECT_FALSE(confirm()->isEnabled());
    const fs::path base = folder.path() / "releases";
    type("id", QStringLiteral("v9"));
    type("commit", QString::fromStdString(testing::release_commit));
    // The folder that it proposes is wherever the program runs.
    for (auto* edit : dialog()->findChildren<QLineEdit*>()) {
        if (edit->accessibleName() == QLatin1String("Folder that releases are in")) edit->setText(text(base));
    }
    dialog()->findChild<QComboBox*>(QStringLiteral("stage"))->setCurrentIndex(1);
    press(confirm());
    // Refused, with what was typed still there.
    EXPECT_THAT(refusal(), HasSubstr("The stage rc needs a key of the kernel-engineer"));
    EXPECT_THAT(said(), HasSubstr("The stage rc needs a key of the kernel-engineer"));
    for (const auto& [role, key] : keys)
        type(role.c_str(), role == "qa-engineer" ? QString::fromStdString(key.public_key().hex())
                                                 : text(folder.path() / (role + ".pub")));
    press(confirm());
    EXPECT_EQ(dialog(), nullptr);
    ASSERT_NE(page->snapshot(), nullptr) << said();
    EXPECT_EQ(page->snapshot()->release.state.id, "v9");
    EXPECT_EQ(page->snapshot()->release.state.stage, Stage::rc);
    EXPECT_EQ(page->snapshot()->release.state.max_regression, 0.25);
    EXPECT_EQ(page->snapshot()->release.state.holders.at("product-lead"),
              keys.at("product-lead").public_key().hex());
    EXPECT_TRUE(verify_release(base / "v9")->problems.empty());
}

TEST_F(ReleaseDialogsTest, AsksForWhatAKindOfEvidenceNeedsAndFillsNothingIn) {
    begin(Stage::rc);
    open();
    testing::write_text(folder.path() / "tests.xml", "no report");
    page->commands().attachEvidence(QStringLiteral("test-report"), text(folder.path() / "tests.xml"));
    ASSERT_NE(dialog(), nullptr);
    // The commit is for a person to say.
    EXPECT_EQ(dialog()->findChild<QLineEdit*>(QStringLiteral("commit"))->text(), QString());
    EXPECT_FALSE(confirm()->isEnabled());
    QTest::mouseClick(dialog()->findChild<QPushButton*>(QStringLiteral("releaseCommit")), Qt::LeftButton);
    press(confirm());
    EXPECT_THAT(refusal(), HasSubstr("cannot be read as test-report"));
    testing::write_text(folder.path() / "tests.xml", testing::test_report(1));
    press(confirm());
    EXPECT_EQ(dialog(), nullptr);
    EXPECT_THAT(standing("A.tests"), StartsWith("A.tests, held"));
    EXPECT_EQ(page->snapshot()->release.state.attachments[0].commit, testing::release_commit);
    // A record is a folder, and says its commit itself.
    testing::write_release_record(folder.path() / "smoke", 1.0);
    page->commands().attachEvidence(QStringLiteral("smoke-record"), text(folder.path() / "smoke"));
    EXPECT_FALSE(dialog()->findChild<QLineEdit*>(QStringLiteral("commit"))->isEnabled());
    press(confirm());
    EXPECT_THAT(standing("B.smoke"), StartsWith("B.smoke, held"));
    // Without a kind nothing is attached.
    page->commands().attachEvidence({}, text(folder.path() / "tests.xml"));
    EXPECT_FALSE(confirm()->isEnabled());
    QTest::keyClick(dialog(), Qt::Key_Escape);
    EXPECT_EQ(page->snapshot()->release.state.attachments.size(), 2U);
}

TEST_F(ReleaseDialogsTest, OpensTheDialogThatSuppliesARequirement) {
    begin(Stage::rc);
    open();
    QTest::mouseClick(button("A.c-api", QStringLiteral("Waive…")), Qt::LeftButton);
    ASSERT_NE(qobject_cast<WaiverDialog*>(dialog()), nullptr);
    EXPECT_EQ(dialog()->findChild<QComboBox*>(QStringLiteral("scope"))->currentText(),
              QStringLiteral("A.c-api"));
    EXPECT_FALSE(confirm()->isEnabled());
    type("risk", QStringLiteral("a status may differ"));
    EXPECT_FALSE(confirm()->isEnabled());
    type("owner", QStringLiteral("O. Wner"));
    dialog()->findChild<QDateEdit*>()->setDate(QDate(2001, 1, 1));
    press(confirm());
    EXPECT_EQ(refusal(), "The expiry 2001-01-01 is past");
    dialog()->findChild<QDateEdit*>()->setDate(QDate(2999, 12, 31));
    press(confirm());
    EXPECT_EQ(dialog(), nullptr);
    EXPECT_THAT(standing("A.c-api"), StartsWith("A.c-api, waived"));
    EXPECT_EQ(button("A.c-api", QStringLiteral("Waive…")), nullptr);

    page->board().ensureWidgetVisible(row("D.sign-off.qa-engineer"));
    QTest::mouseClick(button("D.sign-off.qa-engineer", QStringLiteral("Sign off…")), Qt::LeftButton);
    ASSERT_NE(qobject_cast<SignOffDialog*>(dialog()), nullptr);
    EXPECT_EQ(dialog()->findChild<QComboBox*>(QStringLiteral("role"))->currentText(),
              QStringLiteral("qa-engineer"));
    dialog()->close();
}

TEST_F(ReleaseDialogsTest, SignsTheSnapshotThatTheDialogShowed) {
    begin(Stage::ga);
    open();
    page->commands().signOffRole(QStringLiteral("qa-engineer"));
    const std::string shown = load_release(directory)->state.seen();
    EXPECT_EQ(dialog()->findChild<QLineEdit*>(QStringLiteral("seen"))->text().toStdString(), shown);
    EXPECT_THAT(dialog()->findChild<QTextBrowser*>()->toPlainText().toStdString(),
                HasSubstr("May not be promoted"));
    EXPECT_EQ(dialog()->findChild<QLineEdit*>(QStringLiteral("person"))->text(), QString());
    type("person", QStringLiteral("Q. Engineer"));
    // Another's key.
    type("key", text(folder.path() / "product-lead"));
    press(confirm());
    EXPECT_THAT(refusal(), HasSubstr("This key is not the qa-engineer's"));
    // A key that others may read.
    type("key", text(folder.path() / "qa-engineer.pub"));
    press(confirm());
    EXPECT_FALSE(refusal().empty());
    // Evidence comes while the dialog is open: what it showed is not what there is.
    type("key", text(folder.path() / "qa-engineer"));
    ASSERT_TRUE(add("other", "late.txt", "late"));
    press(confirm());
    EXPECT_THAT(refusal(), HasSubstr("look at it again"));
    EXPECT_TRUE(load_release(directory)->state.sign_offs.empty());
    QTest::keyClick(dialog(), Qt::Key_Escape);
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(dialog(), nullptr);
    settle();

    page->commands().signOffRole(QStringLiteral("qa-engineer"));
    type("person", QStringLiteral("Q. Engineer"));
    type("key", text(folder.path() / "qa-engineer"));
    press(confirm());
    EXPECT_EQ(dialog(), nullptr);
    EXPECT_EQ(said(), "Q. Engineer signed off as qa-engineer.");
    const auto state = load_release(directory)->state;
    ASSERT_EQ(state.sign_offs.size(), 1U);
    EXPECT_EQ(state.sign_offs[0].seen, state.seen());
    EXPECT_THAT(standing("D.sign-off.qa-engineer"), StartsWith("D.sign-off.qa-engineer, held"));
}

// Qt draws the box of what holds with a cross in it, and text between two _ as links are drawn.
TEST_F(ReleaseDialogsTest, ShowsTheReportThatIsSignedWithTicksAndWithoutLinks) {
    begin(Stage::rc);
    ASSERT_TRUE(add("test-report", "tests.xml", testing::test_report(1)));
    open();
    page->commands().signOffRole(QStringLiteral("qa-engineer"));
    ASSERT_NE(dialog(), nullptr);
    const QTextDocument& report = *dialog()->findChild<QTextBrowser*>()->document();
    int ticks = 0;
    int open_ones = 0;
    for (QTextBlock block = report.begin(); block.isValid(); block = block.next()) {
        EXPECT_EQ(block.blockFormat().marker(), QTextBlockFormat::MarkerType::NoMarker)
            << block.text().toStdString();
        EXPECT_FALSE(block.text().contains(QStringLiteral("○  Made from log.jsonl")));
        ticks += block.text().startsWith(QStringLiteral("✓  A.tests"));
        open_ones += block.text().startsWith(QStringLiteral("○  A.parity"));
        for (auto part = block.begin(); !part.atEnd(); ++part)
            EXPECT_FALSE(part.fragment().charFormat().fontUnderline())
                << part.fragment().text().toStdString();
    }
    EXPECT_EQ(ticks, 1);
    EXPECT_EQ(open_ones, 1);
    EXPECT_THAT(report.toPlainText().toStdString(),
                HasSubstr("not needed at this stage: nothing is attached"));
    dialog()->close();
}

TEST_F(ReleaseDialogsTest, OpensADroppedReleaseAndAttachesADroppedFile) {
    begin(Stage::rc);
    drop(directory / "release.json");
    ASSERT_NE(page->snapshot(), nullptr);
    testing::write_text(folder.path() / "NOTICES", "of others");
    drop(folder.path() / "NOTICES");
    ASSERT_NE(qobject_cast<AttachDialog*>(dialog()), nullptr);
    // What it is evidence of is not guessed.
    EXPECT_EQ(dialog()->findChild<QComboBox*>(QStringLiteral("kind"))->currentIndex(), -1);
    EXPECT_FALSE(confirm()->isEnabled());
    dialog()->findChild<QComboBox*>(QStringLiteral("kind"))->setCurrentText(QStringLiteral("notices"));
    press(confirm());
    EXPECT_EQ(page->snapshot()->release.state.attachments.at(0).kind, "notices");
    fs::create_directory(folder.path() / "other");
    ASSERT_TRUE(
        new_release(folder.path() / "other", {.id = "v2", .commit = testing::release_commit, .holders = {}}));
    drop(folder.path() / "other" / "v2");
    EXPECT_EQ(page->snapshot()->release.state.id, "v2");
}

TEST_F(ReleaseDialogsTest, GivesEveryInteractiveWidgetANameAndFocus) {
    expectNames(*page, 2);
    begin(Stage::ga);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    open();
    expectNames(*page, 25);
    page->messages().show(QStringLiteral("x"), MessageArea::Severity::info, QStringLiteral("x"));
    const auto ask = [&](int atLeast) {
        ASSERT_NE(dialog(), nullptr);
        expectNames(*dialog(), atLeast);
        dialog()->close();
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    };
    page->commands().beginRelease();
    ask(15);
    page->commands().attachEvidence();
    ask(7);
    page->commands().waiveRequirement();
    ask(6);
    page->commands().signOffRole();
    ask(8);
}

}  // namespace
}  // namespace workbench
