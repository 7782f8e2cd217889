// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_work.h"

#include <QCoreApplication>
#include <algorithm>
#include <system_error>

#include "core/support/counted.h"
#include "core/support/shell.h"
#include "core/support/try.h"
#include "core/tune/collect.h"
#include "core/tune/install.h"
#include "core/tune/retrain.h"
#include "core/tune/store.h"
#include "core/tune/table.h"
#include "core/tune/train.h"
#include "iir2d/tune_model.h"
#include "ui/charts/plot.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

QString workText(const char* text) {
    return QCoreApplication::translate("Tuning", text);
}

std::string purposeOf(const TuningWork& work) {
    const auto all = iir2d::model_purposes(iir2d::Backend::cpu);
    return std::string(all[std::size_t(std::clamp(work.purpose, 0, int(all.size()) - 1))]);
}

tune::ProblemSet setOf(const TuningWork& work) {
    return work.forValidation ? tune::ProblemSet::validation : tune::ProblemSet::train;
}

Result<TuningOutcome> retrainAll(const TuningWork& work, const iir2d::Device& device,
                                 const TaskControl& control) {
    tune::RetrainOptions options{.budget_seconds = double(work.seconds)};
    options.database = retrainDatabase();
    IIR2D_TRY(const auto done, tune::retrain(options, device, control));
    TuningOutcome made;
    made.said << workText("%1 in %2 s, %3 of them while the processors were not the threads' own.")
                     .arg(toText(counted(done.visits, "visit")))
                     .arg(done.seconds, 0, 'f', 0)
                     .arg(done.contended);
    for (const tune::RetrainedPurpose& one : done.purposes) {
        made.hasNewModels |= one.is_installed;
        made.isRefused |= !one.is_installed;
        const QString purpose = toText(one.purpose);
        if (one.is_installed)
            made.said << workText(
                             "%1: version %2 decides now; on unseen problems it takes %3 of static's time.")
                             .arg(purpose, toText(one.version), shortNumber(one.to_static.value_or(1)));
        else
            made.said << workText("%1: no new model: %2.").arg(purpose, toText(one.why_not));
    }
    if (auto judged = judgeDatabase(options.database, {}, control)) made.figures = *std::move(judged);
    return made;
}

Result<TuningOutcome> collectSome(const TuningWork& work, const iir2d::Device& device,
                                  const TaskControl& control) {
    IIR2D_TRY(const auto problems,
              tune::generate_problems({.set = setOf(work), .count = std::size_t(work.problems)}, device));
    tune::CollectOptions options{.out = databaseOf(work), .set = setOf(work)};
    options.budget_seconds = double(work.seconds);
    std::error_code error;
    std::filesystem::create_directories(options.out.parent_path(), error);
    IIR2D_TRY(const auto done, tune::collect(problems, options, device, control));
    TuningOutcome made;
    made.said << workText("%1 made, %2 missing; %3 contended, %4 unstable.")
                     .arg(toText(counted(done.visits, "visit")))
                     .arg(done.missing)
                     .arg(done.contended)
                     .arg(done.unstable);
    for (const auto& [spec, reason] : done.failed)
        made.said << workText("Not measured: %1: %2.").arg(toText(spec), toText(reason));
    if (!done.wrong.empty()) return fail(ErrorKind::check_failed, "a result is wrong: " + done.wrong.front());
    if (auto judged = judgeDatabase(options.out, {}, control)) made.figures = *std::move(judged);
    return made;
}

Result<TuningOutcome> trainOne(const TuningWork& work, const TaskControl& control) {
    const std::string purpose = purposeOf(work);
    IIR2D_TRY(const auto host, tune::model_host());
    IIR2D_TRY(const auto store, tune::Store::open_to_read(databaseOf(work)));
    IIR2D_TRY(auto read, store.read_all());
    IIR2D_TRY(const auto all, tune::measured_by_one(std::move(read), host.machine, host.kernels));
    const tune::TrainOptions options{.purpose = purpose,
                                     .version = tune::next_version(tune::own_models(), purpose)};
    IIR2D_TRY(const auto trained, tune::train(all, &all, options, control));
    IIR2D_RETURN_IF_ERROR(tune::install_model(purpose, options.version, trained.files));
    TuningOutcome made{.said = {}, .hasNewModels = true};
    made.said << workText("%1/%2 is trained on %3 and installed.")
                     .arg(toText(purpose), toText(options.version),
                          toText(counted(trained.problems, "problem")));
    if (!trained.unproven.empty()) {
        made.isRefused = true;
        made.said << workText("It does not decide: %1.").arg(toText(trained.unproven));
    }
    return made;
}

}  // namespace

std::filesystem::path databaseOf(const TuningWork& work) {
    return work.database.trimmed().isEmpty() ? retrainDatabase() : toPath(work.database.trimmed());
}

QString commandLineOf(const TuningWork& work, int threads, const TuningState* state) {
    std::string words = "iir2d tune";
    const std::string database = fromPath(databaseOf(work)).toStdString();
    const auto add = [&](std::initializer_list<std::string> more) {
        for (const std::string& word : more) words += " " + shell_quoted(word);
    };
    switch (work.kind) {
        case TuningWork::Kind::retrain:
            add({"retrain", "--budget", std::to_string(work.seconds)});
            break;
        case TuningWork::Kind::collect:
            add({"collect", "--out", database, "--count", std::to_string(work.problems), "--budget",
                 std::to_string(work.seconds)});
            if (work.forValidation) add({"--set", "validation"});
            break;
        case TuningWork::Kind::train:
            add({"train", database, "--purpose", purposeOf(work), "--install"});
            break;
        case TuningWork::Kind::evaluate:
            add({"headroom", database});
            for (const std::string_view purpose : iir2d::model_purposes(iir2d::Backend::cpu)) {
                const tune::RegisteredModel* const model = state ? state->active(purpose) : nullptr;
                if (!model || model->place == tune::embedded_place) continue;
                words += " && iir2d tune";
                add({"eval", database, "--model", model->path.string()});
            }
            break;
    }
    const bool hasThreads = work.kind == TuningWork::Kind::retrain || work.kind == TuningWork::Kind::collect;
    if (hasThreads && threads > 0) add({"--threads", std::to_string(threads)});
    return toText(words);
}

QString hindranceOf(const TuningWork& work, const TuningState* state) {
    const bool reads = work.kind == TuningWork::Kind::train || work.kind == TuningWork::Kind::evaluate;
    std::error_code error;
    if (reads && !std::filesystem::exists(databaseOf(work), error))
        return workText("%1 is not there: measure first.").arg(fromPath(databaseOf(work)));
    const bool trains = work.kind == TuningWork::Kind::train || work.kind == TuningWork::Kind::retrain;
    if (trains && state && state->host.machine.empty())
        return workText("This machine cannot be named, and models belong to machines.");
    return {};
}

Result<TuningOutcome> doWork(const TuningWork& work, const iir2d::Device& device,
                             const TaskControl& control) {
    switch (work.kind) {
        case TuningWork::Kind::retrain:
            return retrainAll(work, device, control);
        case TuningWork::Kind::collect:
            return collectSome(work, device, control);
        case TuningWork::Kind::train:
            return trainOne(work, control);
        case TuningWork::Kind::evaluate:
            break;
    }
    TuningOutcome made;
    IIR2D_TRY(made.figures, judgeDatabase(databaseOf(work), {}, control));
    made.said << workText("%1 judged.").arg(fromPath(databaseOf(work)));
    return made;
}

}  // namespace workbench
