// SPDX-License-Identifier: MIT
// A problem with its planes, ready to be run by any config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "core/tune/problem.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"

namespace workbench::tune {

using Plan = std::variant<iir2d::FilterPlan, iir2d::PoolPlan>;

// Holds memory for samples, of which the first is at a multiple of 64 bytes.
class AlignedBytes {
  public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t size);  // they may be anything
    std::span<std::byte> bytes() const { return {m_first, m_size}; }

  private:
    std::shared_ptr<void> m_block;
    std::byte* m_first = nullptr;
    std::size_t m_size = 0;
};

class PreparedProblem {
  public:
    // Prepares a problem. Plane p of the input has the samples of synthetic_plane(seed + 2p), rounded to the
    // problem's type; that of the gradient that a backward pass starts from those of seed + 2p + 1. Rows are
    // dense, input and output lie apart. device_failure: there is not enough memory.
    static Result<std::unique_ptr<PreparedProblem>> make(const Problem& problem, const iir2d::Device& device,
                                                         std::uint64_t seed);

    Result<Plan> plan(const iir2d::Config& config) const;
    Result<void> run(const Plan& plan, const std::stop_token& stop = {});

    // Returns samples of the latest run, with places behind them where they are asked for.
    std::span<std::byte> output() const { return m_output.bytes(); }
    std::span<const std::byte> input() const { return m_input.bytes(); }
    // Returns what the operation has to read and write.
    const Traffic& traffic() const { return m_traffic; }
    // Return the time of the latest run on a GPU, by its clock, without transfers; and of a copy of as many
    // bytes there.
    std::optional<double> device_ms() const;
    Result<std::optional<double>> device_copy_ms() const;

    // Compares the latest run's output with the double reference. check_failed: it is out of the contract's
    // bound.
    Result<void> judge(const TaskControl& control) const;

  private:
    PreparedProblem(Problem problem, const iir2d::Device& device)
        : m_problem(std::move(problem)), m_device(device) {}
    Result<void> fill(std::uint64_t seed);
    Result<void> fill_backward(std::uint64_t seed);
    std::span<std::int64_t> places() const;
    bool is_on_gpu() const { return m_device.backend() == iir2d::Backend::cuda; }
    Result<void> judge_plane(std::int64_t plane, const TaskControl& control) const;
    std::vector<double> plane_of(const AlignedBytes& bytes, const iir2d::Shape& shape, std::int64_t p) const;

    Problem m_problem;
    iir2d::Device m_device;
    iir2d::ElementType m_element = iir2d::ElementType::f32;
    iir2d::Shape m_result;  // of forward
    AlignedBytes m_input;
    AlignedBytes m_output;
    AlignedBytes m_upstream;             // of backward
    AlignedBytes m_pooled;               // of lp backward
    std::vector<std::int64_t> m_argmax;  // of max backward
    Traffic m_traffic;
    iir2d::RunTimes m_times;  // of a GPU
};

}  // namespace workbench::tune
