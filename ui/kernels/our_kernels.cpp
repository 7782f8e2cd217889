// SPDX-License-Identifier: MIT
#include "ui/kernels/our_kernels.h"

#include <utility>

#include "core/support/listed.h"
#include "core/support/try.h"
#include "ui/session/session.h"
#include "ui/support/text.h"

namespace workbench {

OurKernels::OurKernels(Session& session, ShownKernelModel& shown, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_shown(shown),
      m_loading(JobPolicy::refuse_while_busy),
      m_cutting(JobPolicy::newest_wins_at_once) {}

OurKernels::~OurKernels() = default;

void OurKernels::load() {
    if (m_kernels || m_loading.isRunning()) return;
    const std::filesystem::path file = inspect::product_kernels_file();
    if (file.empty()) {
        m_note =
            tr("This build has no GPU kernels: no compiler for them (nvcc) was there when it was made, so "
               "there is no PTX to show.");
        m_waiting = {};
        Q_EMIT changed();
        return;
    }
    loadFrom(file);
}

void OurKernels::loadFrom(const std::filesystem::path& file) {
    m_note = tr("Reading the kernels…");
    m_loading.start(
        tr("Reading the kernels"),
        [file](const JobControl&) -> Result<Loaded> {
            Loaded made;
            IIR2D_TRY(made.kernels, inspect::ProductKernels::load(file));
            if (auto traffic = inspect::load_traffic())
                made.traffic = *std::move(traffic);
            else
                made.trafficProblem = traffic.error().message;
            return made;
        },
        [this](Result<Loaded> loaded) {
            if (!loaded) {
                m_note = toSentence(loaded.error().message);
                m_waiting = {};
                Q_EMIT changed();
                return;
            }
            m_kernels = loaded->kernels;
            m_traffic = std::move(loaded->traffic);
            const QString compiler = toText(m_kernels->compiler());
            m_note =
                tr("%1 kernels for %2%3")
                    .arg(m_kernels->kernels().size())
                    .arg(toText(m_kernels->target()),
                         compiler.isEmpty() ? QString()
                                            : tr(", nvcc %1").arg(compiler.section(QLatin1Char(','), 0, 0)));
            if (!loaded->trafficProblem.empty())
                m_note += QStringLiteral(". ") + toSentence(loaded->trafficProblem);
            Q_EMIT changed();
            // Nothing was asked for: the first one, so that the page is not empty.
            if (const auto waiting = std::exchange(m_waiting, {}))
                waiting();
            else if (!m_kernels->kernels().empty())
                showKernel(toText(m_kernels->kernels().front().name));
        });
    Q_EMIT changed();
}

void OurKernels::showKernel(const QString& name) {
    if (!m_kernels) {
        m_waiting = [this, name] { showKernel(name); };
        return load();
    }
    cut(name,
        [name]() -> Result<Choice> { return Choice{.kernel = name.toStdString(), .job = {}, .note = {}}; });
}

void OurKernels::showOperation(const Operation& operation) {
    if (!m_kernels) {
        m_waiting = [this, operation] { showOperation(operation); };
        return load();
    }
    const ImagePtr image = m_session.image();
    const Asked asked{
        .operation = operation,
        .device = m_session.device().device,
        .shape =
            image ? iir2d::Shape{.c = image->info.channels, .h = image->info.height, .w = image->info.width}
                  : iir2d::Shape{.h = 2048, .w = 2048},
        .kernels = m_kernels,
        .traffic = m_traffic};
    cut(toText(operation_name(operation)), [asked] { return choose(asked); });
}

Result<OurKernels::Choice> OurKernels::choose(const Asked& asked) {
    Choice made;
    const Operation& operation = asked.operation;
    if (asked.device.backend() == iir2d::Backend::cuda) {
        std::vector<std::string> names;
        for (const ptx::EntryInfo& one : asked.kernels->kernels()) names.push_back(one.name);
        const auto planned = inspect::planned_kernels(operation, asked.shape, asked.device, names);
        if (!planned.empty()) {
            made.kernel = planned.front();
            made.note = tr("%1: its plan on this GPU runs %2. ")
                            .arg(toText(operation_name(operation)), toText(joined(planned, ", ")));
        }
    }
    const auto row = inspect::traffic_of(operation);
    const inspect::JobTraffic* job = row && asked.traffic ? asked.traffic->find(row->job) : nullptr;
    if (job == nullptr || job->launches.empty()) {
        if (made.kernel.empty())
            return fail(ErrorKind::bad_argument,
                        tr("no kernel is known for %1: its plan is made for the GPU that runs it, and the "
                           "table of counted traffic has no row for it")
                            .arg(toText(operation_name(operation)))
                            .toStdString());
        made.note += tr("Its traffic was not counted.");
        return made;
    }
    made.job = job->job;
    if (made.kernel.empty()) {
        made.kernel = job->launches.front().kernel;
        made.note = tr("No GPU is chosen: these are the kernels that %1 was counted with. ")
                        .arg(toText(operation_name(operation)));
    }
    made.note +=
        tr("Counted, not timed: %1 at %2 × %3 moves %4 to %5 bytes a pixel, %6 to %7 times what a copy "
           "moves.")
            .arg(toText(job->job))
            .arg(asked.traffic->width)
            .arg(asked.traffic->height)
            .arg(job->read.distinct + job->written.distinct, 0, 'f', 2)
            .arg(job->read.all + job->written.all, 0, 'f', 2)
            .arg(job->copies.distinct, 0, 'f', 2)
            .arg(job->copies.all, 0, 'f', 2);
    if (!row->difference.empty())
        made.note += tr(" This operation has another %1 than what was counted.").arg(toText(row->difference));
    return made;
}

void OurKernels::setShown(bool on) {
    m_isShown = on;
    if (on) m_shown.show(m_kernel);
}

void OurKernels::cut(const QString& what, std::function<Result<Choice>()> choose) {
    m_cutting.start(
        tr("Reading %1").arg(what),
        [kernels = m_kernels, traffic = m_traffic,
         choose = std::move(choose)](const JobControl&) -> Result<ShownKernelPtr> {
            IIR2D_TRY(const Choice choice, choose());
            auto made = std::make_shared<ShownKernel>();
            made->origin = tr("Ours, %1").arg(toText(kernels->target()));
            made->kernel = choice.kernel;
            made->title = toText(choice.kernel);
            made->isPtx = true;
            IIR2D_TRY(made->text, kernels->text(choice.kernel));
            IIR2D_RETURN_IF_ERROR(readFacts(*made));
            if (traffic) {
                for (const inspect::JobTraffic& job : traffic->jobs) {
                    if (!choice.job.empty() && job.job != choice.job) continue;
                    for (const inspect::LaunchTraffic& launch : job.launches) {
                        if (!choice.job.empty() || launch.kernel == choice.kernel)
                            made->counted.push_back({.job = job.job, .launch = launch});
                    }
                }
                made->countedNote =
                    !choice.note.isEmpty() ? choice.note
                    : made->counted.empty()
                        ? tr("No row of the table of counted traffic launches this kernel.")
                        : tr("Counted, not timed: f32 at %1 × %2, default parameters, %3, CUDA %4.")
                              .arg(traffic->width)
                              .arg(traffic->height)
                              .arg(toText(traffic->target), toText(traffic->toolkit));
            }
            return made;
        },
        [this](Result<ShownKernelPtr> made) {
            if (!made) {
                if (made.error().kind != ErrorKind::cancelled)
                    Q_EMIT failed(toSentence(made.error().message));
                return;
            }
            m_kernel = *made;
            if (m_isShown) m_shown.show(m_kernel);
            Q_EMIT shown((*made)->title);
        });
}

}  // namespace workbench
