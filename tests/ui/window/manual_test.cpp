// SPDX-License-Identifier: MIT
// The manual in the window: its pages and links, search, context help, keys, names.
#include <gmock/gmock.h>

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QMessageBox>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QToolButton>
#include <QTreeWidget>

#include "tests/ui/patience.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/manual/manual.h"
#include "ui/manual/manual_browser.h"
#include "ui/manual/manual_window.h"
#include "ui/operations/operations_panel.h"
#include "ui/release/release_dialogs.h"
#include "ui/release/release_page.h"
#include "ui/session/session.h"
#include "ui/widgets/theme.h"
#include "ui/window/context_help.h"
#include "ui/window/device_panel.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

const QStringList docs{QStringLiteral(IIR2D_SOURCE_DIR "/docs")};

void write(const QTemporaryDir& folder, const char* name, const char* text) {
    QFile file(folder.filePath(QLatin1String(name)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
}

// Links and pictures of a document, as they are written.
QStringList targetsOf(const QTextDocument& document) {
    QStringList targets;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto each = block.begin(); !each.atEnd(); ++each) {
            const QTextCharFormat format = each.fragment().charFormat();
            if (format.isAnchor()) targets << format.anchorHref();
            if (format.isImageFormat()) targets << format.toImageFormat().name();
        }
    }
    return targets;
}

TEST(ManualTest, EveryLinkAndPictureOfTheManualLeadsSomewhere) {
    const Manual manual(docs);
    ASSERT_TRUE(manual.isFound());
    EXPECT_GT(manual.pages().size(), 30);
    int links = 0;
    for (const ManualPage& page : manual.pages()) {
        EXPECT_NE(page.group, QStringLiteral("Other pages"))
            << page.name.toStdString() << " is not in README.md";
        QTextDocument document;
        readMarkdown(document, manual.markdown(page.name));
        for (const QString& target : targetsOf(document)) {
            const QUrl url(target);
            if (!url.scheme().isEmpty()) continue;
            ++links;
            const QString where = page.name + QStringLiteral(" -> ") + target;
            const QString file = url.path().isEmpty() ? page.name : url.path();
            EXPECT_TRUE(QFile::exists(QDir(manual.folder()).filePath(file))) << where.toStdString();
            if (url.fragment().isEmpty()) continue;
            QTextDocument other;
            readMarkdown(other, manual.markdown(file));
            QStringList anchors;
            for (const ManualHeading& heading : headingsOf(other)) anchors << heading.anchor;
            EXPECT_TRUE(anchors.contains(url.fragment())) << where.toStdString();
        }
    }
    EXPECT_GT(links, 100);
}

TEST(ManualTest, SearchFindsParagraphsRowsAndHeadings) {
    const QTemporaryDir folder;
    write(folder, "README.md",
          "# Pages\n\n## Group\n\n| page | subject |\n| --- | --- |\n| [b.md](b.md) | one |\n");
    write(folder, "a.md", "# Alone\n\nNot listed anywhere.\n");
    write(folder, "b.md",
          "# Borders\n\nA mirror of `samples`, then\na *second* line.\n\n## Mirror\n\n| key | what |\n| --- "
          "| --- |\n"
          "| wrap | goes around |\n\n<b>no markup</b>\n");
    Manual manual({folder.filePath(QStringLiteral("nowhere")), folder.path()});
    ASSERT_TRUE(manual.isFound());
    ASSERT_EQ(manual.pages().size(), 3);
    EXPECT_EQ(manual.pages()[0].title, QStringLiteral("Pages"));
    EXPECT_EQ(manual.pages()[1].title, QStringLiteral("Borders"));
    EXPECT_EQ(manual.pages()[1].group, QStringLiteral("Group"));
    EXPECT_EQ(manual.pages()[2].group, QStringLiteral("Other pages"));
    EXPECT_TRUE(manual.search(QStringLiteral("mirror")).isEmpty()) << "nothing is read yet";
    while (manual.readNext()) {
    }
    const auto mirrors = manual.search(QStringLiteral("MIRROR"));
    ASSERT_EQ(mirrors.size(), 2);
    EXPECT_EQ(mirrors[0].line, QStringLiteral("A mirror of samples, then a second line."));
    EXPECT_EQ(mirrors[0].heading, QStringLiteral("Borders"));
    EXPECT_EQ(mirrors[1].line, QStringLiteral("Mirror"));
    const auto row = manual.search(QStringLiteral("around  wrap"));
    ASSERT_EQ(row.size(), 1) << "words of two cells of one row";
    EXPECT_EQ(row[0].line, QStringLiteral("wrap  |  goes around"));
    EXPECT_EQ(row[0].heading, QStringLiteral("Mirror"));
    EXPECT_EQ(manual.search(QStringLiteral("mirror around")).size(), 0);
    EXPECT_EQ(manual.search(QStringLiteral("m")).size(), 0);
    ASSERT_EQ(manual.search(QStringLiteral("<b>no")).size(), 1) << "HTML stays text";
}

class ManualWindowTest : public ::testing::Test {
  protected:
    void SetUp() override {
        applyTheme(*qApp, Theme::light);
        window.openPage(QStringLiteral("benchmark.md"));
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
        // A page is read each time round: QTest::qWaitFor() would sleep 10 ms after each.
        const QDeadlineTimer limit(patience_ms);
        while (!window.isSearchComplete() && !limit.hasExpired()) QApplication::processEvents();
        ASSERT_TRUE(window.isSearchComplete());
    }
    ManualBrowser& browser() { return *window.browser(); }
    std::string page() { return browser().page().toStdString(); }
    QString topLine() { return browser().document()->findBlockByNumber(browser().topBlock()).text(); }
    template <class Widget>
    Widget* find(const char* name) {
        for (auto* one : window.findChildren<Widget*>()) {
            if (one->accessibleName() == QLatin1String(name)) return one;
        }
        ADD_FAILURE() << "no " << name;
        return nullptr;
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, key, modifiers);
    }
    void click(const QString& link) { Q_EMIT browser().anchorClicked(QUrl(link)); }

    ManualWindow window{Manual(docs)};
};

TEST_F(ManualWindowTest, LinksBackAndForward) {
    EXPECT_EQ(page(), "benchmark.md");
    click(QStringLiteral("duel.md"));
    EXPECT_EQ(page(), "duel.md");
    click(QStringLiteral("releases.md#the-gates"));
    EXPECT_EQ(page(), "releases.md");
    EXPECT_EQ(topLine(), QStringLiteral("The gates"));
    click(QStringLiteral("#forging"));
    EXPECT_EQ(topLine(), QStringLiteral("Forging"));
    browser().setFocus();
    press(Qt::Key_Left, Qt::AltModifier);
    EXPECT_EQ(page(), "releases.md");
    EXPECT_EQ(topLine(), QStringLiteral("The gates"));
    press(Qt::Key_Left, Qt::AltModifier);
    press(Qt::Key_Left, Qt::AltModifier);
    EXPECT_EQ(page(), "benchmark.md");
    EXPECT_FALSE(find<QToolButton>("Back")->isEnabled());
    press(Qt::Key_Left, Qt::AltModifier);
    press(Qt::Key_Right, Qt::AltModifier);
    EXPECT_EQ(page(), "duel.md");
    press(Qt::Key_Home, Qt::AltModifier);
    EXPECT_EQ(page(), "README.md");
    EXPECT_FALSE(browser().canGoForward());
}

TEST_F(ManualWindowTest, OnlyAClickOpensTheWebAndNothingLeavesTheFolder) {
    QSignalSpy web(&window, &ManualWindow::webLinkClicked);
    QSignalSpy refused(&browser(), &ManualBrowser::linkRefused);
    for (const ManualPage& each : window.manual().pages()) browser().open(each.name);
    EXPECT_EQ(web.count(), 0);
    const std::string before = page();
    click(QStringLiteral("https://www.rfc-editor.org/rfc/rfc8785"));
    EXPECT_EQ(web.count(), 1);
    click(QStringLiteral("../CHANGELOG.md"));
    click(QStringLiteral("file:///etc/passwd"));
    EXPECT_EQ(refused.count(), 2);
    EXPECT_EQ(web.count(), 1);
    EXPECT_EQ(page(), before);
    EXPECT_FALSE(
        browser().loadResource(QTextDocument::ImageResource, QUrl(QStringLiteral("/etc/passwd"))).isValid());
}

TEST_F(ManualWindowTest, SearchListsHitsOfAllPagesAndOpensThem) {
    press(Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("no such wordzz"));
    press(Qt::Key_Return);
    auto* hits = find<QTreeWidget>("Hits");
    ASSERT_EQ(hits->topLevelItemCount(), 0);
    EXPECT_TRUE(window.findChild<QLabel*>(QStringLiteral("searchSummary"))
                    ->text()
                    .contains(QLatin1String("No page")));
    window.setQuery(QStringLiteral("newest is chosen"));
    ASSERT_EQ(hits->topLevelItemCount(), 1);
    press(Qt::Key_Return);
    EXPECT_EQ(page(), "window.md");
    EXPECT_TRUE(topLine().contains(QLatin1String("newest is chosen")));
    EXPECT_FALSE(browser().extraSelections().isEmpty());
    EXPECT_TRUE(hits->hasFocus());
    press(Qt::Key_Escape);
    EXPECT_TRUE(find<QTreeWidget>("Contents")->isVisible());
    EXPECT_TRUE(browser().extraSelections().isEmpty());
}

TEST_F(ManualWindowTest, FindOnThePageGoesAround) {
    browser().open(QStringLiteral("filters.md"));
    press(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("section"));
    auto* count = window.findChild<QLabel*>(QStringLiteral("findCount"));
    const qsizetype all = browser().extraSelections().size();
    ASSERT_GT(all, 1);
    EXPECT_EQ(count->text(), QStringLiteral("1 of %1").arg(all));
    EXPECT_EQ(browser().textCursor().selectedText().toLower(), QStringLiteral("section"));
    press(Qt::Key_F3);
    EXPECT_EQ(count->text(), QStringLiteral("2 of %1").arg(all));
    press(Qt::Key_F3, Qt::ShiftModifier);
    press(Qt::Key_F3, Qt::ShiftModifier);
    EXPECT_EQ(count->text(), QStringLiteral("%1 of %1").arg(all));
    press(Qt::Key_F3);
    EXPECT_EQ(count->text(), QStringLiteral("1 of %1").arg(all));
    press(Qt::Key_Escape);
    EXPECT_TRUE(browser().extraSelections().isEmpty());
    EXPECT_TRUE(window.isVisible());
    press(Qt::Key_Escape);
    EXPECT_FALSE(window.isVisible());
}

TEST_F(ManualWindowTest, ThePlaceStaysWhenSizeAndColoursChange) {
    browser().open(QStringLiteral("packaging.md"), QStringLiteral("the-build"));
    const QString line = topLine();
    EXPECT_EQ(line, QStringLiteral("The build"));
    window.resize(600, 500);
    QTest::qWait(20);
    EXPECT_EQ(topLine(), line);
    applyTheme(*qApp, Theme::dark);
    QTest::qWait(20);
    EXPECT_EQ(topLine(), line);
    const QTextDocument& document = *browser().document();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto each = block.begin(); !each.atEnd(); ++each) {
            const QTextCharFormat format = each.fragment().charFormat();
            if (format.isAnchor()) {
                EXPECT_EQ(format.foreground().color(), themeColours().accent);
            }
            if (format.isImageFormat()) {
                EXPECT_LE(format.toImageFormat().width(), browser().viewport()->width());
            }
        }
    }
}

TEST_F(ManualWindowTest, EverythingThatCanBeTouchedHasAName) {
    window.setQuery(QStringLiteral("border"));
    press(Qt::Key_F, Qt::ControlModifier);
    int seen = 0;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || qobject_cast<QScrollBar*>(widget) != nullptr)
            continue;
        if (widget->parentWidget() != nullptr && qobject_cast<QLineEdit*>(widget->parentWidget()) != nullptr)
            continue;
        QAccessibleInterface* told = QAccessible::queryAccessibleInterface(widget);
        ASSERT_NE(told, nullptr);
        EXPECT_FALSE(told->text(QAccessible::Name).isEmpty()) << widget->metaObject()->className();
        ++seen;
    }
    EXPECT_GE(seen, 9);
}

TEST(ManualWithoutFiles, SaysWhereItWasLookedFor) {
    ManualWindow window(Manual({QStringLiteral("/nowhere/doc"), QStringLiteral("/elsewhere")}));
    window.openPage(QStringLiteral("benchmark.md"));
    EXPECT_TRUE(window.isVisible());
    EXPECT_EQ(window.browser(), nullptr);
    QString said;
    for (const QLabel* label : window.findChildren<QLabel*>()) said += label->text();
    EXPECT_TRUE(said.contains(QLatin1String("/nowhere/doc"))) << said.toStdString();
    EXPECT_TRUE(said.contains(QLatin1String("/elsewhere")));
}

TEST(ContextHelp, F1OpensThePageOfWhereOneIs) {
    Session session;
    MainWindow window(session);
    window.setInteractive(false);
    window.show();
    window.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    const auto here = [&] {
        window.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_F1);
        return window.manual() != nullptr ? window.manual()->browser()->page().toStdString() : "nothing";
    };
    EXPECT_EQ(here(), "window.md");
    window.operationsPanel().addFilter(6);
    window.operationsPanel().setFocus();
    const auto of = [&](const QWidget& focus) { return manualPlaceFor(window, &focus).page.toStdString(); };
    EXPECT_EQ(of(window.operationsPanel()), "filters.md");
    window.operationsPanel().addPool(iir2d::PoolOp::max);
    EXPECT_EQ(of(window.operationsPanel()), "pooling.md");
    EXPECT_EQ(of(window.devicePanel()), "gpu.md");
    window.setPage(MainWindow::Page::release);
    EXPECT_EQ(here(), "releases.md");
    window.setPage(MainWindow::Page::benchmark);
    EXPECT_EQ(here(), "benchmark.md");
    const Manual manual(docs);
    for (const auto tab :
         {BenchmarkPage::Tab::comparison, BenchmarkPage::Tab::duel, BenchmarkPage::Tab::history}) {
        window.benchmarkPage().setTab(tab);
        const ManualPlace place = manualPlaceFor(window, nullptr);
        EXPECT_TRUE(manual.markdown(place.page).contains(QStringLiteral("\n## In the window\n")));
        EXPECT_EQ(place.anchor, QStringLiteral("in-the-window"));
    }
    window.close();
    EXPECT_FALSE(window.manual()->isVisible()) << "it goes with the window";
}

class DialogHelpTest : public ::testing::Test {
  protected:
    void SetUp() override {
        window.setInteractive(false);
        window.show();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    }
    // Presses F1 in what is in front, and says where the manual is then.
    std::string placeOnF1(QWidget& dialog) {
        dialog.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&dialog));
        QTest::keyClick(dialog.windowHandle(), Qt::Key_F1);
        if (window.manual() == nullptr || !window.manual()->isVisible()) return "nothing";
        const ManualBrowser& browser = *window.manual()->browser();
        return (browser.page() + QLatin1Char('#') +
                browser.document()->findBlockByNumber(browser.topBlock()).text())
            .toStdString();
    }
    // Whether the manual takes what is typed.
    bool isUsable() {
        ManualWindow& manual = *window.manual();
        manual.activateWindow();
        if (!QTest::qWaitForWindowActive(&manual)) return false;
        manual.setQuery({});
        QTest::keyClick(manual.windowHandle(), Qt::Key_K, Qt::ControlModifier);
        QTest::keyClick(manual.windowHandle(), Qt::Key_X);
        for (const auto* edit : manual.findChildren<QLineEdit*>()) {
            if (edit->text() == QLatin1String("x")) return true;
        }
        return false;
    }

    Session session;
    MainWindow window{session};
};

TEST_F(DialogHelpTest, F1OpensTheSectionOfAModalDialogWhichStaysOpen) {
    auto* dialog = new NewReleaseDialog(QString(), &window.releasePage());
    dialog->show();
    EXPECT_EQ(placeOnF1(*dialog), "releases.md#In the window");
    EXPECT_TRUE(isUsable());
    EXPECT_TRUE(dialog->isVisible());
    dialog->close();
    EXPECT_TRUE(window.manual()->isVisible());
    EXPECT_TRUE(isUsable()) << "also when the dialog is gone";
}

TEST_F(DialogHelpTest, AManualThatIsOpenAlreadyCanBeUsedBesideADialog) {
    window.openManual(QStringLiteral("filters.md"));
    ASSERT_TRUE(isUsable());
    window.setPage(MainWindow::Page::benchmark);
    QMessageBox box(QMessageBox::Question, QStringLiteral("x"), QStringLiteral("?"), QMessageBox::Ok,
                    &window.benchmarkPage());
    box.open();
    box.setWindowModality(Qt::ApplicationModal);
    EXPECT_EQ(placeOnF1(box), "benchmark.md#What a benchmark measures, and how to read it");
    EXPECT_TRUE(isUsable());
}

TEST_F(DialogHelpTest, EveryPlaceOfADialogIsInTheManual) {
    const Manual manual(docs);
    for (const DialogPlace& each : dialogPlaces()) {
        QTextDocument document;
        readMarkdown(document, manual.markdown(each.place.page));
        QStringList anchors{QString()};
        for (const ManualHeading& heading : headingsOf(document)) anchors << heading.anchor;
        EXPECT_TRUE(anchors.contains(each.place.anchor)) << each.dialog->className();
    }
}

}  // namespace
}  // namespace workbench
