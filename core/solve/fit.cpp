// SPDX-License-Identifier: MIT
// Tunes the one live parameter of a filter to a target image. The filter is the library's (docs/filters.md):
// a cascade of first-order sections along the rows, then along the columns, with the truncated start over
// mirrored borders. The gradient goes back through the same lines by the adjoint of the section's tree, part
// by part.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/solve/descent.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "iir2d/filter.h"

namespace workbench::solve {

namespace {

constexpr std::int64_t part_length = 64;  // what the adjoint of a loop keeps of it
constexpr double default_fit_step = 0.1;
constexpr std::int64_t default_fit_steps = 100;

// Returns the passes along an axis of a filter whose one parameter is the feedback of exponential averages:
// false forwards, true from the other end. Empty for every other filter.
std::vector<bool> passes_of(const iir2d::FilterRow& row) {
    if (row.parameters.size() != 1 || row.parameters[0].scaling != iir2d::ParameterScaling::decay) return {};
    const double feedback = row.parameters[0].default_value;
    const auto data = iir2d::make_filter({.id = row.id});
    if (!data) return {};
    std::vector<bool> passes;
    for (const iir2d::AxisFilter* axis : {&data->vertical, &data->horizontal}) {
        passes.clear();
        for (const iir2d::Stage& stage : axis->stages) {
            if (stage.kind == iir2d::Stage::Kind::sum) return {};
            for (const iir2d::Section& s : stage.sections) {
                if (s.a != std::array{feedback, 0.0} || s.b != std::array{1 - feedback, 0.0, 0.0}) return {};
                passes.push_back(stage.kind == iir2d::Stage::Kind::anticausal);
            }
        }
    }
    return passes;
}

// The lines of one pass over the planes of an image.
struct Lines {
    std::int64_t count = 0;
    std::int64_t length = 0;
    std::int64_t stride = 0;     // between samples of a line
    std::int64_t per_plane = 0;  // lines of a plane
    std::int64_t step = 0;       // between lines
    std::int64_t plane = 0;      // samples of a plane
    bool is_reversed = false;

    std::int64_t start(std::int64_t line) const {
        const std::int64_t first = line / per_plane * plane + line % per_plane * step;
        return is_reversed ? first + (length - 1) * stride : first;
    }
    std::int64_t move() const { return is_reversed ? -stride : stride; }
};

// What a pass keeps for its way back: its parts of lines, and the state before each.
struct Pass {
    Lines lines;
    std::vector<Vector> parts;
    std::vector<Vector> states;
};

class Tuner {
  public:
    Tuner(const Fit& problem, const std::vector<bool>& passes, Engine& engine)
        : m_problem(problem), m_engine(engine) {
        const std::int64_t w = problem.width, h = problem.height, plane = w * h;
        for (const bool is_column : {false, true}) {
            for (const bool is_reversed : passes) {
                const std::int64_t per_plane = is_column ? w : h;
                m_passes.push_back({{.count = per_plane * problem.planes,
                                     .length = is_column ? h : w,
                                     .stride = is_column ? w : 1,
                                     .per_plane = per_plane,
                                     .step = is_column ? 1 : w,
                                     .plane = plane,
                                     .is_reversed = is_reversed},
                                    {},
                                    {}});
            }
        }
    }

    Result<Evaluation> evaluate(double alpha) {
        Vector image = m_problem.input;
        for (Pass& pass : m_passes) IIR2D_RETURN_IF_ERROR(forwards(pass, image, alpha));
        if (m_problem.watch) m_problem.watch(alpha, image);
        const auto pixels = static_cast<std::int32_t>(image.size());
        Vector squares(image.size());
        IIR2D_RETURN_IF_ERROR(
            m_engine.run("squared_error", {image, m_problem.target, Value::out(squares)}, pixels, 1));
        IIR2D_TRY(const double total, sum(m_engine, squares));
        const double share = 1.0 / static_cast<double>(image.size());
        Vector adjoint(image.size());
        squares.assign(squares.size(), 0);  // of the target, which is not asked for
        const Vector shares(image.size(), share);
        IIR2D_RETURN_IF_ERROR(m_engine.run(
            "squared_error_backward",
            {image, m_problem.target, shares, Value::out(adjoint), Value::out(squares)}, pixels, 1));
        Vector gradient(1);
        for (auto pass = m_passes.rbegin(); pass != m_passes.rend(); ++pass)
            IIR2D_RETURN_IF_ERROR(backwards(*pass, adjoint, alpha, gradient));
        return Evaluation{total * share, std::move(gradient)};
    }

  private:
    static std::int64_t parts_of(const Lines& lines) {
        return (lines.length + part_length - 1) / part_length;
    }
    static std::int64_t samples_in(const Lines& lines, std::int64_t part) {
        return std::min(part_length, lines.length - part * part_length);
    }

    // Calls act(sample of the part, sample of the image).
    template <class Act>
    static void each_sample(const Lines& lines, std::int64_t part, Act act) {
        const std::int64_t m = samples_in(lines, part);
        for (std::int64_t line = 0; line < lines.count; ++line) {
            const std::int64_t from = lines.start(line) + part * part_length * lines.move();
            for (std::int64_t j = 0; j < m; ++j)
                act(static_cast<std::size_t>(line * m + j),
                    static_cast<std::size_t>(from + j * lines.move()));
        }
    }
    static Vector part_of(const Lines& lines, std::int64_t part, const Vector& image) {
        Vector made(static_cast<std::size_t>(lines.count * samples_in(lines, part)));
        each_sample(lines, part, [&](std::size_t to, std::size_t from) { made[to] = image[from]; });
        return made;
    }

    Result<void> forwards(Pass& pass, Vector& image, double alpha) {
        const Lines& lines = pass.lines;
        const auto n = static_cast<std::int32_t>(lines.count);
        pass.parts.clear();
        pass.states.clear();
        Vector state(static_cast<std::size_t>(n));
        for (std::int64_t part = 0; part < parts_of(lines); ++part) {
            const auto m = static_cast<std::int32_t>(samples_in(lines, part));
            Vector x = part_of(lines, part, image);
            if (part == 0)
                IIR2D_RETURN_IF_ERROR(m_engine.run("fit_start", {x, Value::out(state), alpha}, n, m));
            Vector y(x.size()), after(state.size());
            IIR2D_RETURN_IF_ERROR(
                m_engine.run("fit_ema", {x, state, Value::out(y), Value::out(after), alpha}, n, m));
            each_sample(lines, part, [&](std::size_t from, std::size_t to) { image[to] = y[from]; });
            pass.parts.push_back(std::move(x));
            pass.states.push_back(std::exchange(state, std::move(after)));
        }
        return {};
    }

    Result<void> backwards(const Pass& pass, Vector& adjoint, double alpha, Vector& gradient) {
        const Lines& lines = pass.lines;
        const auto n = static_cast<std::int32_t>(lines.count);
        Vector adj_after(static_cast<std::size_t>(n));
        for (std::int64_t part = parts_of(lines); part-- > 0;) {
            const auto m = static_cast<std::int32_t>(samples_in(lines, part));
            const Vector& x = pass.parts[static_cast<std::size_t>(part)];
            const Vector adj_y = part_of(lines, part, adjoint);
            Vector adj_x(x.size()), adj_state(adj_after.size());
            IIR2D_RETURN_IF_ERROR(
                m_engine.run("fit_ema_backward",
                             {x, pass.states[static_cast<std::size_t>(part)], adj_y, adj_after,
                              Value::out(adj_x), Value::out(adj_state), Value::out(gradient), alpha},
                             n, m));
            if (part == 0)
                IIR2D_RETURN_IF_ERROR(
                    m_engine.run("fit_start_backward",
                                 {x, adj_state, Value::out(adj_x), Value::out(gradient), alpha}, n, m));
            each_sample(lines, part, [&](std::size_t from, std::size_t to) { adjoint[to] = adj_x[from]; });
            adj_after.swap(adj_state);
        }
        return {};
    }

    const Fit& m_problem;
    Engine& m_engine;
    std::vector<Pass> m_passes;
};

}  // namespace

std::vector<int> fitted_filters() {
    std::vector<int> ids;
    for (const iir2d::FilterRow& row : iir2d::filter_table()) {
        if (!passes_of(row).empty()) ids.push_back(row.id);
    }
    return ids;
}

std::string fitted_filters_text() {
    std::vector<std::string> ids;
    for (const int id : fitted_filters()) ids.push_back(std::to_string(id));
    return listed(ids, "or");
}

Result<std::string> fitted_parameter(int filter_id) {
    const auto row = iir2d::filter_row(filter_id);
    if (row && !passes_of(*row).empty()) return std::string(row->parameters[0].name);
    return fail(ErrorKind::bad_argument,
                "--filter " + std::to_string(filter_id) + " cannot be fitted: give " + fitted_filters_text());
}

Result<Solved> solve(const Fit& problem, const Common& common, Engine& engine) {
    IIR2D_RETURN_IF_ERROR(check_common(common));
    IIR2D_TRY(const std::string name, fitted_parameter(problem.filter_id));
    IIR2D_TRY(const iir2d::FilterRow row, from_kernel(iir2d::filter_row(problem.filter_id)));
    const iir2d::FilterParameter& parameter = row.parameters[0];
    const double start = problem.start.value_or(parameter.default_value);
    if (!(start >= parameter.minimum && start <= parameter.maximum))
        return fail(ErrorKind::bad_argument, "--start " + format_number(start) + " is out of range: give " +
                                                 format_number(parameter.minimum) + " to " +
                                                 format_number(parameter.maximum));
    const auto samples = static_cast<double>(problem.width) * static_cast<double>(problem.height) *
                         static_cast<double>(problem.planes);
    if (!(samples >= 1) || samples > 1 << 30 || static_cast<double>(problem.input.size()) != samples ||
        problem.target.size() != problem.input.size())
        return fail(ErrorKind::bad_input,
                    "the image and its target are not of one size, of at most 2^30 samples");
    const auto is_number = [](double one) { return std::isfinite(one); };
    if (!std::ranges::all_of(problem.input, is_number) || !std::ranges::all_of(problem.target, is_number))
        return fail(ErrorKind::bad_argument, "the image or its target has a sample that is not finite");
    const std::vector<bool> passes = passes_of(row);
    const auto kept = static_cast<double>(2 * passes.size() + 6);  // planes
    IIR2D_RETURN_IF_ERROR(check_memory("fit", kept * sizeof(double) * samples));
    Stopwatch watch;
    Solved solved{.problem = "fit",
                  .method = std::string(name_of(problem.method)),
                  .engine = std::string(name_of(engine.kind())),
                  .unknowns = 1};
    Tuner tuner(problem, passes, engine);
    const Objective objective = [&](const Vector& p) -> Result<Evaluation> {
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        return tuner.evaluate(p[0]);
    };
    const std::optional<double> usual =
        problem.method == Descent::adam ? std::optional(default_fit_step) : std::nullopt;
    // Fewer iterations than the usual steps are a limit, by which it must have converged.
    std::optional<std::int64_t> steps = problem.steps;
    if (!steps && common.max_iterations >= default_fit_steps) steps = default_fit_steps;
    IIR2D_TRY(const HistoryStep best, descend(objective, {start},
                                              {.method = problem.method,
                                               .step = problem.step ? problem.step : usual,
                                               .steps = steps,
                                               .has_restarts = true,
                                               .range = std::pair(parameter.minimum, parameter.maximum)},
                                              common, engine, solved));
    solved.solve_seconds = watch.lap();
    solved.figures = {{name, best.parameters[0]}};
    return solved;
}

}  // namespace workbench::solve
