// SPDX-License-Identifier: MIT
// The release page's state, without a page: no QApplication is there, so that any widget would end the test.
#include "ui/release/release_model.h"

#include <gmock/gmock.h>

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTest>

#include "core/support/files.h"
#include "tests/core/release/release_fixture.h"
#include "ui/release/release_table_models.h"
#include "ui/support/paths.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ReleaseModelTest : public testing::ReleaseFixture {
  protected:
    static constexpr int patience = 20000;

    void SetUp() override {
        ReleaseFixture::SetUp();
        for (const auto& [role, key] : keys) ASSERT_TRUE(key.save(folder.path() / role));
    }
    void settle() {
        EXPECT_TRUE(QTest::qWaitFor([this] { return !model.isBusy(); }, patience));
        QCoreApplication::processEvents();
    }
    void open() {
        model.open(directory);
        settle();
        ASSERT_NE(model.snapshot(), nullptr) << said(ReleaseSubject::work);
    }
    std::string said(ReleaseSubject subject) const {
        const ReleaseMessage* message = model.message(subject);
        return message ? message->text.toStdString() : std::string();
    }
    std::string standing() const { return model.standing().toStdString(); }
    void write(const char* name, const std::string& content) {
        testing::write_text(folder.path() / name, content);
    }
    void attachOther(const char* name) {
        write(name, name);
        model.attach("other", folder.path() / name, "", "");
    }

    ReleaseModel model;
};

TEST_F(ReleaseModelTest, HasNothingToDoBeforeAReleaseIsOpen) {
    EXPECT_EQ(model.snapshot(), nullptr);
    EXPECT_FALSE(model.mayChange());
    EXPECT_FALSE(model.mayPromote());
    EXPECT_EQ(standing(), "Open a release first");
    model.reload();
    model.verify();
    model.promote();
    model.exportTo(fromPath(folder.path() / "none.tar"));
    attachOther("a.txt");
    EXPECT_FALSE(model.isBusy());
}

TEST_F(ReleaseModelTest, OpensAReleaseAndSaysHowItStands) {
    begin(Stage::rc);
    const QSignalSpy opened(&model, &ReleaseModel::opened);
    const QSignalSpy started(&model, &ReleaseModel::jobStarted);
    model.open(directory);
    EXPECT_TRUE(model.isBusy());
    EXPECT_TRUE(model.isWorking());
    EXPECT_FALSE(model.isChanging());
    settle();
    ASSERT_NE(model.snapshot(), nullptr);
    EXPECT_EQ(model.snapshot()->release.state.id, "v1");
    EXPECT_THAT(standing(),
                StartsWith("May not be promoted: A.tests: nothing is attached as test-report (and "));
    EXPECT_TRUE(model.mayChange());
    EXPECT_FALSE(model.mayPromote());
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toString(), fromPath(directory));
    EXPECT_EQ(started[0][0].toString(), QStringLiteral("Reading the release"));
    model.reload();
    settle();
    EXPECT_EQ(opened.count(), 1) << "it is the same release";
}

TEST_F(ReleaseModelTest, SaysThatAFolderIsNotARelease) {
    model.open(folder.path());
    settle();
    EXPECT_EQ(model.snapshot(), nullptr);
    EXPECT_THAT(said(ReleaseSubject::work), StartsWith("There is no release in"));
    EXPECT_EQ(model.message(ReleaseSubject::work)->severity, ReleaseMessage::Severity::error);
}

TEST_F(ReleaseModelTest, AttachesWaivesSignsAndPromotes) {
    begin(Stage::dev);
    open();
    const QSignalSpy done(&model, &ReleaseModel::changeDone);
    const auto attach = [&](const char* kind, const char* name, const std::string& content) {
        write(name, content);
        model.attach(kind, folder.path() / name, "", testing::release_commit);
        EXPECT_TRUE(model.isChanging());
        settle();
        EXPECT_EQ(said(ReleaseSubject::work), std::string(name) + " is attached as " + kind + ".");
    };
    attach("test-report", "t.xml", testing::test_report(1));
    attach("parity-report", "p.json", R"({"cases": [{"case": "a", "passed": true}]})");
    attach("issues", "i.json", testing::issue_list());
    EXPECT_THAT(standing(), HasSubstr("A.c-api"));
    model.waive({"A.c-api", "a risk", "O. Wner", "2999-12-31", ""});
    settle();
    EXPECT_EQ(said(ReleaseSubject::work), "A.c-api is waived until 2999-12-31.");
    model.signOff("qa-engineer", "Q. Engineer", folder.path() / "qa-engineer",
                  model.snapshot()->release.state.seen());
    settle();
    EXPECT_EQ(said(ReleaseSubject::work), "Q. Engineer signed off as qa-engineer.");
    EXPECT_EQ(model.snapshot()->signOffsThatHold(), 1);
    EXPECT_EQ(model.snapshot()->waiversThatCount(), 1);
    EXPECT_THAT(standing(), StartsWith("May be promoted"));
    ASSERT_TRUE(model.mayPromote());
    model.promote();
    settle();
    EXPECT_THAT(standing(), StartsWith("Promoted on "));
    EXPECT_FALSE(model.mayChange());
    EXPECT_EQ(done.count(), 6);
    model.verify();
    settle();
    EXPECT_THAT(said(ReleaseSubject::work), StartsWith("Verified: accepted, "));
    const QString archive = fromPath(folder.path() / "v1.tar");
    model.exportTo(archive);
    settle();
    const ReleaseMessage& message = *model.message(ReleaseSubject::work);
    EXPECT_EQ(message.offer, ReleaseMessage::Offer::archive);
    EXPECT_EQ(message.archive, archive);
    EXPECT_EQ(message.sha256.toStdString(), *sha256_of_file(folder.path() / "v1.tar"));
}

TEST_F(ReleaseModelTest, BeginsAReleaseAndOpensIt) {
    std::map<std::string, std::string> files;
    for (const auto& [role, key] : keys) files[role] = (folder.path() / (role + ".pub")).string();
    const NewRelease plan{.id = "v9", .stage = Stage::rc, .commit = testing::release_commit, .holders = {}};
    const fs::path base = folder.path() / "releases";
    const QSignalSpy refused(&model, &ReleaseModel::changeRefused);
    model.begin(base, plan, {});
    settle();
    ASSERT_EQ(refused.count(), 1);
    EXPECT_THAT(refused[0][0].toString().toStdString(),
                StartsWith("The stage rc needs a key of the kernel-engineer"));
    model.begin(base, plan, files);
    settle();
    ASSERT_NE(model.snapshot(), nullptr) << said(ReleaseSubject::work);
    EXPECT_EQ(model.snapshot()->directory, base / "v9");
    EXPECT_EQ(said(ReleaseSubject::work), "The release v9 was begun.");
}

TEST_F(ReleaseModelTest, SaysWhyAChangeIsRefusedAndShowsTheReleaseAsItIs) {
    begin(Stage::rc);
    open();
    const std::string shown = model.snapshot()->release.state.seen();
    ASSERT_TRUE(add("other", "late.txt", "late"));
    const QSignalSpy refused(&model, &ReleaseModel::changeRefused);
    model.signOff("qa-engineer", "Q", folder.path() / "qa-engineer", shown);
    settle();
    ASSERT_EQ(refused.count(), 1);
    EXPECT_THAT(said(ReleaseSubject::work), HasSubstr("look at it again"));
    EXPECT_EQ(model.snapshot()->release.state.attachments.size(), 1U);
    EXPECT_THAT(load_release(directory)->state.sign_offs, IsEmpty());
}

TEST_F(ReleaseModelTest, TakesOnePieceOfWorkAtATime) {
    begin(Stage::rc);
    open();
    attachOther("a.txt");
    EXPECT_FALSE(model.mayChange());
    attachOther("b.txt");  // not while the first is under way
    model.verify();
    settle();
    EXPECT_EQ(model.snapshot()->release.state.attachments.size(), 1U);
    EXPECT_EQ(said(ReleaseSubject::work), "a.txt is attached as other.");
}

TEST_F(ReleaseModelTest, EndsAReadingForWhatAPersonAsksFor) {
    begin(Stage::rc);
    add_all();
    open();
    model.reload();
    EXPECT_FALSE(model.isWorking());
    EXPECT_TRUE(model.mayChange());
    attachOther("a.txt");
    EXPECT_TRUE(model.isChanging());
    settle();
    EXPECT_EQ(said(ReleaseSubject::work), "a.txt is attached as other.");
    EXPECT_EQ(model.message(ReleaseSubject::disk), nullptr) << said(ReleaseSubject::disk);
}

TEST_F(ReleaseModelTest, ReadsAgainAfterWhatOvertookAReading) {
    begin(Stage::rc);
    open();
    // A person asks for something at the moment when the release is read again.
    bool overtaken = false;
    QObject::connect(&model, &ReleaseModel::jobStarted, &model, [&](const QString&, bool asked) {
        if (!asked && !std::exchange(overtaken, true)) model.verify();
    });
    ASSERT_TRUE(add("other", "late.txt", "late"));
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return model.snapshot()->release.state.attachments.size() == 1; }, patience));
    EXPECT_TRUE(overtaken);
    settle();
    EXPECT_THAT(said(ReleaseSubject::work), StartsWith("Verified: accepted, "));
}

TEST_F(ReleaseModelTest, FollowsWhatAnotherProcessDoes) {
    begin(Stage::rc);
    open();
    QSignalSpy onDisk(&model, &ReleaseModel::changedOnDisk);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    ASSERT_TRUE(onDisk.wait(patience));
    EXPECT_THAT(said(ReleaseSubject::disk),
                HasSubstr("Another process changed the release on disk: 1 change"));
    EXPECT_EQ(model.snapshot()->release.state.attachments.size(), 1U);
    settle();
    testing::write_text(directory / "evidence" / "a.txt", "b");
    ASSERT_TRUE(onDisk.wait(patience));
    EXPECT_THAT(said(ReleaseSubject::disk), HasSubstr("evidence/a.txt now is not what was attached"));
    EXPECT_EQ(model.snapshot()->evidenceNotAsAttached(), 1);
    settle();
    fs::rename(directory, folder.path() / "moved");
    EXPECT_TRUE(QTest::qWaitFor([&] { return model.isUnreadable(); }, patience));
    EXPECT_FALSE(model.mayChange());
    EXPECT_TRUE(model.isRejected());
    EXPECT_THAT(standing(), StartsWith("It could not be read again"));
    settle();
    fs::rename(folder.path() / "moved", directory);
    model.reload();
    settle();
    EXPECT_TRUE(model.mayChange());
    EXPECT_EQ(model.message(ReleaseSubject::disk), nullptr) << said(ReleaseSubject::disk);
}

TEST_F(ReleaseModelTest, OffersToReadAgainWhenAReadingWasCancelled) {
    begin(Stage::rc);
    add_all();
    open();
    model.reload();
    model.cancel();
    settle();
    ASSERT_NE(model.message(ReleaseSubject::disk), nullptr);
    EXPECT_EQ(model.message(ReleaseSubject::disk)->offer, ReleaseMessage::Offer::readAgain);
    model.reload();
    settle();
    EXPECT_EQ(model.message(ReleaseSubject::disk), nullptr) << said(ReleaseSubject::disk);
}

TEST_F(ReleaseModelTest, ChangesNothingWhenItIsCancelledOrGoes) {
    begin(Stage::rc);
    add_all();
    open();
    const fs::path archive = folder.path() / "v1.tar.gz";
    model.exportTo(fromPath(archive));
    model.cancel();
    settle();
    EXPECT_EQ(said(ReleaseSubject::work), "Exporting was cancelled; nothing was written.");
    {
        ReleaseModel another;
        another.open(directory);
        EXPECT_TRUE(QTest::qWaitFor([&] { return !another.isBusy(); }, patience));
        another.exportTo(fromPath(archive));
    }
    QCoreApplication::processEvents();
    EXPECT_FALSE(fs::exists(archive));
}

// The tables, as views read them.
class ReleaseTableModelsTest : public ReleaseModelTest {
  protected:
    static std::string cell(const QAbstractItemModel& table, int row, int column,
                            int role = Qt::DisplayRole) {
        return table.index(row, column).data(role).toString().toStdString();
    }
};

TEST_F(ReleaseTableModelsTest, ShowEvidenceWithTheStateOfItsFile) {
    begin(Stage::rc);
    ASSERT_TRUE(add("test-report", "t.xml", testing::test_report(1)));
    ASSERT_TRUE(add("other", "a.txt", "a"));
    testing::write_text(directory / "evidence" / "a.txt", "b");
    open();
    EvidenceModel table;
    table.show(*model.snapshot());
    ASSERT_EQ(table.rowCount(), 2);
    EXPECT_EQ(cell(table, 0, EvidenceModel::state), "matches");
    EXPECT_EQ(cell(table, 1, EvidenceModel::state), "changed");
    EXPECT_THAT(cell(table, 1, EvidenceModel::state, Qt::ToolTipRole), HasSubstr("its SHA-256 is"));
    EXPECT_EQ(table.index(1, EvidenceModel::state).data(ReleaseTableModel::markRole).toInt(), int(Mark::bad));
    EXPECT_FALSE(table.index(1, EvidenceModel::kind).data(ReleaseTableModel::markRole).isValid());
    EXPECT_EQ(cell(table, 0, EvidenceModel::commit), testing::release_commit.substr(0, 12));
    EXPECT_EQ(cell(table, 0, EvidenceModel::commit, ReleaseTableModel::wholeRole), testing::release_commit);
    EXPECT_EQ(table.headerData(EvidenceModel::hash, Qt::Horizontal).toString(), QStringLiteral("SHA-256"));
}

TEST_F(ReleaseTableModelsTest, ShowWaiversByTheirDaysAndSignOffsByTheirRoles) {
    begin(Stage::rc);
    ASSERT_TRUE(workbench::waive(directory, {"B.smoke", "no time", "P. Erson", "2999-12-31", ""}));
    ASSERT_TRUE(sign("qa-engineer"));
    open();
    WaiverModel waivers;
    waivers.show(*model.snapshot());
    ASSERT_EQ(waivers.rowCount(), 1);
    EXPECT_EQ(cell(waivers, 0, WaiverModel::state), "counts");
    EXPECT_GT(waivers.index(0, WaiverModel::left).data(ReleaseTableModel::sortRole).toInt(), 300'000);
    SignOffModel signOffs;
    signOffs.show(*model.snapshot());
    ASSERT_EQ(signOffs.rowCount(), int(release_roles.size()));
    EXPECT_EQ(cell(signOffs, 0, SignOffModel::state), "pending");
    EXPECT_EQ(cell(signOffs, 2, SignOffModel::role), "qa-engineer");
    EXPECT_EQ(cell(signOffs, 2, SignOffModel::state), "valid");
    EXPECT_EQ(cell(signOffs, 2, SignOffModel::person), "A Person");
}

TEST_F(ReleaseTableModelsTest, KeepRowsThatAreStillThere) {
    begin(Stage::rc);
    ASSERT_TRUE(add("other", "a.txt", "a"));
    open();
    EvidenceModel table;
    table.show(*model.snapshot());
    const QPersistentModelIndex first = table.index(0, EvidenceModel::file);
    const QSignalSpy inserted(&table, &QAbstractItemModel::rowsInserted);
    const QSignalSpy reset(&table, &QAbstractItemModel::modelReset);
    ASSERT_TRUE(add("other", "b.txt", "b"));
    table.show(**readSnapshot(directory, {}));
    EXPECT_EQ(inserted.count(), 1);
    EXPECT_EQ(reset.count(), 0);
    EXPECT_EQ(table.rowCount(), 2);
    ASSERT_TRUE(first.isValid());
    EXPECT_EQ(first.data().toString(), QStringLiteral("a.txt"));
    // Another release has other rows.
    ASSERT_TRUE(new_release(folder.path(), {.id = "v2", .commit = testing::release_commit, .holders = {}}));
    table.show(**readSnapshot(folder.path() / "v2", {}));
    EXPECT_EQ(table.rowCount(), 0);
    EXPECT_FALSE(first.isValid());
}

TEST(ReleasePaths, LeadToTheReleaseThatTheyAreOf) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(new_release(folder.path(), {.id = "v1", .commit = testing::release_commit, .holders = {}}));
    const QString release = fromPath(folder.path() / "v1");
    EXPECT_EQ(releaseAt(release), release);
    EXPECT_EQ(releaseAt(release + QStringLiteral("/release.json")), release);
    EXPECT_EQ(releaseAt(release + QStringLiteral("/log.jsonl")), release);
    EXPECT_EQ(releaseAt(release + QStringLiteral("/evidence")), QString());
    EXPECT_EQ(releaseAt(fromPath(folder.path())), QString());
}

}  // namespace
}  // namespace workbench
