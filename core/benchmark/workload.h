// SPDX-License-Identifier: MIT
// One case made ready to run: its input, what computes it, and what judges it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/benchmark/benchmark.h"
#include "core/benchmark/parity.h"
#include "core/image/image.h"
#include "core/recipe/apply.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"

namespace workbench {

struct BenchmarkInput {
    std::shared_ptr<const PlanarImage> pixels;
    int alpha_channel = -1;
    std::string sha256;               // pixel_hash; of pooling in f16 and bf16, of the f32 with their values
    std::string values_key;           // equal for equal values, whatever they are stored in
    std::uint64_t upstream_seed = 2;  // of the synthetic gradients that backward passes start from
};
using BenchmarkInputPtr = std::shared_ptr<const BenchmarkInput>;

// The input of each case: channels of the matrix's image, or a synthetic plane. Neighbouring cases share one.
class InputSource {
  public:
    explicit InputSource(const BenchmarkMatrix& matrix) : m_matrix(matrix) {}
    BenchmarkInputPtr input_of(const BenchmarkCase& what);

  private:
    BenchmarkMatrix m_matrix;
    std::string m_key;
    BenchmarkInputPtr m_input;
};

// A channel's reference, and how near it the result must be.
struct Judgement {
    std::shared_ptr<const std::vector<double>> reference;
    Tolerance tolerance;
};

std::vector<double> plane_as_double(const PlanarImage& image, int channel);

// Cases that differ only in precision have one reference.
struct ReferenceCache {
    std::string key;
    std::shared_ptr<const std::vector<double>> reference;
};

class Workload {
  public:
    Workload(BenchmarkCase a_case, BenchmarkInputPtr an_input)
        : what(std::move(a_case)), input(std::move(an_input)) {}
    virtual ~Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;

    // Untimed, before each compute().
    virtual void prepare() {}
    // Untimed, after compute() and before `output` is looked at.
    virtual void finish() {}
    // Runs what is timed: input to output. `cancelled` when `stop` asked.
    virtual Result<void> compute(const std::stop_token& stop) = 0;
    virtual Result<Judgement> judge(int channel, const TaskControl& control) = 0;

    // Returns what a copy has to move to compare with.
    virtual Traffic traffic() const { return {input->pixels->bytes().size(), output.bytes().size()}; }

    const BenchmarkCase what;
    const BenchmarkInputPtr input;
    PlanarImage output;                // of the latest compute()
    std::optional<iir2d::Device> gpu;  // that computes, when one does
    // Of the latest compute(), by the GPU's own clock; absent on the CPU, where the caller's clock tells.
    std::optional<iir2d::RunTimes> gpu_time;
    iir2d::KernelIdentity kernel;
};

// `cache` must outlive the workload. `config` is that of a filter or a pooling case; absent: as the library
// chooses.
Result<std::unique_ptr<Workload>> make_workload(const BenchmarkCase& what, BenchmarkInputPtr input,
                                                const iir2d::Device& device, ReferenceCache& cache,
                                                const std::optional<iir2d::Config>& config = {});

}  // namespace workbench
