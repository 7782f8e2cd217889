// SPDX-License-Identifier: MIT
#include "tests/gpu/ptx/gpu_traffic_jobs.h"

#include <atomic>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "kernels/iir/gpu_plan.h"
#include "kernels/iir/plan_checks.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_plan.h"
#include "tests/gpu/fake_cuda/ptx_counts.h"

namespace gpu_traffic {

namespace {

using namespace iir2d;
namespace ptx = workbench::ptx;

// One job's memory and what its launches counted.
class Runner {
  public:
    Runner(const ptx::Module& module, CountedJob& job, ptx::Checks checks = ptx::Checks::bounds)
        : m_module(module), m_job(job), m_checks(checks) {}

    std::uint64_t allocate(std::size_t bytes) { return bytes == 0 ? 0 : m_memory.allocate(bytes); }

    // Noise in [0, 1), the same everywhere.
    std::uint64_t image(std::int64_t elements) {
        const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(float);
        const std::uint64_t address = m_memory.allocate(bytes);
        const auto held = m_memory.bytes(address, bytes);
        for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
            auto mixed = static_cast<std::uint32_t>(i) * 0x9E3779B9U;
            mixed = (mixed ^ mixed >> 16U) * 0x85EBCA6BU;
            const float value = static_cast<float>((mixed ^ mixed >> 13U) >> 8U) * 0x1p-24F;
            std::memcpy(held.data() + i * sizeof value, &value, sizeof value);
        }
        m_memory.mark_written(address, bytes);
        return address;
    }

    bool run(const char* kernel, unsigned blocks, unsigned threads, unsigned shared_bytes,
             const void* parameters) {
        const ptx::EntryInfo* const entry = m_module.entry(kernel);
        if (entry == nullptr) throw std::runtime_error("the text has no " + std::string(kernel));
        const ptx::Launch launch{
            .kernel = kernel,
            .grid = {blocks, 1, 1},
            .block = {threads, 1, 1},
            .shared_bytes = shared_bytes,
            .parameters = {static_cast<const std::byte*>(parameters), entry->parameter_bytes},
            .budget = 1'000'000'000'000ULL,
            .checks = m_checks};
        const std::clock_t before = std::clock();
        const auto outcome = ptx::run(m_module, launch, m_memory);
        m_ticks += std::clock() - before;
        if (!outcome) throw std::runtime_error(outcome.error().message);
        if (outcome->findings_total != 0) throw std::runtime_error(outcome->findings.front().message);
        m_job.launches.push_back({.kernel = kernel,
                                  .blocks = blocks,
                                  .threads = threads,
                                  .shared_bytes = shared_bytes,
                                  .line = fake::counts_line(launch, outcome->counts),
                                  .counts = outcome->counts});
        return true;
    }

    // Of a processor, by all threads of the process, while launches of this runner ran.
    double seconds() const { return static_cast<double>(m_ticks) / CLOCKS_PER_SEC; }

  private:
    const ptx::Module& m_module;
    CountedJob& m_job;
    ptx::Checks m_checks;
    std::clock_t m_ticks = 0;
    ptx::Memory m_memory;
};

void count_filter(Runner& runner, int id, bool adjoint, std::int64_t size) {
    const FilterDesc desc{.shape = {.h = size, .w = size}, .filter = {.id = id}};
    const auto filters = iir::filters_of(desc);
    if (!filters) throw std::runtime_error(filters.error().message);
    const auto filter = (adjoint ? iir::make_gpu_adjoint : iir::make_gpu_filter)(desc, filters->front());
    const std::int64_t plane = size * size;
    const iir::GpuPlanes x{runner.image(plane), size, plane};
    const iir::GpuPlanes y{runner.allocate(static_cast<std::size_t>(plane) * sizeof(float)), size, plane};
    iir::for_each_launch(filter, x, y, runner.allocate(filter.workspace_bytes),
                         [&](const iir::GpuLaunch& launch) {
                             return runner.run(launch.kernel, launch.blocks, launch.threads,
                                               launch.shared_bytes, launch.parameters);
                         });
}

void count_pooling(Runner& runner, PoolDesc desc, bool backward, bool with_places, std::int64_t size) {
    desc.shape = {.h = size, .w = size};
    const auto geometry = pool::make_geometry(desc);
    if (!geometry) throw std::runtime_error(geometry.error().message);
    const auto pooling = pool::make_gpu_pooling(desc, *geometry);
    const Shape& out = geometry->output;
    const auto elements = static_cast<std::size_t>(out.h * out.w);
    const pool::GpuPlanes x{runner.image(size * size), size, size * size};
    const pool::GpuPlanes y{runner.allocate(elements * sizeof(float)), out.w, out.h * out.w};
    const std::uint64_t argmax = with_places ? runner.allocate(elements * sizeof(std::int64_t)) : 0;
    const auto run = [&](const pool::GpuLaunch& launch) {
        return runner.run(launch.kernel, launch.blocks, launch.threads, 0, launch.parameters);
    };
    pool::for_each_launch(pooling, x, y, argmax, run);
    if (!backward) return;
    const auto reads = pool::backward_reads(desc.op);
    const pool::GpuPlanes dx{runner.allocate(static_cast<std::size_t>(size * size) * sizeof(float)), size,
                             size * size};
    pool::for_each_launch(pooling,
                          pool::GpuGradients{.x = reads.x ? x : pool::GpuPlanes{},
                                             .y = reads.y ? y : pool::GpuPlanes{},
                                             .dy = {runner.image(out.h * out.w), out.w, out.h * out.w},
                                             .dx = dx,
                                             .argmax = argmax},
                          run);
}

struct Job {
    std::string name;
    std::function<void(Runner&, std::int64_t size)> run;
    bool last_launch_only = false;  // what it needs is made by launches that other jobs count
};

std::vector<Job> all_jobs() {
    std::vector<Job> jobs;
    for (const bool adjoint : {false, true}) {
        for (int id = 1; id <= 8; ++id) {
            jobs.push_back(
                {(adjoint ? "adjoint of filter " : "filter ") + std::to_string(id),
                 [=](Runner& runner, std::int64_t size) { count_filter(runner, id, adjoint, size); }});
        }
    }
    struct Op {
        const char* name;
        PoolDesc desc;
        bool with_places;
    };
    for (const bool backward : {false, true}) {
        for (const Op& op :
             {Op{"max", {.op = PoolOp::max}, false}, Op{"max with places", {.op = PoolOp::max}, true},
              Op{"avg", {.op = PoolOp::avg}, false}, Op{"lp, p = 1", {.op = PoolOp::lp, .p = 1.0}, false},
              Op{"lp, p = 2", {.op = PoolOp::lp, .p = 2.0}, false},
              Op{"lp, p = 3", {.op = PoolOp::lp, .p = 3.0}, false}}) {
            for (const std::int64_t window : {2, 3}) {
                if (backward && op.desc.op == PoolOp::max && !op.with_places)
                    continue;  // it needs the places
                // Windows of 3 x 3 move what those of another norm do, and powers take long.
                if (window == 3 && op.desc.op == PoolOp::lp && (backward || op.desc.p != 2.0)) continue;
                PoolDesc desc = op.desc;
                desc.window = {window, window};
                desc.stride = Extent{2, 2};
                jobs.push_back({std::string(op.name) + ", " + std::to_string(window) + " x " +
                                    std::to_string(window) + " by 2" + (backward ? ", backward" : ""),
                                [=, places = op.with_places](Runner& runner, std::int64_t size) {
                                    count_pooling(runner, desc, backward, places, size);
                                },
                                backward});
            }
        }
    }
    return jobs;
}

}  // namespace

std::vector<CountedJob> count_jobs(const ptx::Module& module, std::int64_t size) {
    const std::vector<Job> jobs = all_jobs();
    std::vector<CountedJob> counted(jobs.size());
    std::vector<std::string> failures(jobs.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < jobs.size(); i = next++) {
            counted[i].name = jobs[i].name;
            try {
                Runner runner(module, counted[i]);
                jobs[i].run(runner, size);
            } catch (const std::runtime_error& error) {
                failures[i] = error.what();
            }
            auto& launches = counted[i].launches;
            if (jobs[i].last_launch_only && !launches.empty())
                launches.erase(launches.begin(), launches.end() - 1);
        }
    };
    {
        const std::jthread other(work);
        work();
    }
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (!failures[i].empty()) throw std::runtime_error(jobs[i].name + ": " + failures[i]);
    return counted;
}

std::vector<FilterRate> filter_rates(const ptx::Module& module, std::int64_t size, ptx::Checks checks) {
    std::vector<FilterRate> rates;
    for (int id = 1; id <= 8; ++id) {
        CountedJob job;
        Runner runner(module, job, checks);
        count_filter(runner, id, false, size);
        FilterRate rate{.name = "filter " + std::to_string(id), .seconds = runner.seconds()};
        for (const CountedLaunch& launch : job.launches)
            rate.lane_instructions += static_cast<double>(launch.counts.lane_instructions);
        rates.push_back(rate);
    }
    return rates;
}

}  // namespace gpu_traffic
