// SPDX-License-Identifier: MIT
// How often a comparison is right: an unchanged program against itself, and against itself with a slowdown
// planted in what is timed, many times over. Prints the rates; judges nothing.
//
//   verdict_bench [TRIALS 20] [SIZE 1024] [ITERATIONS 50] [SLOWDOWN 0.1] [THREADS 1]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/benchmark/runner.h"
#include "core/evidence/compare.h"
#include "core/support/devices.h"

namespace {

using namespace workbench;
using Clock = std::chrono::steady_clock;

// Another workload, and after it waiting for a part of the time it took: a slowdown that nothing hides.
class Slowed : public Workload {
  public:
    Slowed(std::unique_ptr<Workload> inner, double part)
        : Workload(inner->what, inner->input), m_inner(std::move(inner)), m_part(part) {
        kernel = m_inner->kernel;
        output = std::move(m_inner->output);
    }
    void prepare() override {
        m_inner->output = std::move(output);
        m_inner->prepare();
    }
    Result<void> compute(const std::stop_token& stop) override {
        const auto start = Clock::now();
        auto done = m_inner->compute(stop);
        const auto end = Clock::now();
        const auto until = end + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(end - start) * m_part);
        while (m_part > 0 && Clock::now() < until) {
        }
        output = std::move(m_inner->output);
        return done;
    }
    Result<Judgement> judge(int channel, const TaskControl& control) override {
        return m_inner->judge(channel, control);
    }

  private:
    std::unique_ptr<Workload> m_inner;
    double m_part;
};

struct Setup {
    BenchmarkMatrix matrix;
    iir2d::Device device;
};

RecordPtr measure(const Setup& setup, double slowdown) {
    Record record;
    InputSource inputs(setup.matrix);
    ReferenceCache references;
    CopyProbe probe(setup.device.threads());
    const CaseSettings settings{.warmup = setup.matrix.warmup,
                                .iterations = setup.matrix.iterations,
                                .preemption = PreemptionScope::process};
    const auto cases = expand(setup.matrix);
    for (const auto& what : *cases) {
        auto workload = make_workload(what, inputs.input_of(what), setup.device, references);
        Slowed slowed(std::move(*workload), slowdown);
        const auto result = run_case(slowed, settings, probe, {});
        if (!result || result->failure) {
            std::fprintf(stderr, "verdict_bench: %s\n", result ? result->failure->c_str() : "failed");
            std::exit(1);
        }
        record.run.results.push_back(*result);
    }
    return std::make_shared<const Record>(std::move(record));
}

}  // namespace

int main(int argc, char** argv) {
    const auto argument = [&](int i, double fallback) { return argc > i ? std::atof(argv[i]) : fallback; };
    const int trials = static_cast<int>(argument(1, 20));
    const auto size = static_cast<std::int64_t>(argument(2, 1024));
    const double slowdown = argument(4, 0.1);
    auto choice = choose_device("cpu", static_cast<int>(argument(5, 1)));
    if (!choice) return 1;
    Setup setup{.matrix = {}, .device = std::move(choice->device)};
    setup.matrix.sizes = {{size, size}};
    setup.matrix.iterations = static_cast<int>(argument(3, 50));

    // By metric, what was done, and verdict.
    std::map<std::string, std::map<std::string, int>> counts;
    for (int t = 0; t < trials; ++t) {
        const auto base = measure(setup, 0);
        const std::pair<std::string, RecordPtr> others[] = {{"unchanged", measure(setup, 0)},
                                                            {"slowed", measure(setup, slowdown)}};
        for (const Metric metric : {Metric::ratio_to_copy, Metric::latency}) {
            for (const auto& [name, record] : others) {
                const auto comparison = compare_records(base, record, {.metric = metric});
                if (!comparison) return 1;
                for (const auto& c : comparison->cases)
                    ++counts[std::string(name_of(metric)) + ", " + name][std::string(name_of(c.verdict))];
            }
        }
        std::fprintf(stderr, "trial %d of %d\n", t + 1, trials);
    }
    std::printf("%d trials, %lldx%lld, %d iterations, slowdown %.0f %%\n", trials,
                static_cast<long long>(size), static_cast<long long>(size), setup.matrix.iterations,
                100 * slowdown);
    for (const auto& [what, verdicts] : counts) {
        std::printf("%-28s", what.c_str());
        for (const auto& [verdict, count] : verdicts) std::printf("  %s %d", verdict.c_str(), count);
        std::printf("\n");
    }
    return 0;
}
