// SPDX-License-Identifier: MIT
// Models that predict how long a config takes: what they read of a problem, their text and their evaluation
// (docs/tuning.md, "Models"). Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
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

// The version of the table of knobs and their values: a model of another one does not know this library's
// configs.
inline constexpr int config_space = 1;
inline constexpr std::string_view model_interface = "iir2d.config/1";
inline constexpr std::size_t largest_model_text = std::size_t{1} << 20;

// Returns what the processor is as canonical JSON: name, instruction set, logical cores, caches; null where
// the system does not say. And the first 16 digits of that text's SHA-256, which name the machine.
IIR2D_API Result<std::string> machine_description();
IIR2D_API Result<std::string> machine_id();
// Describes a device in the same way: a GPU by its name, compute capability, multiprocessors and L2.
IIR2D_API Result<std::string> machine_description(const Device& device);
IIR2D_API Result<std::string> machine_id(const Device& device);

// Returns the purposes that models have: "iir-cpu", "pool-cpu", "pool-backward-cpu", "iir-cuda", "pool-cuda".
IIR2D_API std::span<const std::string_view> model_purposes();
// Returns the purposes of problems on the CPU, or on a GPU.
IIR2D_API std::span<const std::string_view> model_purposes(Backend backend);
// Returns the names of a purpose's features, in order; none for an unknown purpose.
IIR2D_API std::span<const std::string_view> feature_names(std::string_view purpose);

// Returns the features of a problem executed by a config, which is resolved first: as many as the purpose has
// names. An error where one cannot be computed ("wrong_features: ..."), or where the config is not valid.
IIR2D_API Result<std::vector<float>> features(const Device& device, const FilterDesc& desc,
                                              const Config& config);
IIR2D_API Result<std::vector<float>> features(const Device& device, const PoolDesc& desc, PoolUse use,
                                              const Config& config);

// Holds complete trees of one depth, one behind the other: 2^depth - 1 tests breadth first and 2^depth leaves
// each. A row goes left where its feature is below the threshold. The prediction is the base and one leaf of
// each tree, added in float in their order.
struct TreeEnsemble {
    std::size_t depth = 0;  // 0 to 8
    float base = 0;
    std::vector<std::uint16_t> tests;  // which feature
    std::vector<float> thresholds;     // as many
    std::vector<float> leaves;

    std::size_t tests_of_a_tree() const { return (std::size_t{1} << depth) - 1; }
    std::size_t leaves_of_a_tree() const { return std::size_t{1} << depth; }
    std::size_t trees() const { return leaves.size() / leaves_of_a_tree(); }
    friend bool operator==(const TreeEnsemble&, const TreeEnsemble&) = default;
};

struct TreeModel {
    std::string purpose;
    std::string version;  // "1.0.0"
    std::string interface = std::string(model_interface);
    std::string machine;  // ids
    std::string kernels;
    int space = config_space;
    std::string objective = "both";
    std::optional<float> margin;  // least gain that is worth it, as a logarithm; none: unproven
    std::vector<std::string> features;
    TreeEnsemble gain;   // ln of the time over static's
    TreeEnsemble level;  // ln of static's time over a copy's
    std::string sha256;  // of the text; written by text_of_model(), read by model_from_text()

    friend bool operator==(const TreeModel&, const TreeModel&) = default;
};

// Writes the text of docs/tuning.md, "model.trees", with its own SHA-256 in the last line. An error names the
// field that cannot be written.
IIR2D_API Result<std::string> text_of_model(const TreeModel& model);
// Reads it. An error names the line and what is wrong there; nothing of a text that is damaged is believed.
IIR2D_API Result<TreeModel> model_from_text(std::string_view text);
// Returns the interface that a text names in its head, whatever else is in it.
IIR2D_API std::optional<std::string> interface_of_model(std::string_view text);

// The same as load_model() (tune.h) of a model that was read already.
enum class TuneReason;
IIR2D_API Result<std::optional<TuneReason>> load_read_model(TreeModel model, bool is_proven = true,
                                                            std::string_view table = {});

// A model that was compiled into the library (CMake option IIR2D_EMBED_MODELS).
struct EmbeddedModel {
    std::string_view purpose;
    std::string_view version;
    std::string_view text;  // as load_model() takes them
    std::string_view table;
    bool is_proven = false;
};
// Returns them, of each purpose the lowest version first. The library holds them from the first decision on,
// until one that is loaded takes their place.
IIR2D_API std::span<const EmbeddedModel> embedded_models();

// Predicts for rows of `features` values each, one behind the other; `out` has a place for each row.
// Precondition: no test reads a feature that is not there, which model_from_text() sees to.
IIR2D_API void predict(const TreeEnsemble& ensemble, std::span<const float> rows, std::size_t features,
                       std::span<float> out);

}  // namespace iir2d
