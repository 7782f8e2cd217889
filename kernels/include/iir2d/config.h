// SPDX-License-Identifier: MIT
// Describes how a plan is executed, as a value: threads, stores, cuts of the work, order of folds; on a GPU
// blocks, launches and segments. On the CPU no config changes a bit of a result, only the time it takes; on a
// GPU `warps` and `carry` of filters do, within the precision's bound (docs/tuning.md has the knobs and what
// is valid where). Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/export.h"
#include "iir2d/plan.h"

namespace iir2d {

// Holds one number for each knob; 0 is "auto": the library's own rule for that knob. All of them auto is
// "static".
struct Config {
    std::int32_t threads = 0;  // 1 to the device's
    std::int32_t stores = 0;   // stores_through, stores_past
    std::int32_t share = 0;    // share_planes, share_rows: of filters, what threads divide among them
    std::int32_t part = 0;     // columns that a band of rows goes on into at once: a multiple of 32
    std::int32_t strip = 0;    // columns of a strip: a multiple of 64
    std::int32_t way = 0;      // way_windows, or way_of(): in which order maxima are found
    std::int32_t task = 0;     // elements of a task of pooling: a power of two
    // For GPUs alone.
    std::int32_t block = 0;  // of pooling: threads of a block
    std::int32_t steps = 0;  // of pooling: 32 outputs each that a warp goes through in a row, at most
    std::int32_t pairs = 0;  // pairs_off, pairs_on: of pooling 2x2 side by side, two outputs a thread
    std::int32_t graph = 0;  // graph_off, graph_on: of filters, one launch for runs that come again
    std::int32_t warps = 0;  // of filters: that share a line, at most. Other bits
    std::int32_t carry = 0;  // carry_warmup, carry_exact: of filters. Other bits

    friend bool operator==(const Config&, const Config&) = default;
};

inline constexpr std::int32_t stores_through = 1;  // ordinary stores, through the caches
inline constexpr std::int32_t stores_past = 2;     // streaming stores, past them
inline constexpr std::int32_t share_planes = 1;    // a plane for each thread
inline constexpr std::int32_t share_rows = 2;      // all threads in one plane, or a few small ones
inline constexpr std::int32_t pairs_off = 1;
inline constexpr std::int32_t pairs_on = 2;  // where the rows' addresses allow it
inline constexpr std::int32_t graph_off = 1;
inline constexpr std::int32_t graph_on = 2;      // from the second run on the same addresses on
inline constexpr std::int32_t carry_warmup = 1;  // a segment's state from the samples before it
inline constexpr std::int32_t carry_exact = 2;   // from the ends of all segments before it
inline constexpr std::int32_t way_windows = 1;   // from input rows to an output row at once
enum class FoldWay : std::int32_t { sequence = 0, parts = 1, climb = 2 };
// Folds along x and the results along y.
constexpr std::int32_t way_of(FoldWay along_y, FoldWay along_x) {
    return 2 + 3 * static_cast<std::int32_t>(along_y) + static_cast<std::int32_t>(along_x);
}

// Returns the knobs that are not auto, in the order of the fields: "threads:1 stores:past",
// "way:climb/sequence" (y, then x); "static" where there are none.
IIR2D_API std::string text_of(const Config& config);

// Reads what text_of() writes, knobs in any order; a task also as "2^16". An error names the knob and its
// value. Whether the config is valid for a problem, check_config() says.
IIR2D_API Result<Config> config_from_text(std::string_view text);

// Says what a plan for pooling is run for. Passes for which the places of maxima are asked have other ways.
enum class PoolUse { forward, forward_with_places, backward };

// Returns an error that names the knob, its value and what is valid, for a filter or a pooling on a device.
// forward() with places takes the library's own order in place of a climb.
IIR2D_API Result<void> check_config(const Device& device, const FilterDesc& desc, const Config& config);
IIR2D_API Result<void> check_config(const Device& device, const PoolDesc& desc, PoolUse use,
                                    const Config& config);

// Returns every knob's value as it will be; 0 only where the knob has no meaning there. Of `stores` it is
// what is chosen for rows that begin at multiples of 64 bytes, output apart from input; of `pairs` likewise.
IIR2D_API Result<Config> resolved(const Device& device, const FilterDesc& desc, const Config& config);
IIR2D_API Result<Config> resolved(const Device& device, const PoolDesc& desc, PoolUse use,
                                  const Config& config);

// Returns the configs worth trying, at most 64: `static` first, of those that resolve alike the one with the
// fewest knobs set. The same list on every call. `other_bits`: also those that change bits, on a GPU.
IIR2D_API Result<std::vector<Config>> candidates(const Device& device, const FilterDesc& desc,
                                                 bool other_bits = false);
IIR2D_API Result<std::vector<Config>> candidates(const Device& device, const PoolDesc& desc, PoolUse use,
                                                 bool other_bits = false);

}  // namespace iir2d
