// SPDX-License-Identifier: MIT
#include "ui/kernels/shown_kernel.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/inspect/language.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/difference.h"
#include "core/synth/statistics.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {

Result<void> readFacts(ShownKernel& kernel) {
    IIR2D_TRY(kernel.module, ptx::Module::parse(kernel.text));
    IIR2D_TRY(kernel.facts, inspect::facts_of(*kernel.module, kernel.kernel));
    return {};
}

bool isToBeRead(const ShownKernel& kernel) {
    return !kernel.text.empty() && !kernel.module && kernel.instructions.empty();
}

namespace {

void compare(ShownKernel& kernel) {
    const synth::Counts here = synth::instruction_mix(kernel.text);
    const synth::Counts there = synth::instruction_mix(kernel.otherText);
    for (const auto& [name, count] : here)
        kernel.instructions.push_back({.name = name, .here = count, .there = 0});
    for (const auto& [name, count] : there) {
        const auto known = std::ranges::find(kernel.instructions, name, &ShownKernel::Instructions::name);
        if (known == kernel.instructions.end())
            kernel.instructions.push_back({.name = name, .here = 0, .there = count});
        else
            known->there = count;
    }
    if (kernel.otherTarget.isEmpty()) return;
    kernel.text = synth::unified_difference(kernel.text, kernel.otherText, kernel.targetName.toStdString(),
                                            kernel.otherTarget.toStdString());
    if (kernel.text.empty()) kernel.note = ShownKernelModel::tr("Both texts are the same.");
}

void readAll(ShownKernel& kernel, const std::stop_token& stop) {
    if (kernel.hasLanguageRuns && kernel.runs.empty()) {
        if (auto runs = inspect::verified_runs(kernel.languageSource, {}, kernel.isBackward, stop))
            kernel.runs = *std::move(runs);
    }
    if (!kernel.isPtx || !kernel.otherTarget.isEmpty()) return compare(kernel);
    // PTX that cannot be read is shown all the same, and says why.
    if (const auto done = readFacts(kernel); !done) {
        kernel.module.reset();
        kernel.note = toSentence(done.error().message);
        compare(kernel);
    }
}

}  // namespace

ShownKernelModel::ShownKernelModel(QObject* parent)
    : QObject(parent),
      m_reading(JobPolicy::newest_wins_at_once),
      m_saving(JobPolicy::in_order),
      m_running(JobPolicy::refuse_while_busy) {
    connect(&m_running, &Job::ended, this, &ShownKernelModel::runChanged);
}

ShownKernelModel::~ShownKernelModel() = default;

void ShownKernelModel::show(ShownKernelPtr kernel) {
    m_reading.abandon();
    m_later.clear();
    m_read = kernel;
    if (!kernel || !isToBeRead(*kernel)) return take(std::move(kernel));
    m_reading.start(
        tr("Reading %1").arg(kernel->title),
        [kernel](const JobControl& control) -> Result<ShownKernelPtr> {
            auto read = std::make_shared<ShownKernel>(*kernel);
            readAll(*read, control.stop);
            return read;
        },
        [this, kernel](Result<ShownKernelPtr> read) {
            auto made = std::make_shared<ShownKernel>(read ? **read : *kernel);
            for (const auto& change : m_later) change(*made);
            m_later.clear();
            take(std::move(made));
        });
}

void ShownKernelModel::take(ShownKernelPtr kernel) {
    if (m_running.abandon()) Q_EMIT runChanged();
    m_kernel = std::move(kernel);
    m_outcome.reset();
    m_problem.clear();
    Q_EMIT kernelChanged();
    Q_EMIT runChanged();
}

void ShownKernelModel::run(const inspect::RunRequest& request) {
    if (!m_kernel || !m_kernel->module) return;
    const bool begun = m_running.start(
        tr("Running %1").arg(m_kernel->title),
        [shown = m_kernel, request](const JobControl& control) {
            return inspect::run_kernel(*shown->module, shown->kernel, request, control.stop);
        },
        [this](Result<inspect::RunOutcome> outcome) {
            m_outcome.reset();
            m_problem.clear();
            if (outcome)
                m_outcome = *std::move(outcome);
            else
                m_problem = toSentence(outcome.error().message);
            Q_EMIT runChanged();
        });
    if (!begun) return;
    m_outcome.reset();
    m_problem.clear();
    Q_EMIT runChanged();
}

void ShownKernelModel::amend(const ShownKernel& of, const std::function<void(ShownKernel&)>& change) {
    const auto isIt = [&](const ShownKernelPtr& one) {
        return one && one->kernel == of.kernel && one->text == of.text;
    };
    if (m_reading.isRunning()) {
        if (isIt(m_read)) m_later.push_back(change);
        return;
    }
    if (!isIt(m_kernel)) return;
    auto more = std::make_shared<ShownKernel>(*m_kernel);
    change(*more);
    m_kernel = std::move(more);
    Q_EMIT detailsChanged();
}

void ShownKernelModel::cancelRun() {
    m_running.cancel();
}

void ShownKernelModel::saveText(const QString& file) {
    if (m_kernel) write(file, [shown = m_kernel] { return shown->text; });
}

void ShownKernelModel::write(const QString& file, std::function<std::string()> text) {
    m_saving.start(
        tr("Writing %1").arg(file),
        [text = std::move(text), path = toPath(file)](const JobControl&) {
            return write_file_atomically(path, text());
        },
        [this, file](const Result<void>& done) {
            if (done)
                Q_EMIT wrote(file);
            else
                Q_EMIT failed(toSentence(done.error().message));
        });
}

Result<std::filesystem::path> ShownKernelModel::keepText() const {
    if (!m_kernel) return fail(ErrorKind::bad_argument, "no kernel is shown");
    std::filesystem::path path = config_directory() / "copied-kernels" /
                                 ("kernel-" + sha256_hex(m_kernel->text).substr(0, 12) + ".ptx");
    std::error_code error;  // found again, with a sentence, when the file is written
    std::filesystem::create_directories(path.parent_path(), error);
    IIR2D_RETURN_IF_ERROR(write_file_atomically(path, m_kernel->text));
    return path;
}

QString ShownKernelModel::commandLine(const inspect::RunRequest& request) {
    const auto kept = keepText();
    if (!kept) {
        Q_EMIT failed(toSentence(kept.error().message));
        return {};
    }
    return toText(inspect::command_line(fromPath(*kept).toStdString(), m_kernel->kernel, request));
}

}  // namespace workbench
