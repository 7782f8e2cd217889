// SPDX-License-Identifier: MIT
// Matrices that take the states of a pass's sections over samples, and the parameters of a section: what
// plans for the GPU are made of.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/iir/analysis.h"
#include "kernels/iir/coefficients.h"
#include "kernels/iir/gpu_parameters.h"

namespace iir2d::iir {

constexpr int state_size = 2 * gpu_sections;

// Holds the state's matrix, row by row; a pass of one section uses the upper left quarter.
using Matrix = std::array<double, static_cast<std::size_t>(state_size) * state_size>;

inline std::size_t place(int row, int column) {
    const int index = row * state_size + column;
    return static_cast<std::size_t>(index);
}
inline double& at(Matrix& m, int row, int column) {
    return m[place(row, column)];
}
inline double at(const Matrix& m, int row, int column) {
    return m[place(row, column)];
}

inline Matrix multiply(const Matrix& p, const Matrix& q) {
    Matrix product{};
    for (int i = 0; i < state_size; ++i) {
        for (int j = 0; j < state_size; ++j) {
            for (int k = 0; k < state_size; ++k) at(product, i, j) += at(p, i, k) * at(q, k, j);
        }
    }
    return product;
}

inline Matrix power(Matrix base, std::int64_t exponent) {
    Matrix result{};
    for (int i = 0; i < state_size; ++i) at(result, i, i) = 1.0;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result = multiply(result, base);
        base = multiply(base, base);
    }
    return result;
}

// Returns the matrix by which one sample of silence changes the sections' states, in the transposed direct
// form II, with the first section's output, its s1, as the second's input.
inline Matrix silence(const std::vector<Section>& sections) {
    Matrix m{};
    // How the input of the section at hand depends on the state.
    std::array<double, state_size> input{};
    for (std::size_t k = 0; k < sections.size(); ++k) {
        const Section& s = sections[k];
        const int s1 = 2 * static_cast<int>(k);
        std::array<double, state_size> output{};
        for (int j = 0; j < state_size; ++j) {
            const auto column = static_cast<std::size_t>(j);
            output[column] = s.b[0] * input[column] + (j == s1 ? 1.0 : 0.0);
            at(m, s1, j) = s.b[1] * input[column] + s.a[0] * output[column] + (j == s1 + 1 ? 1.0 : 0.0);
            at(m, s1 + 1, j) = s.b[2] * input[column] + s.a[1] * output[column];
        }
        input = output;
    }
    return m;
}

inline bool is_second_order(const Section& s) {
    return s.order == 2 || s.b[2] != 0.0 || s.a[1] != 0.0;
}

// Returns the section as the precision rounds it.
inline Section stepped(const Section& s, Precision precision) {
    return precision == Precision::f32 ? rounded_to_float(s) : s;
}

inline GpuSection section_parameters(const Section& exact, Precision precision) {
    const Section step = stepped(exact, precision);
    GpuSection p{};
    std::ranges::copy(step.b, p.step_b);
    std::ranges::copy(step.a, p.step_a);
    std::ranges::copy(exact.b, p.b);
    std::ranges::copy(exact.a, p.a);
    std::ranges::copy(exact.start_b, p.start_b);
    p.gain = dc_gain(exact);
    p.step_gain = dc_gain(step);
    p.order = exact.order;
    return p;
}

}  // namespace iir2d::iir
