// SPDX-License-Identifier: MIT
// How far a result may be from the double-precision reference, and whether it is that near. Pure.
#pragma once

#include <optional>
#include <span>

#include "core/benchmark/benchmark.h"
#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "iir2d/filter.h"

namespace workbench {

// |result - reference| <= absolute + relative * max(|reference|, floor), for each sample.
struct Tolerance {
    double absolute = 0;
    double relative = 0;
    double floor = 0;
    // What the samples are stored in, when not in the image's type. Where that is f16 or bf16 and `relative`
    // is not 0, nothing more than one unit in the last place of max(|reference|, floor) is allowed.
    std::optional<iir2d::ElementType> stored = std::nullopt;
};

// Compares channel after channel of a result with its reference and gathers one Parity.
class ParityCheck {
  public:
    // `reference` has as many samples as a plane of `result`. The Parity states the largest tolerance given:
    // the relative one where there is one, else the absolute one.
    void add_channel(const PlanarImage& result, int channel, std::span<const double> reference,
                     const Tolerance& tolerance);

    // NaN in both is agreement; NaN in one alone, or infinities that differ, are an infinite error.
    Parity parity() const;

  private:
    template <class T>
    void add(std::span<const T> result, std::int64_t width, int channel, std::span<const double> reference,
             const Tolerance& tolerance);

    Parity m_parity;
    double m_sum = 0;
    std::int64_t m_count = 0;
    bool m_within = true;
    bool m_worst_outside = false;
};

// Says why a case was refused, in a sentence; absent when it passed.
std::optional<std::string> parity_failure(const Parity& parity);

// Returns the largest absolute value among finite samples, 0 when there is none.
double largest_magnitude(std::span<const double> samples);

// What one operation may do to a result: add `own` times the scale of its input, after multiplying the error
// that came in by at most `gain`.
struct ErrorStep {
    double own = 0;
    double gain = 1;
    bool own_is_relative = false;  // pooling: relative to the result instead of the input's scale
};
Result<ErrorStep> error_step(const Operation& operation, iir2d::ElementType element);

// Returns what the pooling contract allows, relative to each value; 0: exact.
double pool_bound(const PoolOperation& pool, iir2d::ElementType element, PoolPass pass);

// Returns the largest gain of a change of a filter's input: the product of the absolute sums of its sections'
// impulse responses, over both axes.
double worst_gain(const iir2d::FilterData& data);

}  // namespace workbench
