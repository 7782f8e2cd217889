// SPDX-License-Identifier: MIT
#include "core/record/consistency.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/benchmark/benchmark.h"
#include "core/benchmark/statistics.h"
#include "core/recipe/recipe.h"
#include "core/record/matrix_consistency.h"
#include "core/record/record_json.h"
#include "core/record/record_matrix.h"
#include "core/record/run_consistency.h"
#include "core/support/escaped.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace {

using nlohmann::json;

// Another compiler may round the last digits of a sum differently; nothing else may differ.
bool agree(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// The problems of one case, each said with the case's key.
class CaseChecker {
  public:
    CaseChecker(const json& record, const json& one, const Findings& found)
        : m_record(record), m_case(one), m_found(found) {}

    void check() {
        check_parity();
        const json& timing = value_of(m_case.at("timing"));
        if (!timing.is_null()) check_timing(timing);
        check_gpu_state(value_of(m_case.at("gpu_state")));
        const json& operation = m_case.at("operation");
        if (operation.at("kind") == "recipe") check_recipe(operation.at("recipe"));
    }

  private:
    void problem(const std::string& text) {
        m_found("case \"" + escaped(cell_text(m_case.at("key"))) + "\": " + text);
    }

    void expect(const std::string& name, const json& stated, double computed) {
        const json& value = stated.is_object() ? value_of(stated) : stated;
        if (!value.is_number()) {
            problem(name + " is missing although the samples give it");
        } else if (!agree(value.get<double>(), computed)) {
            problem(name + " is " + value.dump() + " but the samples give " + json(computed).dump());
        }
    }

    void check_statistics(const std::string& name, const json& stated, std::span<const double> samples) {
        const SampleStatistics s = summarise(samples);
        expect(name + ".count", stated.at("count"), static_cast<double>(s.count));
        expect(name + ".min", stated.at("min"), s.min);
        expect(name + ".p5", stated.at("p5"), s.p5);
        expect(name + ".p50", stated.at("p50"), s.p50);
        expect(name + ".p95", stated.at("p95"), s.p95);
        expect(name + ".p99", stated.at("p99"), s.p99);
        expect(name + ".max", stated.at("max"), s.max);
        expect(name + ".mean", stated.at("mean"), s.mean);
        // Deviations of nearly equal samples are differences of nearly equal numbers: compared at their
        // scale.
        const auto deviation = [&](const char* key, double computed) {
            const double value = stated.at(key).get<double>();
            if (std::abs(value - computed) > 1e-9 * s.max) expect(name + "." + key, stated.at(key), computed);
        };
        deviation("standard_deviation", s.standard_deviation);
        deviation("median_absolute_deviation", s.median_absolute_deviation);
    }

    bool count_fits(const json& timing, std::size_t count) {
        const json& matrix = m_record.at("matrix");
        const auto iterations = matrix.at("iterations").get<std::size_t>();
        const json& rule = value_of(matrix.at("stopping"));
        if (rule.is_null()) return count == iterations && timing.at("stop_reason") == "iterations";
        const auto least = rule.at("least").get<std::size_t>();
        const auto most = rule.at("most").get<std::size_t>();
        if (count < least || count > most) return false;
        const json& why = timing.at("stop_reason");
        if (why == "most samples") return count == most;
        return why == "precision" || why == "most time";
    }

    void check_stopping(const json& timing, std::span<const double> samples) {
        const Interval interval = median_interval(samples);
        const json& stated = timing.at("latency_p50_interval_ms");
        expect("latency_p50_interval_ms.low", stated.at("low"), interval.low);
        expect("latency_p50_interval_ms.high", stated.at("high"), interval.high);
        const json& rule = value_of(m_record.at("matrix").at("stopping"));
        if (!rule.is_null() && timing.at("stop_reason") == "precision" &&
            !is_precise(samples, rule.at("precision").get<double>()))
            problem("it was stopped as precise although its interval is wider");
        const std::string why = inconclusive_reason(timing.at("preempted").size(), samples.size(),
                                                    m_record.at("matrix").at("most_disturbed").get<double>(),
                                                    throttled_by(m_case));
        if (cell_text(value_of(timing.at("inconclusive"))) != why)
            problem(why.empty() ? "it is called inconclusive although nothing disturbed too many samples"
                                : "it is not called inconclusive for what it was: " + why);
    }

    void check_samples(const json& timing, const char* samples_key, const char* preempted_key) {
        const std::size_t count = timing.at(samples_key).size();
        if (!count_fits(timing, count)) {
            problem(std::string(samples_key) + " has " + std::to_string(count) + " samples for " +
                    cell_text(m_record.at("matrix").at("iterations")) + " iterations");
        }
        std::int64_t before = -1;
        for (const json& index : timing.at(preempted_key)) {
            const auto i = index.get<std::int64_t>();
            if (i <= before || i >= static_cast<std::int64_t>(count)) {
                problem(std::string(preempted_key) + " is not a rising list of sample positions");
                return;
            }
            before = i;
        }
    }

    void check_timing(const json& timing) {
        check_samples(timing, "samples_ms", "preempted");
        check_samples(timing, "copy_samples_ms", "copy_preempted");
        check_samples(timing, "memcpy_samples_ms", "memcpy_preempted");
        const auto samples = timing.at("samples_ms").get<std::vector<double>>();
        const auto copies = timing.at("copy_samples_ms").get<std::vector<double>>();
        const auto plain = timing.at("memcpy_samples_ms").get<std::vector<double>>();
        check_statistics("latency_ms", timing.at("latency_ms"), samples);
        check_statistics("copy_ms", timing.at("copy_ms"), copies);
        check_stopping(timing, samples);
        expect("memcpy_ms_p50", timing.at("memcpy_ms_p50"), percentile(plain, 50));

        const double p50 = percentile(samples, 50);
        const double copy = percentile(copies, 50);
        if (copy > 0 && p50 > 0) expect("ratio_to_copy", timing.at("ratio_to_copy"), p50 / copy);
        if (p50 > 0) {
            const double pixels = m_case.at("width").get<double>() * m_case.at("height").get<double>();
            expect("throughput_mpix_per_s_p50", timing.at("throughput_mpix_per_s_p50"), pixels / p50 / 1e3);
            expect("throughput_gb_per_s_p50", timing.at("throughput_gb_per_s_p50"),
                   timing.at("bytes_moved").get<double>() / p50 / 1e6);
        }
        check_bytes(timing);
    }

    void check_gpu_state(const json& state) {
        if (state.is_null()) return;
        if (m_record.at("device").at("backend") != "cuda") problem("it has a GPU's state but ran on the CPU");
        if (value_of(m_case.at("timing")).is_null()) problem("it has a GPU's state but was not timed");
        const auto count = state.at("samples").get<std::size_t>();
        for (const char* key : {"sm_clock_mhz", "temperature_c", "power_w"}) {
            const json& course = value_of(state.at(key));
            if (course.is_null()) continue;
            const auto samples = course.at("samples").get<std::vector<double>>();
            if (samples.size() > count) {
                problem(std::string(key) + " has " + std::to_string(samples.size()) + " samples of " +
                        std::to_string(count));
            }
            constexpr std::pair<const char*, double> figures[] = {{"min", 0}, {"median", 50}, {"max", 100}};
            for (const auto& [figure, q] : figures) {
                if (course.contains(figure))
                    expect(std::string(key) + "." + figure, course.at(figure), percentile(samples, q));
            }
        }
        const json& reasons = value_of(state.at("throttle_reasons"));
        std::set<std::string> words;
        for (const json& word : reasons) {
            if (!words.insert(cell_text(word)).second)
                problem("throttle_reasons has " + shown(word) + " twice");
        }
    }

    // A filter's traffic is known from its size, one read and one write; that of pooling from what it is.
    void check_bytes(const json& timing) {
        const json& operation = m_case.at("operation");
        if (operation.at("kind") == "pool") return check_pool_bytes(timing, operation);
        if (operation.at("kind") != "filter") return;
        const double per_pixel = operation.at("precision") == "f64" ? 16 : 8;
        const double pixels = m_case.at("width").get<double>() * m_case.at("height").get<double>();
        expect("bytes_moved", timing.at("bytes_moved"), pixels * per_pixel);
    }

    void check_pool_bytes(const json& timing, const json& operation) {
        const auto pool = pool_of(operation.at("pool"));
        const auto element = element_of(cell_text(operation.at("element")));
        const auto pass = pool_pass_from_name(cell_text(operation.at("pass")));
        if (!pool || !element || !pass) return;  // which the schema rules out
        const iir2d::Shape shape{1, m_case.at("channels").get<std::int64_t>(),
                                 m_case.at("height").get<std::int64_t>(),
                                 m_case.at("width").get<std::int64_t>()};
        const auto traffic = pool_traffic(*pool, shape, *element, *pass);
        if (!traffic) return problem("its pooling is refused: " + traffic.error().message);
        expect("bytes_moved", timing.at("bytes_moved"),
               static_cast<double>(traffic->read + traffic->written));
    }

    void check_parity() {
        const json& parity = value_of(m_case.at("parity"));
        const bool timed = !value_of(m_case.at("timing")).is_null();
        if (parity.is_null()) {
            if (timed) problem("it was timed without a verdict on its parity");
            return;
        }
        const bool passed = parity.at("passed") == true;
        if (timed && !passed) problem("it was timed although its parity failed");
        if (timed && value_of(m_case.at("output_sha256")).is_null())
            problem("it was timed but has no output hash");
        if (timed && value_of(m_case.at("input_sha256")).is_null())
            problem("it was timed but has no input hash");
        const json& error = value_of(parity.at("max_abs_error"));
        const double bound = parity.at("bound").get<double>();
        if (passed && error.is_null()) problem("its parity passed with an error that is not finite");
        if (passed && error.is_number() && parity.at("bound_is_relative") == false &&
            error.get<double>() > bound * (1 + 1e-9)) {
            problem("its parity passed with an error of " + error.dump() + " above the bound " +
                    parity.at("bound").dump());
        }
    }

    void check_recipe(const json& recipe) {
        if (const auto read = recipe_from_json(recipe.dump()); !read) {
            problem("its recipe is refused: " + read.error().message);
        }
    }

    const json& m_record;
    const json& m_case;
    const Findings& m_found;
};

void check_whole(const json& record, const Findings& found) {
    const json& cases = record.at("cases");
    const auto total = record.at("case_total").get<std::size_t>();
    const bool cancelled = record.at("cancelled") == true;
    if (cases.size() > total) {
        found("it has " + std::to_string(cases.size()) + " cases of " + std::to_string(total));
    }
    if (!cancelled && cases.size() < total) {
        found("it has " + std::to_string(cases.size()) + " of " + std::to_string(total) +
              " cases but was not cancelled");
    }
    std::set<std::string> keys;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::string key = cell_text(cases[i].at("key"));
        if (!keys.insert(key).second) found("the case \"" + escaped(key) + "\" appears twice");
        if (cases[i].at("index").get<std::size_t>() != i + 1) {
            found("case \"" + escaped(key) + "\": its index is " + cell_text(cases[i].at("index")) +
                  " but it is number " + std::to_string(i + 1));
        }
    }
    // A minimum in the schema would allow 63 bits only.
    if (!record.at("matrix").at("seed").is_number_unsigned()) found("its seed is negative");
    if (const json& recipe = value_of(record.at("matrix").at("recipe")); !recipe.is_null()) {
        if (const auto read = recipe_from_json(recipe.dump()); !read) {
            found("the recipe of its matrix is refused: " + read.error().message);
        }
    }
}

}  // namespace

void check_consistency(const json& record, const Findings& found) {
    check_whole(record, found);
    check_run(record, found);
    check_matrix(record, found);
    for (const json& one : record.at("cases")) CaseChecker(record, one, found).check();
}

}  // namespace workbench
