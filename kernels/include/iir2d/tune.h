// SPDX-License-Identifier: MIT
// Decides the config that a plan is made with, and says why (docs/tuning.md). Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/export.h"
#include "iir2d/plan.h"

namespace iir2d {

// Says what decides the config of a plan that is made without one. `off`: nothing, and no clock is read.
// `model`: the models alone. `automatic` ("auto"): learned entries, then the models. `measure`: learned
// entries; for a problem without one, static and the configs that a model proposes take turns in the runs
// that are asked for, until one is learned.
enum class TuneMode { off, automatic, model, measure };
IIR2D_API std::string_view name_of(TuneMode);
IIR2D_API Result<TuneMode> tune_mode_from_name(std::string_view);

struct TuneOptions {
    TuneMode mode = TuneMode::automatic;
    int top_k = 3;            // from 1: how many configs are kept of a problem's
    double threshold = 1.10;  // from 1, or infinite: kept are those predicted within that ratio to the best
    bool other_bits = false;  // also configs that change bits, within the bound: on the CPU none does
};
// Sets those of the process, for plans made from then on. Before the first call the mode is what the
// environment's IIR2D_TUNE says, `automatic` without one; anything else there, and options out of their
// ranges, are `off` with the reason `error`.
IIR2D_API void set_tune_options(const TuneOptions& options);
IIR2D_API TuneOptions tune_options();

// Says why a config was chosen. From `no_model` on it is static, because nothing could decide.
enum class TuneReason {
    pinned,           // it was given
    off,              // the mode is
    chooser,          // the caller's own chose it
    learned,          // it was measured here to be the best
    exploring,        // it has its turn to be measured
    model,            // a model predicts a gain
    static_as_good,   // a model predicts none above its margin
    table,            // the first of its family that is valid: the model's trees could not be used
    no_model,         // there is nothing to ask
    foreign_machine,  // the model is of another machine,
    stale_kernels,    // of other kernels,
    unproven,         // was not judged on problems that it had not seen,
    wrong_space,      // or knows other knobs
    wrong_features,   // the model reads what cannot be computed here
    unsupported_op,   // there is one way only
    empty,            // the table has nothing that is valid
    error             // IIR2D_TUNE is no mode, options are out of range, or a chooser failed
};
inline constexpr std::size_t tune_reason_count = 17;
IIR2D_API std::string_view name_of(TuneReason);

struct Choice {
    Config config = {};
    Config resolved = {};
    TuneReason reason = TuneReason::no_model;
    std::optional<double> predicted_ratio = std::nullopt;  // of its time to static's
    std::string model = {};                                // "purpose/version/sha256"; empty: none
};

// Returns what the time of a filter or a pooling depends on, as one line: the passes of the axes or the
// windows, types, sizes, instruction set and threads (of a GPU: multiprocessors), no coefficient. Problems
// with one key are taken to have one best config (docs/tuning.md).
IIR2D_API Result<std::string> problem_key(const Device& device, const FilterDesc& desc);
IIR2D_API Result<std::string> problem_key(const Device& device, const PoolDesc& desc, PoolUse use);

// Returns 16 hexadecimal digits that name the sources of the kernels for the CPU, or for GPUs: what was
// measured with others says nothing of these.
IIR2D_API std::string_view kernels_id();
IIR2D_API std::string_view kernels_id(Backend backend);

// A candidate of a problem, as a model sees it; without one nothing is predicted.
struct RankedConfig {
    Config config;
    Config resolved;
    std::optional<double> predicted_ratio = std::nullopt;   // of its time to static's
    std::optional<double> predicted_copies = std::nullopt;  // of its time to a copy's
    bool kept = false;                                      // by threshold and k
    std::vector<float> features = {};                       // in the order of feature_names()
};
struct Explanation {
    std::string purpose;
    std::string key;
    Choice decision;
    std::vector<RankedConfig> candidates;  // the best first
    std::size_t filtered = 0;              // that threshold and k cut
    std::string model;                     // that predicted; empty: none
};
// Says what a plan made now would be executed by, and every candidate. Counts nothing; a problem's turn to be
// measured is not taken. An error of the problem, not of models.
IIR2D_API Result<Explanation> explain(const Device& device, const FilterDesc& desc,
                                      const TuneOptions& options);
IIR2D_API Result<Explanation> explain(const Device& device, const PoolDesc& desc, PoolUse use,
                                      const TuneOptions& options);

// A caller's own choice, asked before anything else unless the mode is off: the index of a candidate, or
// nothing, to leave it to the others. Called from any thread, several at a time; what it throws, and an index
// of no candidate, is static with the reason `error`.
class Chooser {
  public:
    virtual ~Chooser() = default;
    virtual std::optional<std::size_t> choose(const std::string& key,
                                              std::span<const Config> candidates) const = 0;
};
IIR2D_API void set_chooser(std::shared_ptr<const Chooser> chooser);  // null: none

// Takes a model's text (tune_model.h) for its purpose. One that may decide takes the place of the one before;
// one that may not (the reason says why) proposes what is measured, and takes the place of another that may
// only propose. `is_proven`: judged on problems it had not seen. `table`: a table.txt, for where its trees
// cannot be used. An error: the text or the table is none, and everything stays.
IIR2D_API Result<std::optional<TuneReason>> load_model(std::string_view text, bool is_proven = true,
                                                       std::string_view table = {});
// Says what load_model() would: nothing where the model may decide.
struct TreeModel;
IIR2D_API Result<std::optional<TuneReason>> why_not(const TreeModel& model, bool is_proven = true);
IIR2D_API void forget_models();

// Returns what was learned, a line an entry, tabs between: "1 machine kernels key config ratio runs utc".
// Lines of other machines and kernels are kept and not used. At most 10,000, the newest.
//
// Adds lines, of which the newest of a machine, kernels and key counts; returns how many were skipped because
// they are none, which statistics() count as bad_lines.
IIR2D_API std::size_t import_learned(std::string_view lines);
// Selects `all` entries, or those alone that were learned in this process and not imported since: whoever
// keeps lines imports them, and gets each once.
enum class LearnedPart { all, here };
IIR2D_API std::string export_learned(LearnedPart part = LearnedPart::all);
// Returns the entries of both, as above.
IIR2D_API std::string merge_learned(std::string_view lines, std::string_view more);
// Forgets the entry of a key of this machine and these kernels, or everything.
IIR2D_API void forget_learned(std::optional<std::string_view> key = std::nullopt);

struct TuneStatistics {
    std::array<std::uint64_t, tune_reason_count> reasons{};  // by TuneReason; their sum is `calls`
    std::uint64_t calls = 0;                                 // decisions
    std::uint64_t cached = 0;                                // of them, kept from before
    std::uint64_t filtered = 0;                              // candidates that threshold and k cut
    std::uint64_t explored = 0;                              // runs that were timed and counted
    std::uint64_t settled = 0;                               // keys that became learned
    std::uint64_t vetoed = 0;     // runs whose rows do not lie as the config's stores ask
    std::uint64_t evicted = 0;    // decisions that were forgotten for others
    std::uint64_t bad_lines = 0;  // of learned entries
};
IIR2D_API TuneStatistics statistics(bool reset = false);

}  // namespace iir2d
