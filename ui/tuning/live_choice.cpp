// SPDX-License-Identifier: MIT
#include "ui/tuning/live_choice.h"

#include <algorithm>

#include "core/recipe/steps.h"
#include "core/support/try.h"
#include "core/tune/problem.h"
#include "core/tune/use.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/tuning/tuning_model.h"
#include "ui/tuning/tuning_words.h"

namespace workbench {
namespace {

constexpr int lookPause_ms = 120;

struct LiveProblem {
    QString operation;
    tune::Problem problem;
};

Result<LiveStep> liveStep(const LiveProblem& live, const iir2d::Device& device,
                          const std::optional<iir2d::Config>& pin, const iir2d::TuneOptions& options) {
    const tune::Problem& problem = live.problem;
    LiveStep made{
        .operation = live.operation, .spec = toText(tune::spec_of(problem)), .said = {}, .config = {}};
    IIR2D_TRY(made.said, tune::explain(device, problem, options));
    const bool isPinned =
        pin && (problem.filter()
                    ? iir2d::check_config(device, tune::filter_desc_of(problem), *pin)
                    : iir2d::check_config(device, tune::pool_desc_of(problem), tune::use_of(problem), *pin));
    made.config = isPinned ? *pin : made.said.decision.config;
    made.reason = isPinned ? iir2d::TuneReason::pinned : made.said.decision.reason;
    return made;
}

}  // namespace

std::optional<double> LiveStep::predictedRatio() const {
    if (config == said.decision.config && said.decision.predicted_ratio) return said.decision.predicted_ratio;
    const auto found = std::ranges::find(said.candidates, config, &iir2d::RankedConfig::config);
    return found == said.candidates.end() ? std::nullopt : found->predicted_ratio;
}

LiveChoice::LiveChoice(Session& session, TuningModel& tuning, QObject* parent)
    : QObject(parent), m_session(session), m_tuning(tuning) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(lookPause_ms);
    connect(&m_pause, &QTimer::timeout, this, &LiveChoice::look);
    const auto later = [this] { m_pause.start(); };
    connect(&session, &Session::imageChanged, this, later);
    connect(&session, &Session::recipeChanged, this, later);
    connect(&session, &Session::deviceChanged, this, later);
    connect(&session, &Session::pinChanged, this, later);
    connect(&tuning, &TuningModel::optionsChanged, this, later);
    connect(&tuning, &TuningModel::stateRead, this, later);
}

LiveChoice::~LiveChoice() = default;

void LiveChoice::look() {
    std::vector<LiveProblem> problems;
    const ImagePtr image = m_session.image();
    const bool isOnCpu = m_session.device().device.backend() == iir2d::Backend::cpu;
    if (image && isOnCpu && validate(m_session.recipe(), image->pixels.view().shape)) {
        for (const Step& step : steps_of(m_session.recipe(), image->pixels.view().shape))
            problems.push_back({toText(operation_name(*step.operation)),
                                {.operation = step.operation->what,
                                 .element = step.pool() ? step.element : iir2d::ElementType::f32,
                                 .width = step.input.w,
                                 .height = step.input.h,
                                 .planes = step.input.n * step.input.c}});
    }
    if (problems.empty()) {
        m_looker.abandon();
        m_steps.clear();
        return Q_EMIT changed();
    }
    m_looker.start(
        {},
        [problems = std::move(problems), device = m_session.device().device, pin = m_session.pinnedConfig(),
         options = m_tuning.options()](const JobControl& control) -> Result<std::vector<LiveStep>> {
            std::vector<LiveStep> steps;
            for (const LiveProblem& one : problems) {
                if (control.cancelled()) return fail(ErrorKind::cancelled, "it was cancelled");
                IIR2D_TRY(steps.emplace_back(), liveStep(one, device, pin, options));
            }
            return steps;
        },
        [this](Result<std::vector<LiveStep>> steps) {
            m_steps = steps ? *std::move(steps) : std::vector<LiveStep>();
            Q_EMIT changed();
        });
}

std::vector<iir2d::RankedConfig> LiveChoice::offers(std::size_t most) const {
    if (m_steps.empty()) return {};
    std::vector<iir2d::RankedConfig> all = m_steps.front().said.candidates;
    const auto knobs = [](const iir2d::RankedConfig& one) {
        return one.config == iir2d::Config{} ? 0 : 1 + std::ranges::count(iir2d::text_of(one.config), ' ');
    };
    if (!all.front().predicted_ratio) std::ranges::stable_sort(all, {}, knobs);
    all.resize(std::min(all.size(), most));
    return all;
}

bool LiveChoice::isPinned() const {
    if (m_steps.empty()) return false;
    const LiveStep& first = m_steps.front();
    return first.reason == iir2d::TuneReason::pinned && first.config == m_session.pinnedConfig();
}

QString LiveChoice::badge() const {
    return m_steps.empty() ? QString() : toText(iir2d::text_of(m_steps.front().config));
}

QString LiveChoice::toolTip() const {
    QStringList lines;
    for (const LiveStep& step : m_steps) {
        QString line =
            tr("%1: %2, because %3")
                .arg(step.operation, toText(iir2d::text_of(step.config)), reasonWords(step.reason));
        const auto ratio = step.predictedRatio();
        if (ratio && step.config != iir2d::Config{}) line += tr("; predicted: %1").arg(gainWords(*ratio));
        lines << line;
    }
    lines << tr("Results are the same to the bit. Click to pin another config.");
    return lines.join(QLatin1Char('\n'));
}

}  // namespace workbench
