// SPDX-License-Identifier: MIT
// Computes what models read of a problem and of a config that is resolved, as numbers (docs/tuning.md,
// "Features").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/device.h"
#include "iir2d/error.h"

namespace iir2d::tune {

enum class Purpose { iir_cpu, pool_cpu, pool_backward_cpu, iir_cuda, pool_cuda };
inline constexpr std::size_t purpose_count = 5;
std::string_view name_of(Purpose purpose);
bool is_of_gpu(Purpose purpose);

struct IirFacts {
    int passes_x = 0;
    int passes_y = 0;
    int sections_x = 0;
    int sections_y = 0;
    int terms_x = 0;  // swept, of all sections
    int terms_y = 0;
    int beside = 0;          // passes that write aside or add what is there
    std::int64_t reach = 1;  // samples until a response has faded, up to the next power of two
    bool periodic = false;
    bool both_ways = false;  // no feature: of the family
};

struct PoolAxisFacts {
    double window = 1;  // adaptive: the largest
    double stride = 1;  // adaptive: input over output
    std::int64_t dilation = 1;
    int folds = 0;  // static's order: 0 sequence, 1 parts, 2 climb, 3 one by one
};
struct PoolFacts {
    PoolAxisFacts x;
    PoolAxisFacts y;
    int formula = 0;
    bool gathered = false;
    bool places = false;
    bool maximum = false;  // no feature: of the family
};

struct Facts {
    Purpose purpose = Purpose::iir_cpu;
    std::int64_t width = 1;
    std::int64_t height = 1;
    std::int64_t planes = 1;
    std::int64_t out = 1;  // samples of all output planes
    int bytes_in = 4;      // of an element
    int bytes_sums = 4;
    int threads = 1;  // of the device; of a GPU its multiprocessors
    // Bytes of a GPU's cache, which stands for L2 and L3; 0 on the CPU, whose own are asked for.
    std::int64_t gpu_cache = 0;
    std::variant<IirFacts, PoolFacts> operation;

    double samples() const {
        return static_cast<double>(width) * static_cast<double>(height) * static_cast<double>(planes);
    }
};

// Returns the features of the problem, to which add_config() adds the rest of the purpose's. An error,
// "wrong_features: ...", where the system does not say how large its caches are.
Result<std::vector<float>> features_of(const Facts& facts);
// Appends a config's features; -1 stands for a knob that has no meaning there, where no feature can be below
// 0.
void add_config(const Facts& facts, const Config& resolved, std::vector<float>& row);

// Returns what tables and reports count a problem with: "iir-cpu, causal, to 2^20, one plane".
std::string family_of(const Facts& facts);

}  // namespace iir2d::tune
