// SPDX-License-Identifier: MIT
#include "ui/solve/solve_choices.h"

#include <QCoreApplication>
#include <bit>
#include <thread>

#include "core/support/files.h"
#include "core/support/shell.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

QString choiceText(const char* text) {
    return QCoreApplication::translate("SolveChoices", text);
}

solve::Minimise::Problem minimised(SolveProblem problem) {
    return static_cast<solve::Minimise::Problem>(int(problem) - int(SolveProblem::quadratic));
}

solve::Heat heatOf(const SolveChoices& c) {
    return {.n = c.heatNodes,
            .dt = c.dt,
            .steps = c.heatSteps,
            .scheme = c.scheme,
            .k = c.conductivity,
            .is_insulated = c.isInsulated,
            .start = c.heatStart};
}

std::vector<double> rowOf(const Image& image, int row) {
    const auto width = std::size_t(image.pixels.width());
    std::vector<double> made(width);
    for (std::size_t x = 0; x < width; ++x) made[x] = image.pixels.at(std::int64_t(x), row, 0);
    return made;
}

solve::Fit fitOf(const SolveChoices& c, const Image& image) {
    const PlanarImage& pixels = image.pixels;
    solve::Fit made{.filter_id = c.fitFilter,
                    .width = pixels.width(),
                    .height = pixels.height(),
                    .planes = pixels.channels(),
                    .method = c.fitMethod,
                    .steps = c.fitSteps,
                    .start = c.fitStart};
    if (c.stepLength > 0) made.step = c.stepLength;
    const PlanarImage wide = pixels.converted(iir2d::ElementType::f64);
    for (int channel = 0; channel < pixels.channels(); ++channel) {
        const auto plane = wide.plane_f64(channel);
        made.input.insert(made.input.end(), plane.begin(), plane.end());
    }
    return made;
}

class Command {
  public:
    explicit Command(const char* problem)
        : m_words{QStringLiteral("iir2d"), QStringLiteral("solve"), QLatin1String(problem)} {}
    void word(const QString& word) {
        m_words << QString::fromStdString(shell_quoted(word.toUtf8().toStdString()));
    }
    // A value that begins like an option stands behind a sign that says that it is none.
    void add(const char* option, const QString& value) {
        if (value.startsWith(QLatin1Char('-'))) {
            word(QLatin1String(option) + QLatin1Char('=') + value);
            return;
        }
        m_words << QLatin1String(option);
        word(value);
    }
    void add(const char* option, double value) { add(option, toText(format_number(value))); }
    void add(const char* option, int value) { add(option, QString::number(value)); }
    void unless(const char* option, double value, double usual) {
        if (value != usual) add(option, value);
    }
    template <class Choice>
    void choice(const char* option, Choice value, Choice usual) {
        if (value != usual) add(option, toText(solve::name_of(value)));
    }
    QString text() const { return m_words.join(QLatin1Char(' ')); }

  private:
    QStringList m_words;
};

const char* stepOf(solve::Descent method) {
    return method == solve::Descent::gd ? "add_scaled" : "adam";
}

QString twoNumbers(double a, double b) {
    return toText(format_number(a) + "," + format_number(b));
}

}  // namespace

bool isDescent(SolveProblem problem) {
    return problem == SolveProblem::quadratic || problem == SolveProblem::rosenbrock ||
           problem == SolveProblem::logistic;
}

bool isMinimisation(SolveProblem problem) {
    return isDescent(problem) || problem == SolveProblem::fit;
}

SolveChoices withProblem(SolveChoices choices, SolveProblem problem) {
    choices.problem = problem;
    if (isDescent(problem)) {
        const auto start = solve::usual_start(minimised(problem));
        choices.startA = start[0];
        choices.startB = start[1];
    }
    return choices;
}

SolveTask taskOf(const SolveChoices& c, const ImagePtr& image) {
    switch (c.problem) {
        case SolveProblem::poisson1d:
            return solve::Poisson1d{
                .n = c.lineNodes, .method = c.lineMethod, .rhs = c.lineRhs, .ends = {c.leftEnd, c.rightEnd}};
        case SolveProblem::poisson2d:
            return solve::Poisson2d{.n = c.squareNodes,
                                    .degree = c.degree,
                                    .is_perturbed = c.isPerturbed,
                                    .exact = c.squareSolution,
                                    .method = c.squareMethod};
        case SolveProblem::heat: {
            solve::Heat made = heatOf(c);
            if (made.start == solve::Heat::Start::samples) made.samples = rowOf(*image, c.row);
            return made;
        }
        case SolveProblem::fit:
            return fitOf(c, *image);
        default:
            break;
    }
    solve::Minimise made{
        .problem = minimised(c.problem), .method = c.descent, .start = std::array{c.startA, c.startB}};
    if (c.stepLength > 0) made.step = c.stepLength;
    if (c.descentSteps > 0) made.steps = c.descentSteps;
    return made;
}

solve::Common commonOf(const SolveChoices& c) {
    const int all = int(std::max(std::thread::hardware_concurrency(), 1U));
    return {.tolerance = c.tolerance,
            .max_iterations = c.maxIterations,
            .seed = std::uint64_t(c.seed),
            .threads = c.threads > 0 ? c.threads : all};
}

double largestStepOf(const SolveChoices& choices) {
    return solve::largest_explicit_step(heatOf(choices));
}

QString hindranceOf(const SolveChoices& c, const ImagePtr& image) {
    switch (c.problem) {
        case SolveProblem::poisson2d:
            if (c.squareMethod != solve::Poisson2d::Method::multigrid) break;
            if (c.degree != 1 || c.isPerturbed)
                return choiceText("Multigrid is for linear triangles on the uniform mesh");
            if (!std::has_single_bit(unsigned(c.squareNodes) + 1))
                return choiceText("Multigrid is for nodes that are one less than a power of two, as 63");
            break;
        case SolveProblem::heat:
            if (c.scheme == solve::Heat::Scheme::explicit_euler && c.dt > largestStepOf(c))
                return choiceText("The explicit scheme is unstable with a time step above %1")
                    .arg(toText(format_number(largestStepOf(c))));
            if (c.heatStart != solve::Heat::Start::samples) break;
            if (!image) return choiceText("Open an image whose row is to be the start");
            if (c.row >= image->pixels.height())
                return choiceText("The image has rows 0 to %1").arg(image->pixels.height() - 1);
            break;
        case SolveProblem::fit:
            if (!image) return choiceText("Open the image that is to be filtered");
            if (c.target.isEmpty())
                return choiceText("Choose the target: what the filter is to make of the image");
            break;
        default:
            break;
    }
    return {};
}

QString commandLineOf(const SolveChoices& c, const ImagePtr& image) {
    static constexpr const char* heads[] = {"poisson1d", "poisson2d", "heat",    "minimise",
                                            "minimise",  "minimise",  "minimise"};
    const SolveChoices usual;
    Command made(heads[int(c.problem)]);
    const QString path = image ? fromPath(image->info.path) : QString();
    switch (c.problem) {
        case SolveProblem::poisson1d:
            made.add("--n", c.lineNodes);
            made.choice("--method", c.lineMethod, usual.lineMethod);
            made.choice("--rhs", c.lineRhs, usual.lineRhs);
            if (c.leftEnd != 0 || c.rightEnd != 0) made.add("--ends", twoNumbers(c.leftEnd, c.rightEnd));
            break;
        case SolveProblem::poisson2d:
            made.add("--n", c.squareNodes);
            made.unless("--degree", c.degree, usual.degree);
            if (c.isPerturbed) made.add("--mesh", QStringLiteral("perturbed"));
            made.choice("--solution", c.squareSolution, usual.squareSolution);
            made.choice("--method", c.squareMethod, usual.squareMethod);
            break;
        case SolveProblem::heat:
            made.add("--n", c.heatNodes);
            made.add("--dt", c.dt);
            made.add("--steps", c.heatSteps);
            made.choice("--scheme", c.scheme, usual.scheme);
            made.unless("--k", c.conductivity, usual.conductivity);
            if (c.isInsulated) made.add("--ends", QStringLiteral("insulated"));
            if (c.heatStart != solve::Heat::Start::samples) {
                made.choice("--start", c.heatStart, usual.heatStart);
                break;
            }
            made.add("--image", path);
            made.add("--row", c.row);
            break;
        case SolveProblem::fit:
            made.add("--problem", QStringLiteral("fit"));
            made.word(path);
            made.word(c.target);
            made.add("--filter", c.fitFilter);
            made.choice("--method", c.fitMethod, usual.fitMethod);
            made.unless("--step", c.stepLength, usual.stepLength);
            made.unless("--steps", c.fitSteps, usual.fitSteps);
            made.add("--start", c.fitStart);
            break;
        default:
            made.add("--problem", toText(solve::name_of(minimised(c.problem))));
            made.choice("--method", c.descent, usual.descent);
            made.unless("--step", c.stepLength, usual.stepLength);
            made.unless("--steps", c.descentSteps, usual.descentSteps);
            made.add("--start", twoNumbers(c.startA, c.startB));
            break;
    }
    made.unless("--tolerance", c.tolerance, usual.tolerance);
    made.unless("--max-iterations", c.maxIterations, usual.maxIterations);
    made.choice("--engine", c.engine, usual.engine);
    made.unless("--threads", c.threads, usual.threads);
    made.unless("--seed", c.seed, usual.seed);
    if (!isMinimisation(c.problem)) made.unless("--refine", c.sizes, usual.sizes);
    return made.text();
}

QStringList kernelsOf(const SolveChoices& c) {
    const auto names = [](std::initializer_list<const char*> all) {
        QStringList made;
        for (const char* one : all) made << QLatin1String(one);
        return made;
    };
    switch (c.problem) {
        case SolveProblem::poisson1d: {
            static constexpr const char* methods[] = {"thomas", "poisson1d_jacobi", "poisson1d_gauss_seidel",
                                                      "poisson1d_apply"};
            return names(
                {methods[std::size_t(c.lineMethod)], "poisson1d_residual", "chunk_dot", "chunk_sum"});
        }
        case SolveProblem::poisson2d:
            if (c.squareMethod == solve::Poisson2d::Method::multigrid)
                return names({"grid_smooth", "grid_residual", "grid_restrict", "grid_correct", "p1_load"});
            return c.degree == 1 ? names({"p1_matrix", "p1_load", "sparse_apply", "add_scaled"})
                                 : names({"p2_matrix", "p2_load", "sparse_apply", "add_scaled"});
        case SolveProblem::heat:
            return c.scheme == solve::Heat::Scheme::explicit_euler ? names({"heat_step"})
                                                                   : names({"heat_step", "thomas"});
        case SolveProblem::fit:
            return names({"fit_ema", "fit_start", "squared_error", stepOf(c.fitMethod)});
        default:
            return QStringList{toText(solve::name_of(minimised(c.problem)))} + names({stepOf(c.descent)});
    }
}

}  // namespace workbench
