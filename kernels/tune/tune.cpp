// SPDX-License-Identifier: MIT
#include "iir2d/tune.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "kernels/tune/choose.h"

namespace iir2d {

namespace {

constexpr std::array<std::pair<std::string_view, TuneMode>, 4> modes{{{"off", TuneMode::off},
                                                                      {"auto", TuneMode::automatic},
                                                                      {"model", TuneMode::model},
                                                                      {"measure", TuneMode::measure}}};

// A mode, or that the environment's is none.
struct State {
    TuneMode mode;
    bool is_error;
};

State from_environment() {
    const char* const text = std::getenv("IIR2D_TUNE");
    if (text == nullptr || *text == '\0') return {TuneMode::automatic, false};
    const auto mode = tune_mode_from_name(text);
    return mode ? State{*mode, false} : State{TuneMode::off, true};
}

std::atomic<State>& state() {
    static std::atomic<State> options{from_environment()};
    return options;
}

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

void set_tune_options(const TuneOptions& options) {
    state().store({options.mode, false});
}

TuneOptions tune_options() {
    return {state().load().mode};
}

std::string_view name_of(TuneReason reason) {
    switch (reason) {
        case TuneReason::pinned:
            return "pinned";
        case TuneReason::off:
            return "off";
        case TuneReason::no_model:
            return "no_model";
        case TuneReason::error:
            break;
    }
    return "error";
}

namespace tune {

Choice choose(const std::optional<Config>& pinned) {
    if (pinned) return {.config = *pinned, .reason = TuneReason::pinned};
    const State now = state().load();
    if (now.is_error) return {.reason = TuneReason::error};
    return {.reason = now.mode == TuneMode::off ? TuneReason::off : TuneReason::no_model};
}

void describe(const Choice& choice, KernelIdentity& kernel) {
    kernel.config = text_of(choice.config);
    kernel.config_resolved = text_of(choice.resolved);
    kernel.chosen_by = name_of(choice.reason);
    kernel.model = choice.model;
}

}  // namespace tune
}  // namespace iir2d
