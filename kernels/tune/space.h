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
    bool by_threads = false;  // which values are valid depends on `threads`; else on no other knob
};

// In the order of the fields.
inline constexpr std::array<Knob, 7> knobs{{{"threads", &Config::threads},
                                            {"stores", &Config::stores},
                                            {"share", &Config::share, true},
                                            {"part", &Config::part},
                                            {"strip", &Config::strip},
                                            {"way", &Config::way},
                                            {"task", &Config::task}}};

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

// Returns the error of the first knob whose value is not valid.
template <class Configs>
Result<void> check_each(const Configs& configs, const Config& config) {
    for (const Knob& knob : knobs) {
        if (auto good = configs.check_knob(config, knob); !good) return good;
    }
    return {};
}

// Returns an error unless the config is `static`: on a GPU there are no knobs.
Result<void> check_static(const Device& device, const Config& config);

// Returns words of every key, " size:640x480 planes:3", and those it ends with, " device:cpu target:AVX2
// threads:2".
std::string size_in_key(const Shape& shape);
std::string end_of_key(int threads, const std::string& target);

// Returns the error of a device that problems have no keys for.
std::unexpected<Error> no_key(const Device& device);

// What decides which configs a problem has.
struct Space {
    // Whether a knob's value is valid.
    std::function<bool(const Config&, const Knob&)> check;
    std::function<Config(const Config&)> resolve;  // of what check() lets through
    int threads = 1;                               // of the device
};

// As iir2d::candidates().
std::vector<Config> candidates(const Space& space);

// Returns the number of knobs that are set.
int knobs_set(const Config& config);

}  // namespace iir2d::tune
