// SPDX-License-Identifier: MIT
#include "iir2d/tune.h"

#include <algorithm>
#include <utility>

#include "iir2d/tune_model.h"
#include "kernels/support/guard.h"
#include "kernels/tune/choose.h"
#include "kernels/tune/decider.h"
#include "kernels/tune/space.h"

namespace iir2d {

namespace {

using tune::Decider;

constexpr std::array<std::pair<std::string_view, TuneMode>, 4> modes{{{"off", TuneMode::off},
                                                                      {"auto", TuneMode::automatic},
                                                                      {"model", TuneMode::model},
                                                                      {"measure", TuneMode::measure}}};

// In the order of the enumeration.
constexpr std::array<std::string_view, tune_reason_count> reasons{"pinned",         "off",
                                                                  "chooser",        "learned",
                                                                  "exploring",      "model",
                                                                  "static_as_good", "table",
                                                                  "no_model",       "foreign_machine",
                                                                  "stale_kernels",  "unproven",
                                                                  "wrong_space",    "wrong_features",
                                                                  "unsupported_op", "empty",
                                                                  "error"};

}  // namespace

std::string_view name_of(TuneMode mode) {
    for (const auto& [name, value] : modes) {
        if (value == mode) return name;
    }
    return "unknown";
}

Result<TuneMode> tune_mode_from_name(std::string_view name) {
    for (const auto& [known, mode] : modes) {
        if (known == name) return mode;
    }
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 "tune mode \"" + std::string(name) + "\": use off, auto, model or measure"});
}

std::string_view name_of(TuneReason reason) {
    const auto index = static_cast<std::size_t>(reason);
    return index < reasons.size() ? reasons[index] : "error";
}

void set_tune_options(const TuneOptions& options) {
    Decider::of_process().set_options(options);
}

TuneOptions tune_options() {
    return Decider::of_process().options();
}

void set_chooser(std::shared_ptr<const Chooser> chooser) {
    Decider::of_process().set_chooser(std::move(chooser));
}

Result<std::optional<TuneReason>> load_model(std::string_view text, bool is_proven, std::string_view table) {
    return support::guarded_result("the model", [&]() -> Result<std::optional<TuneReason>> {
        auto model = model_from_text(text);
        if (!model) return std::unexpected(model.error());
        return load_read_model(*std::move(model), is_proven, table);
    });
}

Result<std::optional<TuneReason>> load_read_model(TreeModel model, bool is_proven, std::string_view table) {
    return support::guarded_result("the model", [&]() -> Result<std::optional<TuneReason>> {
        if (std::ranges::find(model_purposes(), model.purpose) == model_purposes().end()) {
            return std::unexpected(Error{ErrorCode::invalid_argument, "model: purpose " + model.purpose +
                                                                          " is not one of this library's"});
        }
        auto rows = tune::table_from_text(table);
        if (!rows) return std::unexpected(rows.error());
        auto fault = why_not(model, is_proven);
        if (!fault) return fault;
        Decider::of_process().hold(std::make_shared<const tune::HeldModel>(
            tune::HeldModel{std::move(model), std::move(*rows), *fault}));
        return fault;
    });
}

void forget_models() {
    Decider::of_process().forget_models();
}

std::size_t import_learned(std::string_view lines) {
    return Decider::of_process().import_learned(lines);
}

std::string export_learned(LearnedPart part) {
    return Decider::of_process().export_learned(part);
}

std::string merge_learned(std::string_view lines, std::string_view more) {
    tune::Learned learned;
    tune::add_lines(lines, learned);
    tune::add_lines(more, learned);
    return tune::lines_of(learned, false);
}

void forget_learned(std::optional<std::string_view> key) {
    Decider::of_process().forget_learned(key);
}

TuneStatistics statistics(bool reset) {
    return Decider::of_process().statistics(reset);
}

namespace tune {

std::optional<TuneReason> static_at_once(Purpose purpose) {
    return Decider::of_process().static_at_once(purpose, nullptr);
}

void count(TuneReason reason) {
    Decider::of_process().count(reason);
}

Result<Decision> choose(const Given& given, const Question& question) {
    Decider& decider = Decider::of_process();
    const auto chosen = [&](const Config& config, TuneReason reason) {
        decider.count(reason);
        return Decision{.choice = {.config = config, .resolved = question.resolve(config), .reason = reason}};
    };
    if (const auto* pinned = std::get_if<Config>(&given)) {
        if (auto good = question.check(*pinned); !good) return std::unexpected(good.error());
        return chosen(*pinned, TuneReason::pinned);
    }
    const auto* own = std::get_if<TuneOptions>(&given);
    if (const auto reason = decider.static_at_once(question.purpose(), own)) return chosen({}, *reason);
    return decider.choose(question, own);
}

Explanation explain(const Question& question, const TuneOptions& options) {
    return Decider::of_process().explain(question, options);
}

void describe(const Choice& choice, KernelIdentity& kernel) {
    kernel.config = text_of(choice.config);
    kernel.config_resolved = text_of(choice.resolved);
    kernel.chosen_by = name_of(choice.reason);
    kernel.model = choice.model;
}

RunTurn turn_of_run(const Turn& turn) {
    if (const auto settled = turn.exploration->settled()) return {*settled, std::nullopt};
    const Exploration::Turn now = turn.is_first_taken.exchange(true) ? turn.exploration->next() : turn.first;
    return {now.config, now.index};
}

void add_run(const Turn& turn, std::size_t index, double milliseconds) {
    Decider::of_process().add_run(turn, index, milliseconds);
}

void count_veto(const Config& config, const TensorView& y, std::int64_t first_row) {
    if (config.stores != stores_past) return;
    constexpr std::int64_t needed = 32;
    const auto size = static_cast<std::int64_t>(element_size(y.type));
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(y.data) % static_cast<std::uintptr_t>(first_row) == 0 &&
        (y.shape.h == 1 || y.row_stride * size % needed == 0) &&
        (y.shape.c == 1 || y.plane_stride * size % first_row == 0) &&
        (y.shape.n == 1 || y.image_stride * size % first_row == 0);
    if (!aligned) Decider::of_process().count_veto();
}

}  // namespace tune
}  // namespace iir2d
