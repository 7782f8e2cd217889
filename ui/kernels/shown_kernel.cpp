// SPDX-License-Identifier: MIT
#include "ui/kernels/shown_kernel.h"

#include <system_error>

#include "core/support/files.h"
#include "core/support/try.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {

Result<void> readFacts(ShownKernel& kernel) {
    IIR2D_TRY(kernel.module, ptx::Module::parse(kernel.text));
    IIR2D_TRY(kernel.facts, inspect::facts_of(*kernel.module, kernel.kernel));
    return {};
}

ShownKernelModel::ShownKernelModel(QObject* parent) : QObject(parent), m_job(JobPolicy::refuse_while_busy) {
    connect(&m_job, &Job::ended, this, &ShownKernelModel::runChanged);
}

ShownKernelModel::~ShownKernelModel() = default;

void ShownKernelModel::show(ShownKernelPtr kernel) {
    if (m_job.abandon()) Q_EMIT runChanged();
    m_kernel = std::move(kernel);
    m_outcome.reset();
    m_problem.clear();
    Q_EMIT kernelChanged();
    Q_EMIT runChanged();
}

void ShownKernelModel::run(const inspect::RunRequest& request) {
    if (!m_kernel || !m_kernel->module) return;
    const bool begun = m_job.start(
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

void ShownKernelModel::cancelRun() {
    m_job.cancel();
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
