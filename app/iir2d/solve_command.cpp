// SPDX-License-Identifier: MIT
// solve: numerical problems whose inner loops are kernels of core/synth (docs/solvers.md).
#include <memory>
#include <optional>

#include "app/iir2d/evidence.h"
#include "app/iir2d/solve_options.h"
#include "core/image/image_io.h"
#include "core/recipe/recipe.h"
#include "core/solve/solve.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

constexpr std::array<std::string_view, 2> mesh_names{"uniform", "perturbed"};
constexpr std::array<std::string_view, 2> ends_names{"fixed", "insulated"};
constexpr std::array<std::string_view, 4> minimise_names{"quadratic", "rosenbrock", "logistic", "fit"};

struct Poisson1dArguments {
    SolveArguments common;
    std::string n;
    std::string method = "thomas";
    std::string rhs = "sine";
    std::string ends = "0,0";

    Result<int> run(const Interruption& interruption) const {
        solve::Poisson1d problem;
        IIR2D_TRY(problem.n, parse_integer("--n", n));
        IIR2D_TRY(problem.method, choice_of<solve::Poisson1d::Method>("--method", method));
        IIR2D_TRY(problem.rhs, choice_of<solve::Poisson1d::Rhs>("--rhs", rhs));
        IIR2D_TRY(problem.ends, parse_two("--ends", ends));
        return run_refined(common, interruption, problem);
    }
};

struct Poisson2dArguments {
    SolveArguments common;
    std::string n;
    std::string degree = "1";
    std::string mesh = "uniform";
    std::string solution = "sine";
    std::string method = "cholesky";

    Result<int> run(const Interruption& interruption) const {
        solve::Poisson2d problem;
        IIR2D_TRY(problem.n, parse_integer("--n", n));
        IIR2D_TRY(const std::int64_t order, parse_integer("--degree", degree, 1, 2));
        problem.degree = static_cast<int>(order);
        IIR2D_TRY(const int kind, one_of("--mesh", mesh, mesh_names));
        problem.is_perturbed = kind == 1;
        IIR2D_TRY(problem.exact,
                  choice_of<solve::Poisson2d::Exact>(
                      "--solution", solution, std::span(solve::names_of<solve::Poisson2d::Exact>).first(2)));
        IIR2D_TRY(problem.method, choice_of<solve::Poisson2d::Method>("--method", method));
        return run_refined(common, interruption, problem);
    }
};

struct HeatArguments {
    SolveArguments common;
    std::string n;
    std::string dt;
    std::string steps;
    std::string scheme = "implicit";
    std::string k = "1";
    std::string ends = "fixed";
    std::string start;
    std::string image;
    std::string row;

    Result<int> run(const Interruption& interruption) const {
        solve::Heat problem;
        IIR2D_TRY(problem.n, parse_integer("--n", n));
        IIR2D_TRY(problem.dt, parse_number("--dt", dt));
        IIR2D_TRY(problem.steps, parse_integer("--steps", steps));
        IIR2D_TRY(problem.scheme, choice_of<solve::Heat::Scheme>("--scheme", scheme));
        IIR2D_TRY(problem.k, parse_number("--k", k));
        IIR2D_TRY(const auto chosen_ends, one_of("--ends", ends, ends_names));
        problem.is_insulated = chosen_ends == 1;
        if (!start.empty() && !image.empty())
            return fail(ErrorKind::bad_argument, "--start and --image exclude each other");
        if (image.empty() != row.empty())
            return fail(ErrorKind::bad_argument, "--image and --row go together");
        if (image.empty()) {
            IIR2D_TRY(problem.start,
                      choice_of<solve::Heat::Start>("--start", start.empty() ? "sine" : start,
                                                    std::span(solve::names_of<solve::Heat::Start>).first(2)));
        } else {
            problem.start = solve::Heat::Start::samples;
            IIR2D_TRY(problem.samples, samples_of(interruption));
        }
        return run_refined(common, interruption, problem);
    }

  private:
    // A row of the image's first channel.
    Result<std::vector<double>> samples_of(const Interruption& interruption) const {
        IIR2D_TRY(const std::int64_t y, parse_integer("--row", row));
        IIR2D_TRY(const Image read, read_image(image, {}, {.stop = interruption.token()}));
        const PlanarImage& pixels = read.pixels;
        if (y < 0 || y >= pixels.height())
            return fail(ErrorKind::bad_argument, "--row " + row +
                                                     " is out of range: the image has rows 0 to " +
                                                     std::to_string(pixels.height() - 1));
        const auto width = static_cast<std::size_t>(pixels.width());
        const auto samples = pixels.plane_f32(0).subspan(static_cast<std::size_t>(y) * width, width);
        return std::vector<double>(samples.begin(), samples.end());
    }
};

struct MinimiseArguments {
    SolveArguments common;
    std::string problem;
    std::string method;
    std::string step;
    std::string steps;
    std::string start;
    std::string input;
    std::string target;
    std::string filter;
    std::string out_recipe;

    Result<int> run(const Interruption& interruption) const {
        IIR2D_TRY(const int which, one_of("--problem", problem, minimise_names));
        if (common.refine != "1") return fail(ErrorKind::bad_argument, "--refine is not for minimise");
        std::optional<double> length;
        if (!step.empty()) {
            IIR2D_TRY(length, parse_number("--step", step));
        }
        std::optional<std::int64_t> count;
        if (!steps.empty()) {
            IIR2D_TRY(count, parse_integer("--steps", steps));
        }
        const bool is_fit = which == 3;
        IIR2D_TRY(const auto by,
                  choice_of<solve::Descent>("--method", method.empty() ? is_fit ? "adam" : "gd" : method));
        if (is_fit) return fit({.method = by, .step = length, .steps = count}, interruption);
        if (!input.empty() || !filter.empty() || !out_recipe.empty())
            return fail(ErrorKind::bad_argument,
                        "IN, TARGET, --filter and --out-recipe are for --problem fit");
        solve::Minimise made{.problem = static_cast<solve::Minimise::Problem>(which),
                             .method = by,
                             .step = length,
                             .steps = count};
        if (!start.empty()) {
            IIR2D_TRY(made.start, parse_two("--start", start));
        }
        IIR2D_TRY(const auto solved, solve_one(common, interruption, made));
        return common.report({solved});
    }

  private:
    Result<int> fit(solve::Fit made, const Interruption& interruption) const {
        if (input.empty() || target.empty() || filter.empty())
            return fail(ErrorKind::bad_argument, "--problem fit needs IN, TARGET and --filter");
        IIR2D_TRY(made.filter_id, parse_filter_id("--filter", filter));
        IIR2D_TRY(const std::string name, solve::fitted_parameter(made.filter_id));
        if (!start.empty()) {
            IIR2D_TRY(made.start, parse_number("--start", start));
        }
        if (!out_recipe.empty()) IIR2D_RETURN_IF_ERROR(check_outputs({out_recipe}, ""));
        const TaskControl control{.stop = interruption.token()};
        IIR2D_TRY(const Image from, read_image(input, {}, control));
        IIR2D_TRY(const Image to, read_image(target, {}, control));
        const PlanarImage& a = from.pixels;
        const PlanarImage& b = to.pixels;
        if (a.width() != b.width() || a.height() != b.height() || a.channels() != b.channels())
            return fail(ErrorKind::bad_input, "IN and TARGET differ in size or channels");
        made.width = a.width();
        made.height = a.height();
        made.planes = a.channels();
        for (int channel = 0; channel < a.channels(); ++channel) {
            made.input.insert(made.input.end(), a.plane_f32(channel).begin(), a.plane_f32(channel).end());
            made.target.insert(made.target.end(), b.plane_f32(channel).begin(), b.plane_f32(channel).end());
        }
        IIR2D_TRY(const auto solved, solve_one(common, interruption, made));
        if (!out_recipe.empty()) {
            const Recipe recipe{
                .operations = {{.what = FilterOperation{.filter_id = made.filter_id,
                                                        .parameters = {{name, solved.figures[0].second}}}}}};
            IIR2D_RETURN_IF_ERROR(save_recipe(recipe, out_recipe));
        }
        return common.report({solved});
    }
};

}  // namespace

void add_solve_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("solve", "Solve numerical problems by synthesised kernels (docs/solvers.md)");
    command->require_subcommand(1);

    auto poisson = std::make_shared<Poisson1dArguments>();
    CLI::App* poisson1d = command->add_subcommand("poisson1d", "Solve -u'' = f on (0,1)");
    poisson1d->add_option("--n", poisson->n, "Interior nodes")->required();
    poisson1d->add_option("--method", poisson->method, "The method: thomas, jacobi, gauss-seidel or cg")
        ->capture_default_str();
    poisson1d->add_option("--rhs", poisson->rhs, "The right-hand side, of a known solution: sine or poly")
        ->capture_default_str();
    poisson1d->add_option("--ends", poisson->ends, "u(0) and u(1) as A,B")->capture_default_str();
    poisson->common.add_to(*poisson1d);
    poisson1d->callback([poisson, &chosen] {
        chosen = [poisson](const Interruption& interruption) { return poisson->run(interruption); };
    });

    auto square = std::make_shared<Poisson2dArguments>();
    CLI::App* poisson2d = command->add_subcommand("poisson2d", "Solve -laplace u = f on the unit square");
    poisson2d->add_option("--n", square->n, "Interior corners along a side")->required();
    poisson2d->add_option("--degree", square->degree, "Degree of the finite elements, 1 or 2")
        ->capture_default_str();
    poisson2d->add_option("--mesh", square->mesh, "The mesh: uniform or perturbed (by --seed)")
        ->capture_default_str();
    poisson2d->add_option("--solution", square->solution, "The exact solution: sine or poly")
        ->capture_default_str();
    poisson2d
        ->add_option(
            "--method", square->method,
            "The method: cholesky, cg or multigrid (for degree 1, a uniform mesh and n + 1 a power of two)")
        ->capture_default_str();
    square->common.add_to(*poisson2d);
    poisson2d->callback([square, &chosen] {
        chosen = [square](const Interruption& interruption) { return square->run(interruption); };
    });

    auto heat = std::make_shared<HeatArguments>();
    CLI::App* heat_command = command->add_subcommand("heat", "Solve the heat equation u_t = k u_xx on (0,1)");
    heat_command->add_option("--n", heat->n, "Interior nodes; with insulated ends, cells")->required();
    heat_command->add_option("--dt", heat->dt, "Time step")->required();
    heat_command->add_option("--steps", heat->steps, "Number of time steps")->required();
    heat_command->add_option("--scheme", heat->scheme, "The scheme: explicit, implicit or crank-nicolson")
        ->capture_default_str();
    heat_command->add_option("--k", heat->k, "Conductivity")->capture_default_str();
    heat_command->add_option("--ends", heat->ends, "The ends: fixed at their first values, or insulated")
        ->capture_default_str();
    heat_command->add_option("--start", heat->start, "First values: sine or step (default: sine)");
    heat_command->add_option("--image", heat->image, "Start with a row of this image's first channel");
    heat_command->add_option("--row", heat->row, "The row of --image, from 0");
    heat->common.add_to(*heat_command);
    heat_command->callback([heat, &chosen] {
        chosen = [heat](const Interruption& interruption) { return heat->run(interruption); };
    });

    auto minimise = std::make_shared<MinimiseArguments>();
    CLI::App* minimise_command = command->add_subcommand(
        "minimise", "Minimise a function, by gradients that the adjoints of kernels compute");
    minimise_command
        ->add_option("--problem", minimise->problem, "The problem: quadratic, rosenbrock, logistic or fit")
        ->required();
    minimise_command->add_option("--method", minimise->method,
                                 "The method: gd (gradient descent) or adam (default: gd; for fit adam)");
    minimise_command->add_option("--step", minimise->step,
                                 "Size of a step (default: for gd by Armijo's rule; for adam 0.1)");
    minimise_command->add_option("--steps", minimise->steps,
                                 "Most steps (default: until the tolerance is reached; for fit 100)");
    minimise_command->add_option("--start", minimise->start, "The first point, as A,B; for fit one number");
    minimise_command->add_option("IN", minimise->input, "fit: the image to filter");
    minimise_command->add_option("TARGET", minimise->target,
                                 "fit: the image that the filter's result should equal");
    minimise_command->add_option("--filter", minimise->filter, "fit: " + solve::fitted_filters_text());
    minimise_command->add_option("--out-recipe", minimise->out_recipe,
                                 "fit: write the filter as a recipe to this file");
    minimise->common.add_to(*minimise_command);
    minimise_command->callback([minimise, &chosen] {
        chosen = [minimise](const Interruption& interruption) { return minimise->run(interruption); };
    });
}

}  // namespace app
