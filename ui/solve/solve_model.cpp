// SPDX-License-Identifier: MIT
#include "ui/solve/solve_model.h"

#include "core/image/image_io.h"
#include "core/solve/report.h"
#include "core/solve/vectors.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/rate_limit.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

constexpr std::chrono::milliseconds betweenLooks{100};  // at what is being solved
constexpr std::size_t mostLiveSteps = 2000;
constexpr std::int64_t keptTimes = 201;

// What the thread that solves tells of its steps, now and then. The model is gone only after the thread.
class SolveWatch {
  public:
    using Show = std::function<void(std::vector<solve::HistoryStep>)>;
    SolveWatch(const JobControl& control, Show show) : m_control(control), m_show(std::move(show)) {
        (void)m_limit.isDue();  // nothing is shown of what is solved within one interval
    }
    void add(const solve::HistoryStep& step) {
        m_history.add(step);
        if (m_limit.isDue()) m_control.post([show = m_show, steps = m_history.steps()] { show(steps); });
    }

  private:
    const JobControl& m_control;
    Show m_show;
    RateLimit m_limit{betweenLooks};
    solve::History m_history{mostLiveSteps};
};

ImagePtr imageOf(std::span<const double> samples, const Image& like) {
    auto made = std::make_shared<Image>();
    made->info = like.info;
    const PlanarImage& shape = like.pixels;
    made->pixels =
        PlanarImage::uninitialised(shape.width(), shape.height(), shape.channels(), iir2d::ElementType::f32);
    const auto size = std::size_t(shape.plane_size());
    for (int channel = 0; channel < shape.channels(); ++channel) {
        const auto from = samples.subspan(std::size_t(channel) * size, size);
        std::ranges::transform(from, made->pixels.plane_f32(channel).begin(),
                               [](double sample) { return float(sample); });
    }
    return made;
}

Result<void> readTarget(solve::Fit& fit, const QString& path, const TaskControl& control) {
    IIR2D_TRY(const Image target, read_image(toPath(path), {}, control));
    const PlanarImage& pixels = target.pixels;
    if (pixels.width() != fit.width || pixels.height() != fit.height || pixels.channels() != fit.planes)
        return fail(ErrorKind::bad_input,
                    "the image and its target differ in size or channels: " + std::to_string(fit.width) +
                        " x " + std::to_string(fit.height) + " and " + std::to_string(pixels.width()) +
                        " x " + std::to_string(pixels.height()));
    for (int channel = 0; channel < pixels.channels(); ++channel) {
        const auto plane = pixels.plane_f32(channel);
        fit.target.insert(fit.target.end(), plane.begin(), plane.end());
    }
    return {};
}

std::vector<double> differences(const solve::Solution& solution) {
    std::vector<double> made(solution.computed.size());
    for (std::size_t k = 0; k < made.size(); ++k) made[k] = solution.computed[k] - solution.exact[k];
    return made;
}

template <class Problem>
constexpr bool hasSizes = !std::is_same_v<Problem, solve::Minimise> && !std::is_same_v<Problem, solve::Fit>;

// Solves the problem at each of its sizes.
template <class Problem>
Result<void> solveSizes(const Problem& coarsest, const solve::Common& common, solve::Engine& engine,
                        SolveOutcome& outcome) {
    if constexpr (hasSizes<Problem>) {
        Problem problem = coarsest;
        if constexpr (std::is_same_v<Problem, solve::Heat>) problem.snapshots = keptTimes;
        for (int k = 0; k < outcome.choices.sizes; ++k) {
            if (k > 0) {
                problem = solve::refined(problem);
                outcome.solved.back().solution = {};  // the finest one's is shown
                outcome.solved.back().snapshots = {};
            }
            IIR2D_TRY(auto solved, solve::solve(problem, common, engine));
            outcome.solved.push_back(std::move(solved));
        }
    } else {
        IIR2D_TRY(auto solved, solve::solve(coarsest, common, engine));
        outcome.solved.push_back(std::move(solved));
    }
    if constexpr (std::is_same_v<Problem, solve::Poisson2d>) {
        const solve::Solution& solution = outcome.last().solution;
        outcome.solution = makeSolutionMap(solution.computed, false);
        outcome.error = makeSolutionMap(differences(solution), true);
    }
    if constexpr (std::is_same_v<Problem, solve::Minimise>) {
        ObjectiveField field{.where = rectangleAround(outcome.last().history), .values = {}};
        const auto quick = solve::make_compiled_engine(1);
        IIR2D_TRY(field.values, solve::values_over(coarsest, field.where, common, *quick));
        outcome.field = std::move(field);
    }
    if constexpr (std::is_same_v<Problem, solve::Fit>) {
        const auto& [name, value] = outcome.last().figures.front();
        outcome.filter = Operation{
            .what = FilterOperation{.filter_id = coarsest.filter_id, .parameters = {{name, value}}}};
    }
    return {};
}

}  // namespace

SolveModel::SolveModel(Session& session, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_choices(solveChoicesFrom(toText(session.settings().solve_choices))) {
    connect(&session, &Session::imageChanged, this, &SolveModel::stateChanged);
    connect(&m_job, &Job::progressed, this, &SolveModel::progressed);
    connect(&m_job, &Job::started, this, &SolveModel::stateChanged);
}

SolveModel::~SolveModel() = default;

void SolveModel::setChoices(const SolveChoices& choices) {
    if (choices == m_choices) return;
    m_choices = choices;
    m_session.settings().solve_choices = toJson(choices).toStdString();  // saved with the other settings
    Q_EMIT stateChanged();
}

ImagePtr SolveModel::image() const {
    return m_session.image();
}

QString SolveModel::hindrance() const {
    return hindranceOf(m_choices, image());
}

QString SolveModel::commandLine() const {
    return commandLineOf(m_choices, image());
}

void SolveModel::run() {
    if (isRunning() || !hindrance().isEmpty()) return;
    m_failure.clear();
    m_live.clear();
    m_tuned = {};
    Q_EMIT liveChanged();
    Q_EMIT tunedChanged();
    const auto work = [this, choices = m_choices, image = image(),
                       command = commandLine()](const JobControl& control) -> Result<SolveOutcomePtr> {
        auto outcome = std::make_shared<SolveOutcome>();
        outcome->choices = choices;
        outcome->command = command;
        solve::Common common = commonOf(choices);
        common.control = {.stop = control.stop, .progress = control.progress};
        SolveWatch watch(control, [this](std::vector<solve::HistoryStep> steps) {
            m_live = std::move(steps);
            Q_EMIT liveChanged();
        });
        common.watch = [&watch](const solve::HistoryStep& step) { watch.add(step); };
        SolveTask task = taskOf(choices, image);
        RateLimit limit(betweenLooks);
        if (auto* fit = std::get_if<solve::Fit>(&task)) {
            IIR2D_RETURN_IF_ERROR(readTarget(*fit, choices.target, {.stop = control.stop}));
            fit->watch = [&](double parameter, std::span<const double> samples) {
                if (!limit.isDue()) return;
                control.post([this, shown = TunedImage{image, imageOf(samples, *image), parameter}] {
                    m_tuned = shown;
                    Q_EMIT tunedChanged();
                });
            };
        }
        IIR2D_TRY(const auto engine, solve::make_engine(choices.engine, common.threads, control.stop));
        IIR2D_RETURN_IF_ERROR(std::visit(
            [&](const auto& problem) { return solveSizes(problem, common, *engine, *outcome); }, task));
        return SolveOutcomePtr(std::move(outcome));
    };
    m_job.start(tr("Solving"), work, [this](Result<SolveOutcomePtr> outcome) {
        if (outcome) {
            m_outcome = *std::move(outcome);
            m_failure = toSentence(m_outcome->last().shortfall);
        } else if (outcome.error().kind != ErrorKind::cancelled) {
            m_failure = toSentence(outcome.error().message);
        }
        Q_EMIT stateChanged();
        Q_EMIT ended();
    });
}

void SolveModel::exportTo(Format format, const QString& path) {
    if (!m_outcome) return;
    write(path, [outcome = m_outcome, format] {
        return format == Format::csv ? to_csv(outcome->solved) : to_json(outcome->solved);
    });
}

void SolveModel::writeTo(const QByteArray& bytes, const QString& path) {
    write(path, [bytes] { return bytes.toStdString(); });
}

void SolveModel::write(const QString& path, std::function<std::string()> text) {
    m_writer.start(
        tr("Writing %1").arg(path),
        [text = std::move(text), path](const JobControl&) -> Result<void> {
            return write_file_atomically(toPath(path), text());
        },
        [this, path](const Result<void>& done) {
            if (done) {
                Q_EMIT written(path);
            } else {
                Q_EMIT writeFailed(toSentence(done.error().message));
            }
        });
}

bool SolveModel::mayPutIntoRecipe() const {
    return m_outcome && m_outcome->filter && !isRunning();
}

void SolveModel::putIntoRecipe() {
    if (!mayPutIntoRecipe()) return;
    Recipe next = m_session.recipe();
    next.operations.push_back(*m_outcome->filter);
    m_session.changeRecipe(tr("Add the fitted filter"), std::move(next));
}

}  // namespace workbench
