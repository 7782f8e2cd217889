// SPDX-License-Identifier: MIT
// What a decision is asked for: a problem on the CPU with its configs.
#pragma once

#include <string>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "kernels/tune/features.h"

namespace iir2d::tune {

class Question {
  public:
    virtual ~Question() = default;
    virtual Purpose purpose() const = 0;
    virtual std::string key() const = 0;
    virtual Facts facts() const = 0;
    virtual std::vector<Config> candidates() const = 0;
    virtual Result<void> check(const Config& config) const = 0;
    // Precondition: check() lets it through.
    virtual Config resolve(const Config& config) const = 0;
};

// Returns the features of the problem by a config, which may be invalid, then that error.
Result<std::vector<float>> features_of(const Question& question, const Config& config);

}  // namespace iir2d::tune
