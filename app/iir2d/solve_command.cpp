// SPDX-License-Identifier: MIT
// solve: numerical problems whose inner loops are kernels of core/synth (docs/solvers.md).
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/solve_options.h"
#include "core/image/image_io.h"
#include "core/solve/solve.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct Poisson1dArguments {
    SolveArguments common;
    std::string n;
    std::string method = "thomas";
    std::string rhs = "sine";
    std::string ends = "0,0";

    Result<int> run(const Interruption& interruption) const {
        solve::Poisson1d problem;
        IIR2D_TRY(problem.n, parse_integer("--n", n));
        IIR2D_TRY(const auto chosen_method,
                  one_of("--method", method, {"thomas", "jacobi", "gauss-seidel", "cg"}));
        problem.method = static_cast<solve::Poisson1d::Method>(chosen_method);
        IIR2D_TRY(const auto chosen_rhs, one_of("--rhs", rhs, {"sine", "poly"}));
        problem.rhs = static_cast<solve::Poisson1d::Rhs>(chosen_rhs);
        IIR2D_TRY(problem.ends, parse_two("--ends", ends));
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
        IIR2D_TRY(const auto chosen_scheme,
                  one_of("--scheme", scheme, {"explicit", "implicit", "crank-nicolson"}));
        problem.scheme = static_cast<solve::Heat::Scheme>(chosen_scheme);
        IIR2D_TRY(problem.k, parse_number("--k", k));
        IIR2D_TRY(const auto chosen_ends, one_of("--ends", ends, {"fixed", "insulated"}));
        problem.is_insulated = chosen_ends == 1;
        if (!start.empty() && !image.empty())
            return fail(ErrorKind::bad_argument, "--start and --image exclude each other");
        if (image.empty() != row.empty())
            return fail(ErrorKind::bad_argument, "--image and --row go together");
        if (image.empty()) {
            IIR2D_TRY(const auto chosen_start,
                      one_of("--start", start.empty() ? "sine" : start, {"sine", "step"}));
            problem.start = static_cast<solve::Heat::Start>(chosen_start);
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

}  // namespace

void add_solve_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("solve", "Numerical problems solved by synthesised kernels (docs/solvers.md)");
    command->require_subcommand(1);

    auto poisson = std::make_shared<Poisson1dArguments>();
    CLI::App* poisson1d = command->add_subcommand("poisson1d", "-u'' = f on (0,1)");
    poisson1d->add_option("--n", poisson->n, "Interior nodes")->required();
    poisson1d->add_option("--method", poisson->method, "thomas, jacobi, gauss-seidel or cg")
        ->capture_default_str();
    poisson1d->add_option("--rhs", poisson->rhs, "sine or poly")->capture_default_str();
    poisson1d->add_option("--ends", poisson->ends, "u(0) and u(1) as A,B")->capture_default_str();
    poisson->common.add_to(*poisson1d);
    poisson1d->callback([poisson, &chosen] {
        chosen = [poisson](const Interruption& interruption) { return poisson->run(interruption); };
    });

    auto heat = std::make_shared<HeatArguments>();
    CLI::App* heat_command = command->add_subcommand("heat", "u_t = k u_xx on (0,1)");
    heat_command->add_option("--n", heat->n, "Interior nodes; with insulated ends cells")->required();
    heat_command->add_option("--dt", heat->dt, "Time step")->required();
    heat_command->add_option("--steps", heat->steps, "How many")->required();
    heat_command->add_option("--scheme", heat->scheme, "explicit, implicit or crank-nicolson")
        ->capture_default_str();
    heat_command->add_option("--k", heat->k, "Conductivity")->capture_default_str();
    heat_command->add_option("--ends", heat->ends, "fixed, as they begin, or insulated")
        ->capture_default_str();
    heat_command->add_option("--start", heat->start, "sine or step (default: sine)");
    heat_command->add_option("--image", heat->image, "Start with a row of this image's first channel");
    heat_command->add_option("--row", heat->row, "Which, from 0");
    heat->common.add_to(*heat_command);
    heat_command->callback([heat, &chosen] {
        chosen = [heat](const Interruption& interruption) { return heat->run(interruption); };
    });
}

}  // namespace app
