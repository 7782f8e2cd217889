// SPDX-License-Identifier: MIT
// The knobs of a Config: their names and texts, and the configs of one problem.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/error.h"

namespace iir2d::tune {

struct Knob {
    std::string_view name;
    std::int32_t Config::*value;
    bool by_others = false;   // which values are valid depends on a knob before it
    bool of_gpu = false;      // else of the CPU
    bool other_bits = false;  // its values give other bits than static's
};

// Lists the knobs in the order of the fields.
inline constexpr std::array<Knob, 13> knobs{{{"threads", &Config::threads},
                                             {"stores", &Config::stores},
                                             {"share", &Config::share, true},
                                             {"part", &Config::part},
                                             {"strip", &Config::strip},
                                             {"way", &Config::way},
                                             {"task", &Config::task},
                                             {"block", &Config::block, false, true},
                                             {"steps", &Config::steps, false, true},
                                             {"pairs", &Config::pairs, false, true},
                                             {"graph", &Config::graph, false, true},
                                             {"warps", &Config::warps, false, true, true},
                                             {"carry", &Config::carry, true, true, true}}};

// Returns "threads:2", of a value that is not auto.
std::string text_of(const Knob& knob, std::int32_t value);

// Returns an error: the knob, its value and why it is not valid.
std::unexpected<Error> refused(const Knob& knob, std::int32_t value, std::string_view why);

// Checks that a value that is set is a multiple of `step` from `least` to `most`.
Result<void> check_multiple(const Config& config, const Knob& knob, std::int32_t step, std::int32_t least,
                            std::int32_t most);

// Checks that a knob is auto where it has no meaning.
Result<void> check_unset(const Config& config, const Knob& knob, std::string_view why);

inline const Knob& knob_threads = knobs[0];
inline const Knob& knob_stores = knobs[1];
inline const Knob& knob_share = knobs[2];
inline const Knob& knob_part = knobs[3];
inline const Knob& knob_strip = knobs[4];
inline const Knob& knob_way = knobs[5];
inline const Knob& knob_task = knobs[6];
inline const Knob& knob_block = knobs[7];
inline const Knob& knob_steps = knobs[8];
inline const Knob& knob_pairs = knobs[9];
inline const Knob& knob_graph = knobs[10];
inline const Knob& knob_warps = knobs[11];
inline const Knob& knob_carry = knobs[12];

// Returns the error of the first knob whose value is not valid, for configs of a GPU or of the CPU.
template <class Configs>
Result<void> check_each(const Configs& configs, const Config& config, bool on_gpu = false) {
    for (const Knob& knob : knobs) {
        if (knob.of_gpu != on_gpu) {
            if (auto unset = check_unset(config, knob, on_gpu ? "it is of the CPU" : "it is of GPUs"); !unset)
                return unset;
            continue;
        }
        if (auto good = configs.check_knob(config, knob); !good) return good;
    }
    return {};
}

// Returns words of every key, " size:640x480 planes:3", and those it ends with, " device:cpu target:AVX2
// threads:2".
std::string size_in_key(const Shape& shape);
std::string end_of_key(int threads, const std::string& target, const char* device = "cpu");

// Describes which configs a problem has.
struct Space {
    // Returns whether a knob's value is valid.
    std::function<bool(const Config&, const Knob&)> check = {};
    std::function<Config(const Config&)> resolve = {};  // of what check() lets through
    int threads = 1;                                    // of the device
    bool on_gpu = false;
    bool other_bits = false;  // with the knobs that change bits
};

// Does what iir2d::candidates() does.
std::vector<Config> candidates(const Space& space);

// Returns the candidates of configs that have check_knob() and resolve(): those of `device`, whose own two
// are not read.
template <class Configs>
std::vector<Config> candidates_of(const Configs& configs, Space device) {
    device.check = [&](const Config& config, const Knob& knob) {
        return configs.check_knob(config, knob).has_value();
    };
    device.resolve = [&](const Config& config) { return configs.resolve(config); };
    return candidates(device);
}

// Returns the number of knobs that are set.
int knobs_set(const Config& config);

// Returns whether a knob is set whose values give other bits than static's.
bool sets_other_bits(const Config& config);

}  // namespace iir2d::tune
