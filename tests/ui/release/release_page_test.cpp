// SPDX-License-Identifier: MIT
// What the page shows of a release, that it follows what others do to it, and what it lets be done.
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QTabWidget>
#include <cstdlib>

#include "core/release/log.h"
#include "core/release/store.h"
#include "core/support/files.h"
#include "tests/ui/release/release_page_fixture.h"
#include "ui/release/release_table.h"
#include "ui/release/release_table_models.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ReleasePageTest : public testing::ReleasePageFixture {
  protected:
    static QPushButton* yesOf(const QMessageBox& box) {
        for (auto* one : box.buttons()) {
            if (box.buttonRole(one) == QMessageBox::AcceptRole) return qobject_cast<QPushButton*>(one);
        }
        return nullptr;
    }
    template <class Model>
    std::string cell(int row, int column) const {
        const auto& model = *page->findChild<Model*>();
        return model.hasIndex(row, column) ? model.index(row, column).data().toString().toStdString()
                                           : "no cell";
    }
    template <class Model>
    int rows() const {
        return page->findChild<Model*>()->rowCount();
    }
};

TEST_F(ReleasePageTest, ShowsEachRequirementAsItStands) {
    begin(Stage::rc);
    ASSERT_TRUE(add("test-report", "tests.xml", testing::test_report(1)));
    ASSERT_TRUE(add("c-api-report", "c-api.xml", testing::test_report(2, false)));
    open();
    EXPECT_THAT(standing("A.tests"), StartsWith("A.tests, held: A green test report"));
    EXPECT_THAT(standing("A.c-api"), StartsWith("A.c-api, failed"));
    EXPECT_THAT(finding("A.c-api"), HasSubstr("evidence/c-api.xml: 1 test failed: A.works"));
    EXPECT_THAT(standing("A.parity"), StartsWith("A.parity, missing"));
    EXPECT_THAT(finding("A.parity"), HasSubstr("nothing is attached as parity-report"));
    EXPECT_THAT(standing("D.licence"), StartsWith("D.licence, later"));
    EXPECT_THAT(state(), HasSubstr("May not be promoted: A.parity: nothing is attached as parity-report"));
    // What supplies it stands beside it; what holds needs nothing.
    EXPECT_NE(button("A.parity", QStringLiteral("Attach…")), nullptr);
    EXPECT_EQ(button("A.parity", QStringLiteral("Waive…")), nullptr);
    EXPECT_NE(button("A.c-api", QStringLiteral("Waive…")), nullptr);
    EXPECT_EQ(button("A.tests", QStringLiteral("Attach…")), nullptr);
    EXPECT_NE(button("D.sign-off.qa-engineer", QStringLiteral("Sign off…")), nullptr);
    // Promote says why not.
    EXPECT_FALSE(page->commands().promote->isEnabled());
    EXPECT_THAT(page->commands().promote->toolTip().toStdString(),
                HasSubstr("A.parity: nothing is attached"));
    EXPECT_EQ(rows<EvidenceModel>(), 2);
    EXPECT_EQ(cell<EvidenceModel>(0, EvidenceModel::state), "matches");
    EXPECT_EQ(cell<EvidenceModel>(1, EvidenceModel::kind), "c-api-report");
    EXPECT_EQ(rows<SignOffModel>(), 4);
    EXPECT_EQ(cell<SignOffModel>(0, SignOffModel::state), "pending");
}

TEST_F(ReleasePageTest, OffersTheLastReleaseAgain) {
    begin(Stage::rc);
    open();
    Session later;  // reads what this one saved
    ReleasePage another(later);
    auto* link = another.findChild<QToolButton*>(QStringLiteral("lastRelease"));
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(link->text(), QStringLiteral("Open v1 again"));
    link->click();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !another.isBusy(); }, patience));
    ASSERT_NE(another.snapshot(), nullptr);
    fs::rename(directory, folder.path() / "moved");
    ReleasePage none(later);
    EXPECT_EQ(none.findChild<QToolButton*>(QStringLiteral("lastRelease")), nullptr);
}

TEST_F(ReleasePageTest, SaysThatAFolderIsNotARelease) {
    page->openDirectory(text(folder.path()));
    settle();
    EXPECT_EQ(page->snapshot(), nullptr);
    EXPECT_THAT(said(), HasSubstr("There is no release in"));
}

TEST_F(ReleasePageTest, SaysThatAForgedPromotionIsNotAccepted) {
    begin(Stage::ga);
    const std::string text = testing::read_text(directory / "log.jsonl");
    const auto log = *parse_log(text);
    testing::write_text(directory / "log.jsonl",
                        text + log_line(log, log.back().time.utc, {{"type", "promote"}}));
    ASSERT_TRUE(write_derived_files(directory, *load_state(directory)));
    open();
    EXPECT_THAT(state(), StartsWith("Not accepted: it could not be promoted as the log says: A.tests: "));
    EXPECT_FALSE(page->commands().promote->isEnabled());
}

TEST_F(ReleasePageTest, OffersNoSignatureWhereNobodyHoldsAKey) {
    ASSERT_TRUE(new_release(folder.path(), {.id = "v1", .commit = testing::release_commit, .holders = {}}));
    open();
    EXPECT_THAT(standing("D.sign-off.qa-engineer"), StartsWith("D.sign-off.qa-engineer, later"));
    EXPECT_EQ(button("D.sign-off.qa-engineer", QStringLiteral("Sign off…")), nullptr);
    EXPECT_EQ(cell<SignOffModel>(2, SignOffModel::why), "no key was named for it");
}

// The texts of a stranger's evidence are shown, but no longer than a label can bear.
TEST_F(ReleasePageTest, ShowsTheBeginningOfWhatIsTooLong) {
    begin(Stage::rc);
    ASSERT_TRUE(add("issues", "issues.json",
                    testing::issue_list(R"({"id": "1", "priority": "P0", "open": true, "title": ")" +
                                        std::string(1'000'000, 'x') + "\"}")));
    open();
    EXPECT_THAT(standing("A.p0"), StartsWith("A.p0, failed"));
    EXPECT_THAT(finding("A.p0"), StartsWith("open P0: 1 (xxx"));
    EXPECT_LT(finding("A.p0").size(), 600U);
}

TEST_F(ReleasePageTest, FollowsWhatAnotherProcessDoes) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    open();
    ASSERT_TRUE(add("parity-report", "parity.json", R"({"cases": [{"case": "a", "passed": true}]})"));
    waitForDisk();
    EXPECT_THAT(said("disk"), HasSubstr("Another process changed the release on disk: 1 change"));
    EXPECT_EQ(rows<EvidenceModel>(), 2);
    EXPECT_THAT(standing("A.parity"), StartsWith("A.parity, held"));
    // A file that was altered in place, and one that is gone.
    page->messages().clear(QStringLiteral("disk"));
    testing::write_text(directory / "evidence" / "parity.json", "{}");
    waitForDisk();
    EXPECT_THAT(said("disk"), HasSubstr("evidence/parity.json now is not what was attached"));
    EXPECT_EQ(cell<EvidenceModel>(1, EvidenceModel::state), "changed");
    EXPECT_THAT(standing("A.parity"), StartsWith("A.parity, failed"));
    page->messages().clear(QStringLiteral("disk"));
    fs::remove(directory / "evidence" / "a.txt");
    waitForDisk();
    EXPECT_EQ(cell<EvidenceModel>(0, EvidenceModel::state), "missing");
    EXPECT_THAT(page->findChild<QTabWidget*>()->tabText(0).toStdString(), HasSubstr("2 not as attached"));
    // Verifying says it in core's words.
    page->model().verify();
    settle();
    EXPECT_THAT(said(), HasSubstr("It does not verify:\nevidence/a.txt: "));
    page->model().exportTo(text(folder.path() / "v1.tar"));
    settle();
    EXPECT_THAT(said(), HasSubstr("does not verify is not exported"));
    EXPECT_FALSE(fs::exists(folder.path() / "v1.tar"));
    // The release is gone: nothing can be done to what is still shown.
    page->messages().clear(QStringLiteral("disk"));
    fs::rename(directory, folder.path() / "moved");
    waitForDisk();
    EXPECT_THAT(said("disk"), HasSubstr("There is no release in"));
    EXPECT_THAT(state(), HasSubstr("It could not be read again"));
    EXPECT_EQ(button("A.tests", QStringLiteral("Attach…")), nullptr);
    // And is back.
    fs::rename(folder.path() / "moved", directory);
    page->model().reload();
    settle();
    EXPECT_FALSE(page->messages().has(QStringLiteral("disk"))) << said("disk");
    EXPECT_NE(button("A.tests", QStringLiteral("Attach…")), nullptr);
}

TEST_F(ReleasePageTest, SaysNothingOfTheDiskAfterItsOwnChanges) {
    begin(Stage::rc);
    open();
    testing::write_text(folder.path() / "a.txt", "a");
    page->commands().attachEvidence(QStringLiteral("other"), text(folder.path() / "a.txt"));
    press(confirm());
    EXPECT_EQ(dialog(), nullptr);
    EXPECT_EQ(said(), "a.txt is attached as other.");
    QTest::qWait(700);  // the watcher tells of it
    settle();
    EXPECT_FALSE(page->messages().has(QStringLiteral("disk"))) << said("disk");
    EXPECT_EQ(rows<EvidenceModel>(), 1);
}

TEST_F(ReleasePageTest, ShowsHowLongWaiversCountAndThatTheyExpired) {
    begin(Stage::rc);
    // Written when its day had not passed.
    auto log = *parse_log(testing::read_text(directory / "log.jsonl"));
    const std::string line = log_line(log, "2001-01-01T00:00:00Z",
                                      {{"type", "waive"},
                                       {"scope", "A.c-api"},
                                       {"risk", "r"},
                                       {"owner", "O. Wner"},
                                       {"expires", "2001-01-02"}});
    testing::write_text(directory / "log.jsonl", testing::read_text(directory / "log.jsonl") + line);
    ASSERT_TRUE(write_derived_files(directory, *load_state(directory)));
    ASSERT_TRUE(waive(directory, {"B.smoke", "no time", "P. Erson", "2999-12-31", ""}));
    open();
    ASSERT_EQ(rows<WaiverModel>(), 2);
    EXPECT_EQ(cell<WaiverModel>(0, WaiverModel::state), "expired");
    EXPECT_THAT(cell<WaiverModel>(0, WaiverModel::left), HasSubstr("days ago"));
    EXPECT_EQ(cell<WaiverModel>(0, WaiverModel::owner), "O. Wner");
    EXPECT_EQ(cell<WaiverModel>(1, WaiverModel::state), "counts");
    EXPECT_THAT(cell<WaiverModel>(1, WaiverModel::left), Not(HasSubstr("ago")));
    EXPECT_EQ(cell<WaiverModel>(1, WaiverModel::risk), "no time");
    EXPECT_THAT(standing("A.c-api"), StartsWith("A.c-api, missing"));
    EXPECT_THAT(standing("B.smoke"), StartsWith("B.smoke, waived"));
    EXPECT_EQ(page->findChild<QTabWidget*>()->tabText(1), QStringLiteral("Waivers (1)"));
}

TEST_F(ReleasePageTest, PromotesOnlyWhatMayBeAndThenIsClosed) {
    begin(Stage::ga);
    add_all();
    for (const auto role : release_roles) {
        if (role == "product-lead") continue;
        ASSERT_TRUE(sign(std::string(role)));
    }
    open();
    EXPECT_FALSE(page->commands().promote->isEnabled());
    EXPECT_THAT(state(), HasSubstr("D.sign-off.product-lead: the product-lead has not signed"));
    page->commands().promoteRelease();
    EXPECT_EQ(dialog(), nullptr);
    // Evidence that comes later: signed is signed no more, and the table says why.
    ASSERT_TRUE(add("other", "late.txt", "late"));
    waitForDisk();
    EXPECT_EQ(cell<SignOffModel>(0, SignOffModel::state), "stale");
    EXPECT_THAT(cell<SignOffModel>(0, SignOffModel::why), HasSubstr("evidence or waivers came later"));
    for (const auto role : release_roles) ASSERT_TRUE(sign(std::string(role)));
    page->model().reload();
    settle();
    EXPECT_EQ(cell<SignOffModel>(0, SignOffModel::state), "valid");
    EXPECT_EQ(cell<SignOffModel>(0, SignOffModel::person), "A Person");
    EXPECT_THAT(state(), StartsWith("May be promoted"));
    ASSERT_TRUE(page->commands().promote->isEnabled());
    page->commands().promoteRelease();
    auto* box = qobject_cast<QMessageBox*>(dialog());
    ASSERT_NE(box, nullptr);
    press(qobject_cast<QPushButton*>(box->button(QMessageBox::Cancel)));
    EXPECT_FALSE(load_release(directory)->state.promoted_utc);
    page->commands().promoteRelease();
    box = qobject_cast<QMessageBox*>(dialog());
    press(yesOf(*box));
    EXPECT_EQ(said(), "The release is promoted.");
    EXPECT_TRUE(load_release(directory)->state.promoted_utc);
    EXPECT_THAT(state(), HasSubstr("and closed"));
    EXPECT_FALSE(page->commands().promote->isEnabled());
    EXPECT_GT(page->board().findChildren<QToolButton*>().count(), 20);
    for (auto* one : page->board().findChildren<QToolButton*>()) EXPECT_FALSE(one->isVisible());
    page->commands().attachEvidence();
    EXPECT_EQ(dialog(), nullptr);
    // What is exported verifies where it is unpacked.
    page->model().exportTo(text(folder.path() / "v1.tar.gz"));
    settle();
    EXPECT_THAT(said(), HasSubstr("SHA-256 " + *sha256_of_file(folder.path() / "v1.tar.gz")));
    fs::create_directory(folder.path() / "out");
    ASSERT_EQ(std::system(("tar -xf '" + (folder.path() / "v1.tar.gz").string() + "' -C '" +
                           (folder.path() / "out").string() + "'")
                              .c_str()),
              0);
    EXPECT_THAT(verify_release(folder.path() / "out" / "v1")->problems, IsEmpty());
    page->model().verify();
    settle();
    EXPECT_THAT(said(), StartsWith("Verified: accepted, "));
}

TEST_F(ReleasePageTest, SaysWhyAPromotionIsRefusedMeanwhile) {
    begin(Stage::dev);
    ASSERT_TRUE(add("test-report", "t.xml", testing::test_report(1)));
    ASSERT_TRUE(add("c-api-report", "c.xml", testing::test_report(2)));
    ASSERT_TRUE(add("parity-report", "p.json", R"({"cases": [{"case": "a", "passed": true}]})"));
    ASSERT_TRUE(add("issues", "i.json", testing::issue_list()));
    open();
    ASSERT_TRUE(page->commands().promote->isEnabled());
    page->commands().promoteRelease();
    auto* box = qobject_cast<QMessageBox*>(dialog());
    ASSERT_TRUE(add("test-report", "t2.xml", testing::test_report(3, false)));
    press(yesOf(*box));
    EXPECT_THAT(said(), HasSubstr("The release may not be promoted: A.tests"));
    EXPECT_THAT(standing("A.tests"), StartsWith("A.tests, failed"));
    EXPECT_FALSE(page->commands().promote->isEnabled());
}

TEST_F(ReleasePageTest, SaysThatItMayBeOutdatedWhenReadingAgainWasCancelled) {
    begin(Stage::rc);
    add_all();
    open();
    page->model().reload();
    page->cancel();
    settle();
    EXPECT_THAT(said("disk"), HasSubstr("may not be what is shown"));
    page->model().reload();
    settle();
    EXPECT_FALSE(page->messages().has(QStringLiteral("disk"))) << said("disk");
}

TEST_F(ReleasePageTest, CanBeCancelledAndClosedAtAnyMoment) {
    begin(Stage::ga);
    add_all();
    open();
    page->model().exportTo(text(folder.path() / "v1.tar.gz"));
    page->cancel();
    settle();
    EXPECT_EQ(said(), "Exporting was cancelled; nothing was written.");
    EXPECT_FALSE(fs::exists(folder.path() / "v1.tar.gz"));
    page->model().exportTo(text(folder.path() / "v1.tar.gz"));
    page.reset();  // joins
    EXPECT_FALSE(fs::exists(folder.path() / "v1.tar.gz"));
    for (const auto& entry : fs::directory_iterator(folder.path()))
        EXPECT_FALSE(entry.path().filename().string().starts_with(".iir2d-")) << entry.path();
}

// A finding of two lines after one of one line, with other buttons beside it.
TEST_F(ReleasePageTest, GivesEachFindingTheRoomThatItNeedsInAnotherRelease) {
    begin(Stage::rc);
    for (const char* kind : {"test-report", "c-api-report"})
        ASSERT_TRUE(add(kind, std::string(kind) + ".xml", testing::test_report(1)));
    open();
    ASSERT_TRUE(new_release(folder.path(), {.id = "v2", .commit = testing::release_commit, .holders = {}}));
    page->openDirectory(text(folder.path() / "v2"));
    settle();
    ASSERT_EQ(page->snapshot()->release.state.id, "v2");
    int labels = 0;
    for (auto* label : page->board().findChildren<QLabel*>()) {
        if (!label->wordWrap() || !label->isVisible()) continue;
        ++labels;
        EXPECT_GE(label->height(), label->heightForWidth(label->width())) << label->text().toStdString();
    }
    EXPECT_GE(labels, int(2 * page->snapshot()->release.evaluation.requirements.size()));
}

class ReleaseTableTest : public ReleasePageTest {
  protected:
    ReleaseTable& table() const { return *page->findChild<ReleaseTable*>(QStringLiteral("evidenceTable")); }
    // As shown, from above.
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (int row = 0; row < table().model()->rowCount(); ++row)
            names.push_back(table().model()->index(row, EvidenceModel::file).data().toString().toStdString());
        return names;
    }
    void clickHeader(int column) {
        QHeaderView& header = *table().horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, Qt::NoModifier,
                          QPoint(header.sectionViewportPosition(column) + 10, header.height() / 2));
    }
    void addFiles(std::initializer_list<const char*> names) {
        for (const char* name : names) ASSERT_TRUE(add("other", name, name));
    }
};

TEST_F(ReleaseTableTest, SortsByTheHeaderThatIsClickedAndBack) {
    begin(Stage::rc);
    addFiles({"b.txt", "c.txt", "a.txt"});
    open();
    EXPECT_THAT(files(), ElementsAre("b.txt", "c.txt", "a.txt")) << "as they were attached";
    EXPECT_FALSE(table().horizontalHeader()->isSortIndicatorShown());
    clickHeader(EvidenceModel::file);
    EXPECT_THAT(files(), ElementsAre("a.txt", "b.txt", "c.txt"));
    EXPECT_TRUE(table().horizontalHeader()->isSortIndicatorShown());
    clickHeader(EvidenceModel::file);
    EXPECT_THAT(files(), ElementsAre("c.txt", "b.txt", "a.txt"));
    clickHeader(EvidenceModel::file);
    EXPECT_THAT(files(), ElementsAre("b.txt", "c.txt", "a.txt"));
    EXPECT_FALSE(table().horizontalHeader()->isSortIndicatorShown());
}

TEST_F(ReleaseTableTest, KeepsWhatIsSelectedWhenTheReleaseIsReadAgain) {
    begin(Stage::rc);
    addFiles({"b.txt", "c.txt"});
    open();
    table().sortByColumn(EvidenceModel::file, Qt::AscendingOrder);
    table().selectRow(1);
    ASSERT_EQ(table().currentIndex().siblingAtColumn(EvidenceModel::file).data().toString(),
              QStringLiteral("c.txt"));
    addFiles({"a.txt"});
    waitForDisk();
    EXPECT_THAT(files(), ElementsAre("a.txt", "b.txt", "c.txt")) << "and it is still sorted";
    const auto selected = table().selectionModel()->selectedRows(EvidenceModel::file);
    ASSERT_EQ(selected.size(), 1);
    EXPECT_EQ(selected[0].data().toString(), QStringLiteral("c.txt"));
    EXPECT_EQ(selected[0].row(), 2);
}

TEST_F(ReleaseTableTest, CopiesTheRowsThatAreSelectedAsTheyAreShown) {
    begin(Stage::rc);
    addFiles({"b.txt", "a.txt"});
    open();
    table().sortByColumn(EvidenceModel::file, Qt::AscendingOrder);
    table().selectAll();
    table().copySelection();
    const auto& attached = page->snapshot()->release.state.attachments;
    const auto line = [&](const Attachment& a) {
        return "matches\tother\t" + a.name + "\t\t" + a.sha256 + "\t" + a.utc;
    };
    EXPECT_EQ(QApplication::clipboard()->text().toStdString(),
              line(attached.at(1)) + "\n" + line(attached.at(0)));
    EXPECT_EQ(table().accessibleName(), QStringLiteral("Evidence"));
}

}  // namespace
}  // namespace workbench
