// SPDX-License-Identifier: MIT
#include "ui/session/saved_state.h"

#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QUndoStack>
#include <fstream>

#include "core/support/files.h"
#include "ui/session/session.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;

QString u(const char* text) {
    return QString::fromUtf8(text);
}

Recipe deriche(double sigma) {
    return {.name = "né",
            .operations = {{.what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", sigma}}}}}};
}

SavedState fullState() {
    return {.savedUtc = u("2026-01-02T03:04:05.678Z"),
            .image = u("/pictures/für Elise.png"),
            .imageIndex = 2,
            .page = u("benchmark"),
            .device = u("cuda:0"),
            .threads = 3,
            .view = {.fitted = false,
                     .zoom = 2.5,
                     .x = 17.25,
                     .y = 3,
                     .split = true,
                     .splitPosition = 0.25,
                     .exposure = -1.5,
                     .gamma = 2.2},
            .history = {.recipes = {{}, deriche(0.5), deriche(0.30000000000000004)},
                        .steps = {u("Add Deriche"), u("Change sigma")},
                        .position = 1,
                        .clean = -1},
            .recipeFile = u("/recipes/a.json"),
            .selectedRow = 0,
            .results = {0, 2}};
}

class SavedStateTest : public ::testing::Test {
  protected:
    QTemporaryDir temporary;
    fs::path folder = fs::path(temporary.path().toStdU16String()) / "state";
};

TEST_F(SavedStateTest, ReadsBackWhatWasWritten) {
    const auto read = savedStateFrom(toJson(fullState()));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, fullState());
    EXPECT_FALSE(fullState().isEmpty());
    EXPECT_TRUE(SavedState{}.isEmpty());
}

TEST_F(SavedStateTest, RefusesWhatIsNoState) {
    for (const char* text : {"", "[]", "{", "{}", R"({"schema_version": 2, "recipes": [], "position": 0})",
                             R"({"schema_version": 1, "recipes": ["{}"], "position": 0})",
                             R"({"schema_version": 1, "recipes": [], "position": 0})"}) {
        EXPECT_FALSE(savedStateFrom(text)) << text;
    }
}

TEST_F(SavedStateTest, OffersWhatEndedAndNothingElse) {
    auto living = StateFile::create(folder);
    ASSERT_TRUE(living) << living.error().message;
    ASSERT_TRUE(living->write(fullState()));
    SavedState older = fullState();
    older.savedUtc = u("2025-01-02T03:04:05.678Z");
    {
        const auto first = StateFile::create(folder);
        const auto second = StateFile::create(folder);
        ASSERT_TRUE(first->write(older));
        ASSERT_TRUE(second->write(fullState()));
        EXPECT_TRUE(claimEndedSessions(folder).empty()) << "all three windows live";
    }
    auto ended = claimEndedSessions(folder);
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].state.savedUtc, fullState().savedUtc) << "newest first";
    EXPECT_EQ(ended[1].state.savedUtc, older.savedUtc);
    EXPECT_TRUE(claimEndedSessions(folder).empty()) << "they are being offered already";
    ended[0].file.remove();
    ended.clear();
    ended = claimEndedSessions(folder);
    ASSERT_EQ(ended.size(), 1U) << "what was not answered is offered again";
    EXPECT_EQ(ended[0].state.savedUtc, older.savedUtc);
    ended[0].file.remove();
    living->remove();
    ended.clear();
    EXPECT_TRUE(fs::is_empty(folder)) << "nothing is left behind";
}

TEST_F(SavedStateTest, ADamagedFileIsKeptAsideAndResultsThatAreGoneAreNotOffered) {
    fs::path damaged;
    {
        const auto file = StateFile::create(folder);
        const auto other = StateFile::create(folder);
        ASSERT_TRUE(other->write(fullState()));  // says that there are results
        damaged = file->path();
        std::ofstream(damaged) << "{";
    }
    const auto ended = claimEndedSessions(folder);
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_TRUE(ended[0].state.results.empty());
    EXPECT_FALSE(fs::exists(damaged));
    damaged += ".damaged";
    EXPECT_TRUE(fs::exists(damaged));
}

TEST_F(SavedStateTest, ResultsBesideADamagedFileAreOfferedWithoutIt) {
    fs::path state;
    {
        const auto file = StateFile::create(folder);
        ASSERT_TRUE(file->writeResults(3, "third"));
        ASSERT_TRUE(file->writeResults(11, "eleventh"));
        state = file->path();
        std::ofstream(state) << "{";
    }
    for (const char* time : {"at once", "again when it was not answered"}) {
        const auto ended = claimEndedSessions(folder);
        ASSERT_EQ(ended.size(), 1U) << time;
        EXPECT_EQ(ended[0].state.results, (std::vector{3, 11})) << time;
        EXPECT_FALSE(ended[0].state.savedUtc.isEmpty());
        EXPECT_EQ(read_file(ended[0].file.resultsPath(11)), "eleventh");
    }
    claimEndedSessions(folder)[0].file.remove();
    state += ".damaged";
    fs::remove(state);
    EXPECT_TRUE(fs::is_empty(folder)) << "nothing is left behind";
}

TEST_F(SavedStateTest, ResultsOfAnOlderVersionAreOffered) {
    SavedState saved = fullState();
    saved.results = {};
    {
        const auto file = StateFile::create(folder);
        ASSERT_TRUE(file->write(saved));
        std::string name = file->path().string();
        name.replace(name.rfind(".session.json"), std::string::npos, ".results.json");
        std::ofstream(name) << "old";
    }
    saved.results = {0};
    for (const char* time : {"at once", "again when it was not answered"}) {
        const auto ended = claimEndedSessions(folder);
        ASSERT_EQ(ended.size(), 1U) << time;
        EXPECT_EQ(ended[0].state, saved) << time;
        EXPECT_EQ(read_file(ended[0].file.resultsPath(0)), "old") << time;
    }
    claimEndedSessions(folder)[0].file.remove();
    EXPECT_TRUE(fs::is_empty(folder)) << "nothing is left behind";
}

TEST_F(SavedStateTest, TheStateFolderCanBeChosen) {
    const QByteArray chosen = qgetenv("IIR2D_STATE_DIR");
    qputenv("IIR2D_STATE_DIR", "/somewhere/else");
    EXPECT_EQ(stateDirectory(), "/somewhere/else");
    qunsetenv("IIR2D_STATE_DIR");
    const QByteArray kept = qgetenv("XDG_STATE_HOME");
    qputenv("XDG_STATE_HOME", "/state");
    EXPECT_EQ(stateDirectory(), "/state/iir2d-workbench");
    qputenv("XDG_STATE_HOME", kept);
    qputenv("IIR2D_STATE_DIR", chosen);
}

TEST(SessionHistory, GoesWithItsStepsIntoAnotherSession) {
    Session from;
    from.changeRecipe(u("Add"), deriche(1));
    from.undoStack()->setClean();
    for (int i = 2; i <= 9; ++i) from.changeRecipe(u("Drag"), deriche(i), 7);
    from.endMerge();
    from.changeRecipe(u("Change"), deriche(20));
    from.undoStack()->undo();
    const RecipeHistory history = from.history();
    EXPECT_EQ(history.steps, QStringList({u("Add"), u("Drag"), u("Change")}));
    EXPECT_EQ(history.position, 2);
    EXPECT_EQ(history.clean, 1);

    Session into;
    QSignalSpy changed(&into, &Session::recipeChanged);
    into.restoreHistory(history);
    EXPECT_EQ(changed.size(), 1) << "only the recipe in force is shown";
    EXPECT_EQ(into.history(), history);
    EXPECT_EQ(into.recipe(), deriche(9));
    EXPECT_TRUE(into.isRecipeModified());
    into.undoStack()->undo();
    EXPECT_EQ(into.recipe(), deriche(1));
    EXPECT_FALSE(into.isRecipeModified());
    into.undoStack()->undo();
    EXPECT_EQ(into.recipe(), Recipe{});
    into.undoStack()->setIndex(3);
    EXPECT_EQ(into.recipe(), deriche(20));
}

TEST(SessionHistory, KeepsTheNewestStepsAndTheRecipeInForce) {
    Session session;
    for (int i = 1; i <= 80; ++i) session.changeRecipe(u("Change"), deriche(i));
    RecipeHistory history = session.history();
    EXPECT_EQ(history.steps.size(), 50);
    EXPECT_EQ(history.recipes.front(), deriche(30));
    EXPECT_EQ(history.clean, -1);
    session.undoStack()->setIndex(10);
    history = session.history();
    EXPECT_EQ(history.recipes[std::size_t(history.position)], deriche(10));
    session.resetRecipe(deriche(3));
    EXPECT_EQ(session.history().recipes, std::vector{deriche(3)});
}

TEST(SessionHistory, HasNoStepsOfPinnedConfigs) {
    Session session;
    session.pinConfig(iir2d::Config{.threads = 1});
    session.changeRecipe(u("One"), deriche(1));
    session.pinConfig(std::nullopt);
    session.changeRecipe(u("Two"), deriche(2));
    const RecipeHistory history = session.history();
    EXPECT_EQ(history.recipes, (std::vector{Recipe{}, deriche(1), deriche(2)}));
    EXPECT_EQ(history.steps, QStringList({u("One"), u("Two")}));
    EXPECT_EQ(history.position, 2);
    EXPECT_EQ(history.clean, 0);
    session.undoStack()->undo();
    EXPECT_EQ(session.history().position, 1);
    session.undoStack()->undo();
    ASSERT_TRUE(session.pinnedConfig());
    EXPECT_EQ(session.pinnedConfig()->threads, 1);
    EXPECT_TRUE(session.isRecipeModified());
    session.undoStack()->undo();
    EXPECT_FALSE(session.isRecipeModified());
}

}  // namespace
}  // namespace workbench
