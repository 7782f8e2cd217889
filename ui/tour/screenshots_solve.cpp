// SPDX-License-Identifier: MIT
// The tour's stop at page Solve: every state that it has, each of them solved on the way.
#include <QSlider>
#include <QTabWidget>

#include "core/image/image_io.h"
#include "core/recipe/recipe.h"
#include "ui/picture/image_view.h"
#include "ui/session/session.h"
#include "ui/solve/map_view.h"
#include "ui/solve/results_view.h"
#include "ui/solve/solve_page.h"
#include "ui/support/paths.h"
#include "ui/tour/screenshots.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"

namespace workbench {

void ScreenshotTour::solving() {
    SolvePage& page = m_window.solvePage();
    SolveModel& model = page.model();
    SolveResultsView& results = page.results();
    Session& session = m_window.session();
    m_window.setPage(MainWindow::Page::solve);
    const auto run = [&](const SolveChoices& choices, const QString& what) {
        model.setChoices(choices);
        model.run();
        waitFor(
            what, [&] { return !model.isRunning(); }, 60000);
    };
    shoot(QStringLiteral("80-solve-empty"));

    // Far from its end while it is looked at.
    model.setChoices({.lineNodes = 500,
                      .lineMethod = solve::Poisson1d::Method::jacobi,
                      .tolerance = 1e-14,
                      .maxIterations = 10'000'000});
    model.run();
    waitFor(QStringLiteral("the first iterations"), [&] {
        return !model.isRunning() || (!model.live().empty() && model.live().back().iteration > 100'000);
    });
    results.tabs().setCurrentIndex(SolveResultsView::historyTab);
    if (model.isRunning()) shoot(QStringLiteral("81-solve-running"));
    model.cancel();
    waitFor(QStringLiteral("the solver to stop"), [&] { return !model.isRunning(); });

    run({.lineNodes = 15, .lineMethod = solve::Poisson1d::Method::cg, .rightEnd = 1, .sizes = 5},
        QStringLiteral("the line"));
    results.tabs().setCurrentIndex(SolveResultsView::solutionTab);
    shootInBoth(QStringLiteral("82-solve-line"));
    results.tabs().setCurrentIndex(SolveResultsView::historyTab);
    shoot(QStringLiteral("82-solve-line-convergence"));
    results.tabs().setCurrentIndex(SolveResultsView::errorsTab);
    shootInBoth(QStringLiteral("83-solve-errors"));
    m_window.resize(smallScreen);
    shoot(QStringLiteral("84-solve-small-errors"));
    results.tabs().setCurrentIndex(SolveResultsView::solutionTab);
    shoot(QStringLiteral("84-solve-small-line"));
    m_window.resize(1280, 800);

    session.openImage(sample("astronaut.png"));
    waitFor(QStringLiteral("the sample"), [&] { return !session.isOpening() && session.image(); });
    SolveChoices heat{.problem = SolveProblem::heat, .heatNodes = 255, .dt = 1e-4, .heatSteps = 200};
    run(heat, QStringLiteral("heat"));
    results.timeSlider().setValue(40);
    shoot(QStringLiteral("85-solve-heat"));
    heat.heatStart = solve::Heat::Start::samples;
    heat.row = 100;
    heat.isInsulated = true;
    heat.dt = 1e-5;
    run(heat, QStringLiteral("heat from a row"));
    results.timeSlider().setValue(20);
    shootInBoth(QStringLiteral("85-solve-heat-from-row"));

    SolveChoices square{.problem = SolveProblem::poisson2d,
                        .squareNodes = 63,
                        .squareMethod = solve::Poisson2d::Method::multigrid};
    square.squareSolution = solve::Poisson2d::Exact::poly;
    run(square, QStringLiteral("the square"));
    shootInBoth(QStringLiteral("86-solve-square"));
    results.maps().errorView().showAt(24.0, {20, 40});
    results.maps().errorView().setFocus();
    shoot(QStringLiteral("86-solve-square-zoomed"));
    m_window.resize(smallScreen);
    shoot(QStringLiteral("84-solve-small-square"));
    m_window.resize(1280, 800);

    run(withProblem({}, SolveProblem::rosenbrock), QStringLiteral("Rosenbrock's function"));
    shootInBoth(QStringLiteral("87-solve-path"));
    results.tabs().setCurrentIndex(SolveResultsView::historyTab);
    shoot(QStringLiteral("87-solve-path-convergence"));
    results.tabs().setCurrentIndex(SolveResultsView::solutionTab);

    // A target that the recipe makes; saved as the window saves.
    session.resetRecipe(
        {.operations = {{.what = FilterOperation{.filter_id = 1, .parameters = {{"alpha", 0.7}}}}}});
    waitForExact();
    const std::filesystem::path target = toPath(m_folder.filePath(QStringLiteral("target.tif")));
    if (const auto result = session.exactResult();
        !result || !write_image(*result, target, {.type = SampleType::f32}))
        m_problems << QStringLiteral("the target could not be written");
    SolveChoices fit{.problem = SolveProblem::fit, .fitSteps = 30, .target = fromPath(target)};
    model.setChoices(fit);
    model.run();
    waitFor(QStringLiteral("the first picture"), [&] { return !model.isRunning() || model.tuned().image; });
    if (model.isRunning()) shoot(QStringLiteral("88-solve-fit-running"));
    waitFor(
        QStringLiteral("the fit"), [&] { return !model.isRunning(); }, 120000);
    shootInBoth(QStringLiteral("88-solve-fit"));

    heat.scheme = solve::Heat::Scheme::explicit_euler;
    heat.dt = 0.01;
    model.setChoices(heat);
    shoot(QStringLiteral("89-solve-hindered"));
    run({.lineNodes = 1000, .lineMethod = solve::Poisson1d::Method::jacobi, .maxIterations = 50},
        QStringLiteral("the end of the iterations"));
    shootInBoth(QStringLiteral("89-solve-not-converged"));
    m_window.resize(smallScreen);
    shoot(QStringLiteral("84-solve-small-error"));
    m_window.resize(1280, 800);
    model.setChoices({});
    page.messages().clear(QStringLiteral("solve"));
    session.resetRecipe({});
    m_window.setPage(MainWindow::Page::image);
}

}  // namespace workbench
