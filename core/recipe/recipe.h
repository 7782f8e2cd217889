// SPDX-License-Identifier: MIT
// What is done to an image: an ordered list of operations. The window edits one, the command line runs one, a
// benchmark and a record name one. A Recipe is a value; all functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/image/image.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"

namespace workbench {

inline constexpr int recipe_schema_version = 1;

struct FilterOperation {
    int filter_id = 1;
    std::map<std::string, double> parameters;  // those that differ from the defaults
    iir2d::Border border = iir2d::Border::mirror;
    double border_const = 0.0;
    iir2d::Precision precision = iir2d::Precision::f32;
    iir2d::Start start = iir2d::Start::truncated;
    bool normalise_gain = false;
    friend bool operator==(const FilterOperation&, const FilterOperation&) = default;
};

struct PoolOperation {
    iir2d::PoolOp op = iir2d::PoolOp::max;
    iir2d::Extent window = {2, 2};
    std::optional<iir2d::Extent> stride;
    iir2d::Extent padding = {0, 0};
    iir2d::Extent dilation = {1, 1};
    bool ceil_mode = false;
    double p = 2.0;
    bool count_include_pad = false;
    std::optional<std::int64_t> divisor_override;
    iir2d::Extent output = {1, 1};  // of adaptive ops, which read nothing else
    friend bool operator==(const PoolOperation&, const PoolOperation&) = default;
};

struct Operation {
    bool enabled = true;
    std::variant<FilterOperation, PoolOperation> what;
    friend bool operator==(const Operation&, const Operation&) = default;
};

// In characters, of a recipe that is measured: its name is in the label of a case in a record.
inline constexpr std::size_t longest_recipe_name = 4000;

struct Recipe {
    std::string name;
    bool keep_alpha = false;  // leave an alpha channel as it is (filters only; pooling changes the size)
    std::vector<Operation> operations;
    friend bool operator==(const Recipe&, const Recipe&) = default;
};

// "EMA", "max pooling": what an operation is, without its parameters.
std::string operation_name(const Operation& operation);
// "EMA, alpha 0.85", "Max pooling, window 2x2" and the like, for lists and reports. Of many parameters, only
// those that differ from their defaults.
std::string describe(const Operation& operation);

// Return the kernel descriptors of an operation on a given shape.
iir2d::FilterSpec filter_spec(const FilterOperation& operation);
iir2d::FilterDesc filter_desc(const FilterOperation& operation, iir2d::Shape shape);
iir2d::PoolDesc pool_desc(const PoolOperation& operation, iir2d::Shape shape, iir2d::ElementType element);

// Returns the size after the whole recipe, or an error that names the operation ("operation 2 (max pooling):
// ..."). With an empty shape (w == 0) only what does not depend on a size is checked.
Result<iir2d::Shape> validate(const Recipe& recipe, iir2d::Shape input);
// Checks one operation alone; the message carries no "operation N" prefix, for showing beside its controls.
Result<iir2d::Shape> validate(const Operation& operation, iir2d::Shape input);

// Returns the recipe for the same picture at 1/factor of the size: parameters scaled so that a proxy looks
// like the result. The alpha of an EMA is chosen for the same delay, that of a forward-backward one becomes
// alpha^factor, sigma is divided, biquad poles are raised to the factor with the gain kept, windows and
// strides are scaled and rounded, at least 1. After pooling the factor is what the rounded strides leave of
// it. Where pooling sums (lp, avg with a divisor), a filter that only multiplies follows it, so that fewer
// samples a window do not darken the picture. A valid recipe gives a valid one; factor 1 and factors that are
// not finite and positive return the recipe itself. With the proxy's shape, windows are made to fit it too.
// docs/recipes.md has the reasons.
Recipe scaled(const Recipe& recipe, double factor, iir2d::Shape proxy = {.w = 0});

// Bytes that applying it to an image needs beyond the image itself.
std::uint64_t memory_estimate(const Recipe& recipe, iir2d::Shape input);

// Runs the enabled operations. f32 pixels unless an operation asks f64 precision: from then on f64 is stored,
// while every operation computes in its own precision, and pooling in f32 (docs/recipes.md). The result keeps
// the source's info and metadata, with the new size. Without an enabled operation it is a copy.
Result<Image> apply(const Recipe& recipe, const Image& source, const iir2d::Device& device,
                    const TaskControl& control = {});
Result<PlanarImage> apply(const Recipe& recipe, const PlanarImage& source, int alpha_channel,
                          const iir2d::Device& device, const TaskControl& control = {});

// JSON with "schema_version", as docs/recipes.md describes it. Reading refuses newer schemas, unknown and
// repeated keys and out-of-range values, each in a sentence naming the key and value: bad_argument; what is
// not JSON in UTF-8, or is too large or too deeply nested, is bad_input. Numbers round-trip exactly.
std::string to_json(const Recipe& recipe);
Result<Recipe> recipe_from_json(std::string_view text);
Result<Recipe> load_recipe(const std::filesystem::path& path);
Result<void> save_recipe(const Recipe& recipe, const std::filesystem::path& path);

// Returns one `iir2d` command line that gives the same bytes: `iir2d filter|pool` for a single operation,
// else `iir2d run RECIPE` with the recipe path given. Only options that differ from their defaults; arguments
// are quoted for a POSIX shell. image_index is the input's page or part.
std::string command_line(const Recipe& recipe, const std::string& input, const std::string& output,
                         const std::string& recipe_path, const std::string& device, int image_index = 0);

struct Preset {
    std::string name;
    std::filesystem::path path;
};
// Returns the presets that ship, from resource_directory()/presets, by name.
std::vector<Preset> shipped_presets();

}  // namespace workbench
