// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_model.h"

#include "core/recipe/steps.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/tune/evaluate.h"
#include "core/tune/install.h"
#include "core/tune/problem.h"
#include "core/tune/use.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

constexpr std::size_t mostSpecs = 200;  // of those that were met, in a list

TuningDecision decisionOf(const QString& spec, int threads, const iir2d::TuneOptions& options) {
    TuningDecision made{.spec = spec, .failure = {}, .options = options, .said = {}};
    const auto explained = [&]() -> Result<iir2d::Explanation> {
        IIR2D_TRY(const auto problem, tune::problem_from_spec(spec.simplified().toStdString()));
        IIR2D_TRY(const auto device, from_kernel(iir2d::Device::cpu(threads)));
        return tune::explain(device, problem, options);
    }();
    if (explained)
        made.said = *explained;
    else
        made.failure = toSentence(explained.error().message);
    return made;
}

}  // namespace

TuningModel::TuningModel(Session& session, QObject* parent) : QObject(parent), m_session(session) {
    connect(&m_job, &Job::progressed, this, &TuningModel::progressed);
    connect(&m_job, &Job::started, this, &TuningModel::workChanged);
}

TuningModel::~TuningModel() = default;

void TuningModel::setMode(iir2d::TuneMode mode) {
    iir2d::TuneOptions next = options();
    if (next.mode == mode) return;
    next.mode = mode;
    iir2d::set_tune_options(next);
    m_session.settings().tune_mode = std::string(iir2d::name_of(mode));
    m_session.saveSettings();
    Q_EMIT optionsChanged();
    if (mode == iir2d::TuneMode::off)
        change(tr("Turning the tuner off"), [] {
            tune::end_use();
            return Result<void>();
        });
    else
        reload();  // what the mode before never read
    explainAgain();
}

void TuningModel::setSelection(int topK, double threshold) {
    iir2d::TuneOptions next = options();
    if (next.top_k == topK && next.threshold == threshold) return;
    next.top_k = topK;
    next.threshold = threshold;
    iir2d::set_tune_options(next);
    Q_EMIT optionsChanged();
    explainAgain();
}

void TuningModel::refresh() {
    m_reader.start(
        tr("Reading the models"),
        [](const JobControl&) -> Result<TuningStatePtr> { return readTuningState(); },
        [this](Result<TuningStatePtr> state) {
            if (!state) return Q_EMIT changeFailed(toSentence(state.error().message));
            m_state = *std::move(state);
            Q_EMIT stateRead();
            Q_EMIT workChanged();
        });
}

void TuningModel::reload() {
    change(tr("Reading the models"), [] { return Result<void>(); });
}

std::map<std::string, std::uint64_t> TuningModel::counters() const {
    std::map<std::string, std::uint64_t> all;
    if (m_state) all = m_state->kept.counters;
    for (const auto& [name, value] : tune::counters_of(tune::unkept_statistics())) all[name] += value;
    return all;
}

// Makes a change of files, then lets the library and the page know what there is now.
void TuningModel::change(const QString& what, std::function<Result<void>()> make) {
    m_changer.start(
        what,
        [make = std::move(make)](const JobControl&) -> Result<void> {
            const auto made = make();
            tune::begin_use();
            return made;
        },
        [this](const Result<void>& made) {
            if (!made) Q_EMIT changeFailed(toSentence(made.error().message));
            refresh();
            explainAgain();
        });
}

void TuningModel::activate(const tune::RegisteredModel& model) {
    change(tr("Activating a model"), [model]() -> Result<void> {
        IIR2D_TRY(const auto version, tune::activate_model(model));
        (void)version;
        return {};
    });
}

void TuningModel::remove(const tune::RegisteredModel& model) {
    change(tr("Removing a model"), [model] { return tune::remove_model(model); });
}

void TuningModel::forget(const std::optional<std::string>& key) {
    change(tr("Forgetting"), [key]() -> Result<void> {
        tune::keep_use();  // what this process learned is forgotten too
        IIR2D_TRY(const auto gone, tune::forget_learned(key));
        (void)gone;
        iir2d::forget_learned(key ? std::optional<std::string_view>(*key) : std::nullopt);
        return {};
    });
}

void TuningModel::resetStatistics() {
    change(tr("Counting from zero"), []() -> Result<void> {
        tune::keep_use();
        return tune::reset_statistics();
    });
}

void TuningModel::explain(const QString& spec) {
    m_asked = spec.trimmed().isEmpty() ? QString() : spec;
    if (m_asked.isEmpty()) {
        m_explainer.abandon();
        m_decision = {};
        return Q_EMIT decisionChanged();
    }
    m_explainer.start(
        tr("Looking at a problem"),
        [spec, threads = m_session.threads(), options = options()](
            const JobControl&) -> Result<TuningDecision> { return decisionOf(spec, threads, options); },
        [this](Result<TuningDecision> made) {
            m_decision =
                made ? *std::move(made) : TuningDecision{.failure = toSentence(made.error().message)};
            Q_EMIT decisionChanged();
        });
}

// What was asked last may still wait for its answer.
void TuningModel::explainAgain() {
    if (!m_asked.isEmpty()) explain(m_asked);
}

QStringList TuningModel::recipeSpecs() const {
    QStringList specs;
    const ImagePtr image = m_session.image();
    if (!image || !validate(m_session.recipe(), image->pixels.view().shape)) return specs;
    for (const Step& step : steps_of(m_session.recipe(), image->pixels.view().shape))
        specs << toText(tune::spec_of({.operation = step.operation->what,
                                       .element = step.pool() ? step.element : iir2d::ElementType::f32,
                                       .width = step.input.w,
                                       .height = step.input.h,
                                       .planes = step.input.n * step.input.c}));
    return specs;
}

QStringList TuningModel::seenSpecs() const {
    QStringList specs;
    if (!m_state) return specs;
    for (const std::string& spec : m_state->kept.seen) {
        if (std::size_t(specs.size()) == mostSpecs) break;
        specs << toText(spec);
    }
    return specs;
}

void TuningModel::setWork(const TuningWork& work) {
    if (work == m_work) return;
    m_work = work;
    Q_EMIT workChanged();
}

QString TuningModel::hindrance() const {
    return m_otherHindrance.isEmpty() ? hindranceOf(m_work, m_state.get()) : m_otherHindrance;
}

void TuningModel::setOtherHindrance(const QString& because) {
    if (because == m_otherHindrance) return;
    m_otherHindrance = because;
    Q_EMIT workChanged();
}

QString TuningModel::commandLine() const {
    return commandLineOf(m_work, m_session.threads(), m_state.get());
}

bool TuningModel::isMeasuring() const {
    return isRunning() &&
           (m_work.kind == TuningWork::Kind::retrain || m_work.kind == TuningWork::Kind::collect);
}

void TuningModel::run() {
    if (isRunning() || !hindrance().isEmpty()) return;
    m_failure.clear();
    m_said.clear();
    m_clock.start();
    m_job.start(
        tr("Tuning"),
        [work = m_work, threads = m_session.threads()](const JobControl& control) -> Result<TuningOutcome> {
            IIR2D_TRY(const auto device, from_kernel(iir2d::Device::cpu(threads)));
            auto outcome = doWork(work, device, control);
            if (outcome && outcome->hasNewModels) tune::begin_use();
            return outcome;
        },
        [this](Result<TuningOutcome> outcome) {
            if (outcome) {
                m_said = outcome->said;
                if (outcome->isRefused) m_failure = m_said.join(QLatin1Char('\n'));
                if (outcome->figures) {
                    m_figures = outcome->figures;
                    Q_EMIT figuresChanged();
                }
            } else if (outcome.error().kind != ErrorKind::cancelled) {
                m_failure = toSentence(outcome.error().message);
            }
            refresh();
            explainAgain();
            Q_EMIT workChanged();
            Q_EMIT ended();
        });
}

QString TuningModel::timeLeft(double fraction) const {
    if (!isRunning() || fraction < 0.02) return {};
    const double seconds = double(m_clock.elapsed()) / 1000 * (1 - fraction) / fraction;
    return seconds < 90 ? tr("about %1 s left").arg(seconds, 0, 'f', 0)
                        : tr("about %1 min left").arg(seconds / 60, 0, 'f', 0);
}

void TuningModel::exportTo(Format format, const QString& purpose, const QString& path) {
    if (!m_figures) return;
    if (format == Format::markdown)
        return write(
            path, [figures = m_figures] { return tune::to_markdown(figures->headroom, figures->options); });
    const JudgedPurpose* const judged = m_figures->of(purpose.toStdString());
    if (!judged) return;
    if (!judged->whyNot.isEmpty()) return Q_EMIT writeFailed(judged->whyNot);
    write(path, [figures = m_figures, judged, format] {
        return format == Format::csv ? tune::to_csv(judged->evaluation)
                                     : tune::to_json(judged->evaluation, 10);
    });
}

void TuningModel::writeTo(const QByteArray& bytes, const QString& path) {
    write(path, [bytes] { return bytes.toStdString(); });
}

void TuningModel::write(const QString& path, std::function<std::string()> text) {
    m_writer.start(
        tr("Writing %1").arg(path),
        [text = std::move(text), path](const JobControl&) -> Result<void> {
            return write_file_atomically(toPath(path), text());
        },
        [this, path](const Result<void>& done) {
            if (done)
                Q_EMIT written(path);
            else
                Q_EMIT writeFailed(toSentence(done.error().message));
        });
}

}  // namespace workbench
