// SPDX-License-Identifier: MIT
// Which config plans are made with, and why (docs/tuning.md). Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/export.h"
#include "iir2d/plan.h"

namespace iir2d {

// `off`: static, and nothing is asked. `automatic` ("auto"), `model` and `measure` ask what was learned, a
// model or both: this version has neither, and their answer is static with the reason `no_model`.
enum class TuneMode { off, automatic, model, measure };
IIR2D_API std::string_view name_of(TuneMode);
IIR2D_API Result<TuneMode> tune_mode_from_name(std::string_view);

struct TuneOptions {
    TuneMode mode = TuneMode::automatic;
};
// Of the process, for plans made from then on. Before the first call the mode is what the environment's
// IIR2D_TUNE says, `automatic` without one; anything else there is `off`, with the reason `error`.
IIR2D_API void set_tune_options(const TuneOptions& options);
IIR2D_API TuneOptions tune_options();

enum class TuneReason {
    pinned,    // a config was given
    off,       // the mode is
    no_model,  // there is nothing to ask
    error      // IIR2D_TUNE is no mode
};
IIR2D_API std::string_view name_of(TuneReason);

struct Choice {
    Config config = {};
    Config resolved = {};
    TuneReason reason = TuneReason::no_model;
    std::optional<double> predicted_ratio = std::nullopt;  // of its time to static's
    std::string model = {};                                // "purpose/version/sha256"; empty: none
};

// Returns what the time of a filter or a pooling on the CPU depends on, as one line: the passes of the axes
// or the windows, types, sizes, instruction set and threads, no coefficient. Problems with one key are taken
// to have one best config (docs/tuning.md).
IIR2D_API Result<std::string> problem_key(const Device& device, const FilterDesc& desc);
IIR2D_API Result<std::string> problem_key(const Device& device, const PoolDesc& desc, PoolUse use);

// Returns 16 hexadecimal digits that name the sources of the kernels for the CPU: what was measured with
// others says nothing of these.
IIR2D_API std::string_view kernels_id();

}  // namespace iir2d
