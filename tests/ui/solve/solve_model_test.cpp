// SPDX-License-Identifier: MIT
// The state of page Solve, without a page: no QApplication is there, so that any widget would end the test.
#include "ui/solve/solve_model.h"

#include <gmock/gmock.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include "core/solve/kernels.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"

namespace workbench {
namespace {

constexpr SolveProblem allProblems[] = {
    SolveProblem::poisson1d,  SolveProblem::poisson2d, SolveProblem::heat, SolveProblem::quadratic,
    SolveProblem::rosenbrock, SolveProblem::logistic,  SolveProblem::fit};

using Line = solve::Poisson1d::Method;
using Square = solve::Poisson2d::Method;
using Scheme = solve::Heat::Scheme;

class SolveModelTest : public ::testing::Test {
  protected:
    void run(const SolveChoices& choices) {
        model.setChoices(choices);
        ASSERT_EQ(model.hindrance().toStdString(), "");
        model.run();
        ASSERT_TRUE(model.isRunning());
        ASSERT_TRUE(QTest::qWaitFor([this] { return !model.isRunning(); }, patience_ms));
        QCoreApplication::processEvents();
    }
    const solve::Solved& last() const { return model.outcome()->last(); }
    void open(const Image& image) {
        session.openImage(testing::text(testing::written(folder, "in.exr", image)));
        ASSERT_TRUE(QTest::qWaitFor([this] { return session.image() != nullptr; }, patience_ms));
    }
    std::string command() const { return model.commandLine().toStdString(); }

    QTemporaryDir folder;
    Session session;
    SolveModel model{session};
};

TEST_F(SolveModelTest, SolvesTheLineAtSeveralSizes) {
    EXPECT_EQ(model.outcome(), nullptr);
    run({.lineNodes = 15, .sizes = 3});
    ASSERT_EQ(model.outcome()->solved.size(), 3U);
    EXPECT_EQ(last().n, 63);
    EXPECT_TRUE(model.outcome()->solved.front().solution.computed.empty()) << "only the finest is kept";
    EXPECT_EQ(last().solution.computed.size(), 65U);
    EXPECT_TRUE(model.failure().isEmpty());
}

TEST_F(SolveModelTest, MakesMapsOfTheSquare) {
    run({.problem = SolveProblem::poisson2d, .squareNodes = 15});
    ASSERT_TRUE(model.outcome()->solution && model.outcome()->error);
    EXPECT_EQ(model.outcome()->solution->side, 17);
    EXPECT_NEAR(model.outcome()->error->high, *last().errors.max, 1e-15);
}

TEST_F(SolveModelTest, KeepsHeatOverTime) {
    run({.problem = SolveProblem::heat, .heatNodes = 31, .dt = 1e-3, .heatSteps = 50});
    ASSERT_EQ(last().snapshots.size(), 51U);
    EXPECT_EQ(last().snapshots.back().computed, last().solution.computed);
}

TEST_F(SolveModelTest, FindsThePathOverItsContours) {
    run(withProblem({}, SolveProblem::rosenbrock));
    ASSERT_TRUE(model.outcome()->field);
    EXPECT_EQ(model.outcome()->field->values.size(), 121U * 121U);
    const Plot plot = pathPlot(last(), *model.outcome()->field);
    EXPECT_GT(plot.contours.size(), 10U);
    EXPECT_NEAR(last().history.back().parameters[0], 1, 1e-6);
}

TEST_F(SolveModelTest, StartsHeatFromARowOfTheImage) {
    SolveChoices choices{.problem = SolveProblem::heat,
                         .heatNodes = 63,
                         .dt = 1e-6,
                         .heatSteps = 1,
                         .heatStart = solve::Heat::Start::samples,
                         .row = 3};
    model.setChoices(choices);
    EXPECT_TRUE(model.hindrance().contains(QStringLiteral("Open an image")));
    model.run();
    EXPECT_FALSE(model.isRunning());
    open(testing::gradient(64, 4));
    run(choices);
    // Red grows along x from 0 to 63 / 64.
    EXPECT_NEAR(last().snapshots.front().computed[32], 0.5 * 63 / 64, 1e-6);
    EXPECT_NE(command().find("--row 3"), std::string::npos);
    choices.row = 4;
    model.setChoices(choices);
    EXPECT_TRUE(model.hindrance().contains(QStringLiteral("rows 0 to 3"))) << model.hindrance().toStdString();
}

TEST_F(SolveModelTest, FitsAFilterAndPutsItIntoTheRecipe) {
    open(testing::gradient(40, 30));
    Recipe made{.operations = {{.what = FilterOperation{.filter_id = 1, .parameters = {{"alpha", 0.7}}}}}};
    const auto target = apply(made, *session.image(), *iir2d::Device::cpu(1));
    ASSERT_TRUE(target) << target.error().message;
    SolveChoices choices{.problem = SolveProblem::fit, .fitStart = 0.3};
    model.setChoices(choices);
    EXPECT_TRUE(model.hindrance().contains(QStringLiteral("target")));
    choices.target = testing::text(testing::written(folder, "target.exr", *target));
    EXPECT_FALSE(model.mayPutIntoRecipe());
    QSignalSpy tuned(&model, &SolveModel::tunedChanged);
    run(choices);
    EXPECT_GE(tuned.count(), 2) << "cleared, then shown";
    ASSERT_NE(model.tuned().image, nullptr);
    EXPECT_EQ(model.tuned().image->pixels.width(), 40);
    EXPECT_NEAR(last().figures.front().second, 0.7, 1e-4);
    ASSERT_TRUE(model.mayPutIntoRecipe());
    model.putIntoRecipe();
    ASSERT_EQ(session.recipe().operations.size(), 1U);
    const auto& filter = std::get<FilterOperation>(session.recipe().operations[0].what);
    EXPECT_NEAR(filter.parameters.at("alpha"), 0.7, 1e-4);
    session.undoStack()->undo();
    EXPECT_TRUE(session.recipe().operations.empty());
    choices.target = folder.filePath(QStringLiteral("nowhere.png"));
    run(choices);
    EXPECT_TRUE(model.failure().contains(QStringLiteral("nowhere.png"))) << model.failure().toStdString();
}

TEST_F(SolveModelTest, ShowsHowItGoesAndStopsWhenAsked) {
    QElapsedTimer clock;
    qint64 first = -1;
    QObject::connect(&model, &SolveModel::liveChanged, [&] {
        if (first < 0 && !model.live().empty()) first = clock.elapsed();
    });
    model.setChoices(
        {.lineNodes = 3000, .lineMethod = Line::jacobi, .tolerance = 1e-15, .maxIterations = 100'000'000});
    clock.start();
    model.run();
    ASSERT_TRUE(QTest::qWaitFor([&] { return model.live().size() > 2; }, patience_ms));
    EXPECT_GE(first, 100) << "what is solved sooner does not flash";
    EXPECT_LE(model.live().size(), 2001U);
    model.setChoices({});
    model.run();  // refused while it runs
    model.cancel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !model.isRunning(); }, patience_ms));
    EXPECT_EQ(model.outcome(), nullptr);
    EXPECT_TRUE(model.failure().isEmpty()) << "to stop is no failure";
}

TEST_F(SolveModelTest, ShowsWhatHasNotConverged) {
    run({.lineNodes = 100, .lineMethod = Line::jacobi, .maxIterations = 10});
    ASSERT_NE(model.outcome(), nullptr);
    EXPECT_TRUE(model.failure().contains(QStringLiteral("has not converged")))
        << model.failure().toStdString();
    run({});
    EXPECT_TRUE(model.failure().isEmpty());
}

TEST_F(SolveModelTest, SaysWhatHindersBeforeItRuns) {
    model.setChoices(
        {.problem = SolveProblem::poisson2d, .squareNodes = 30, .squareMethod = Square::multigrid});
    EXPECT_TRUE(model.hindrance().contains(QStringLiteral("power of two")));
    model.setChoices({.problem = SolveProblem::poisson2d,
                      .squareNodes = 31,
                      .degree = 2,
                      .squareMethod = Square::multigrid});
    EXPECT_TRUE(model.hindrance().contains(QStringLiteral("linear")));
    model.setChoices(
        {.problem = SolveProblem::heat, .heatNodes = 63, .dt = 1, .scheme = Scheme::explicit_euler});
    EXPECT_TRUE(model.hindrance().contains(QStringLiteral("unstable")));
}

TEST_F(SolveModelTest, WritesItsResults) {
    QSignalSpy written(&model, &SolveModel::written);
    QSignalSpy refused(&model, &SolveModel::writeFailed);
    const QString csv = folder.filePath(QStringLiteral("a.csv")),
                  json = folder.filePath(QStringLiteral("a.json"));
    model.exportTo(SolveModel::Format::csv, csv);  // nothing to write yet
    run({});
    model.exportTo(SolveModel::Format::csv, csv);
    ASSERT_TRUE(QTest::qWaitFor([&] { return written.count() == 1; }, patience_ms));
    model.exportTo(SolveModel::Format::json, json);
    ASSERT_TRUE(QTest::qWaitFor([&] { return written.count() == 2; }, patience_ms));
    QFile file(csv);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().startsWith("x,computed,exact\n"));
    QFile other(json);
    ASSERT_TRUE(other.open(QIODevice::ReadOnly));
    EXPECT_TRUE(other.readAll().contains("\"method\": \"thomas\""));
    model.writeTo("x", folder.filePath(QStringLiteral("no/such/folder.svg")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return refused.count() == 1; }, patience_ms));
}

TEST_F(SolveModelTest, SaysTheCommandThatDoesTheSame) {
    EXPECT_EQ(command(), "iir2d solve poisson1d --n 63");
    model.setChoices({.lineNodes = 7,
                      .lineMethod = Line::gauss_seidel,
                      .lineRhs = solve::Poisson1d::Rhs::poly,
                      .leftEnd = -1,
                      .sizes = 3});
    EXPECT_EQ(command(),
              "iir2d solve poisson1d --n 7 --method gauss-seidel --rhs poly --ends=-1,0 --refine 3");
    model.setChoices(
        {.problem = SolveProblem::poisson2d, .degree = 2, .isPerturbed = true, .tolerance = 1e-8, .seed = 4});
    EXPECT_EQ(command(),
              "iir2d solve poisson2d --n 31 --degree 2 --mesh perturbed --tolerance 1e-08 --seed 4");
    model.setChoices(withProblem({}, SolveProblem::rosenbrock));
    EXPECT_EQ(command(), "iir2d solve minimise --problem rosenbrock --start=-1.2,1");
}

TEST_F(SolveModelTest, SaysOnceThatItsStateChanged) {
    QSignalSpy changed(&model, &SolveModel::stateChanged);
    model.setChoices({.lineNodes = 5});
    EXPECT_EQ(changed.count(), 1);
    model.setChoices({.lineNodes = 5});
    EXPECT_EQ(changed.count(), 1) << "the same choices";
    run({.lineNodes = 5});
    EXPECT_EQ(changed.count(), 3) << "that it began, and that it ended with something";
}

TEST_F(SolveModelTest, BeginsWithTheChoicesOfTheLastTime) {
    const SolveChoices chosen{.problem = SolveProblem::poisson2d,
                              .degree = 2,
                              .isPerturbed = true,
                              .squareMethod = Square::cg,
                              .dt = 0.25,
                              .target = QStringLiteral("/a b/\u00e4.png"),
                              .engine = solve::EngineKind::ptx};
    {
        Session last;
        SolveModel(last).setChoices(chosen);
        last.saveSettings();  // written when the session ends
    }
    Session next;
    SolveModel begun(next);
    EXPECT_EQ(begun.choices(), chosen);
    // Not for the tests that follow.
    begun.setChoices({});
    next.saveSettings();
}

TEST(SolveChoices, AreReadBackFromJson) {
    EXPECT_EQ(solveChoicesFrom({}), SolveChoices());
    EXPECT_EQ(solveChoicesFrom(QStringLiteral("[1]")), SolveChoices());
    for (const SolveProblem problem : allProblems) {
        SolveChoices choices = withProblem({}, problem);
        for (const auto& number : countChoices()) choices.*number.value = number.least;
        for (const auto& number : realChoices()) choices.*number.value = number.most;
        EXPECT_EQ(solveChoicesFrom(toJson(choices)), choices);
    }
    SolveChoices filter;
    for (const int id : solve::fitted_filters()) {
        filter.fitFilter = id;
        EXPECT_EQ(solveChoicesFrom(toJson(filter)).fitFilter, id);
    }
}

TEST(SolveChoices, OutOfTheirRangeAreAsUsual) {
    const SolveChoices read = solveChoicesFrom(
        QStringLiteral(R"({"problem": "chess", "line_nodes": 0, "square_nodes": 15.5, "sizes": "3", "seed": 7,
                           "degree": 3, "square_solution": "linear", "fit_filter": 3, "tolerance": 2,
                           "dt": 0.5, "is_insulated": 1})"));
    EXPECT_EQ(read, (SolveChoices{.dt = 0.5, .seed = 7}));
}

TEST(SolveChoices, NameKernelsThatAreThere) {
    for (const SolveProblem problem : allProblems) {
        for (const auto descent : {solve::Descent::gd, solve::Descent::adam}) {
            SolveChoices choices = withProblem({}, problem);
            choices.descent = choices.fitMethod = descent;
            if (descent == solve::Descent::gd) choices.scheme = Scheme::explicit_euler;
            EXPECT_FALSE(kernelsOf(choices).isEmpty());
            for (const QString& name : kernelsOf(choices))
                EXPECT_TRUE(solve::find_kernel(name.toStdString())) << name.toStdString();
        }
    }
    for (const Line method : {Line::jacobi, Line::gauss_seidel, Line::cg}) {
        for (const QString& name : kernelsOf({.lineMethod = method}))
            EXPECT_TRUE(solve::find_kernel(name.toStdString())) << name.toStdString();
    }
    for (const QString& name :
         kernelsOf({.problem = SolveProblem::poisson2d, .squareMethod = Square::multigrid}))
        EXPECT_TRUE(solve::find_kernel(name.toStdString())) << name.toStdString();
}

}  // namespace
}  // namespace workbench
