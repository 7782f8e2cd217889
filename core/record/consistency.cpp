// SPDX-License-Identifier: MIT
#include "core/record/consistency.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string_view>

#include "core/record/record_layout.h"
#include "core/support/canonical_json.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"

namespace workbench {

namespace {

using namespace layout;

// Finds every figure that is not the one that was computed again.
class FigureChecker {
  public:
    explicit FigureChecker(const Findings& found) : m_found(found) {}

    template <class S, class... Row>
    void check(const S& stated, const S& computed, const std::tuple<Row...>& rows, const std::string& place) {
        std::apply([&](const auto&... row) { (check_row(stated, computed, row, place), ...); }, rows);
    }

  private:
    template <class S, class Get, class Rows>
    void check_row(const S& stated, const S& computed, const Member<Get, Rows>& row,
                   const std::string& place) {
        const auto& value = std::invoke(row.get, stated);
        using T = std::remove_cvref_t<decltype(value)>;
        const auto& wanted = std::invoke(row.get, computed);
        if constexpr (HasLayout<T>) {
            check(value, wanted, Layout<T>::rows, place + row.name + ".");
        } else if constexpr (std::is_arithmetic_v<T>) {
            // Deviations of nearly equal samples are differences of nearly equal numbers: compared at their
            // scale.
            double scale = 0;
            if constexpr (requires { computed.max; }) scale = row.limits.is_deviation ? computed.max : 0;
            expect(place + row.name, static_cast<double>(value), static_cast<double>(wanted), scale);
        }
    }
    template <class S, class Get, class Reason, class Absence, class Rows>
    void check_row(const S& stated, const S& computed, const Nullable<Get, Reason, Absence, Rows>& row,
                   const std::string& place) {
        const double value = std::invoke(row.get, stated);
        const double wanted = std::invoke(row.get, computed);
        const bool is_missing = row.absence.is_absent(stated, value);
        if (row.absence.is_absent(computed, wanted)) {
            if (!is_missing) m_found(place + row.name + " is stated although the samples do not give it");
        } else if (is_missing) {
            m_found(place + row.name + " is missing although the samples give it");
        } else {
            expect(place + row.name, value, wanted, 0);
        }
    }

    // Another compiler may round the last digits of a sum differently; nothing else may differ.
    void expect(const std::string& name, double stated, double computed, double scale) {
        if (std::isfinite(computed) &&
            std::abs(stated - computed) <= 1e-9 * std::max({std::abs(stated), std::abs(computed), scale}))
            return;
        m_found(name + " is " + canonical_number(stated) + " but the samples give " +
                canonical_number(computed));
    }

    const Findings& m_found;
};

// The problems of one case, each said with the case's key.
class CaseChecker {
  public:
    CaseChecker(const Record& record, const CaseResult& one, const Findings& found)
        : m_matrix(record.run.matrix),
          m_on_gpu(record.run.device.backend == iir2d::Backend::cuda),
          m_case(one),
          m_problem([&found, name = "case \"" + escaped(one.what.key) + "\": "](const std::string& text) {
              found(name + text);
          }) {}

    void check() {
        check_parity();
        if (is_timed()) check_timing();
        if (m_case.gpu) check_gpu(*m_case.gpu);
    }

  private:
    bool is_timed() const { return !m_case.samples.empty(); }

    bool count_fits(std::size_t count) const {
        using enum StopReason;
        const auto wide = [](int n) { return static_cast<std::size_t>(n); };
        const StopReason why = m_case.stop_reason;
        if (!m_matrix.stopping) return count == wide(m_matrix.iterations) && why == iterations;
        const StoppingRule& rule = *m_matrix.stopping;
        if (count < wide(rule.least) || count > wide(rule.most)) return false;
        if (why == most_samples) return count == wide(rule.most);
        return why == precision || why == most_time;
    }

    void check_count(const char* name, const std::vector<TimedSample>& samples) {
        if (count_fits(samples.size())) return;
        m_problem(std::string(name) + " has " + counted(samples.size(), "sample") + " for " +
                  counted(static_cast<std::uint64_t>(m_matrix.iterations), "iteration"));
    }

    void check_timing() {
        check_count("samples_ms", m_case.samples);
        check_count("copy_samples_ms", m_case.copy_samples);
        check_count("memcpy_samples_ms", m_case.memcpy_samples);
        FigureChecker(m_problem).check<TimingFigures>(m_case, figures_of(m_case), Layout<TimingFigures>::rows,
                                                      "");
        if (m_matrix.stopping && m_case.stop_reason == StopReason::precision &&
            !is_precise(latencies_of(m_case.samples), m_matrix.stopping->precision))
            m_problem("it was stopped as precise although its interval is wider");
        const std::string why = inconclusive_reason(preempted_count(m_case.samples), m_case.samples.size(),
                                                    m_matrix.most_disturbed, throttled_by(m_case));
        if (m_case.inconclusive != why)
            m_problem(why.empty() ? "it is called inconclusive although nothing disturbed too many samples"
                                  : "it is not called inconclusive for what it was: " + why);
        check_bytes();
    }

    // The traffic of a filter or pooling follows from what it is.
    void check_bytes() {
        const auto traffic = traffic_of(m_case.what);
        if (!traffic) {
            if (m_case.what.pool() != nullptr) m_problem("its pooling is refused");
            return;
        }
        const std::uint64_t bytes = traffic->read + traffic->written;
        if (m_case.bytes_moved != bytes)
            m_problem("bytes_moved is " + std::to_string(m_case.bytes_moved) + " but its operation moves " +
                      std::to_string(bytes));
    }

    void check_course(const char* name, const Fact<GpuCourse>& course, const auto& rows, int samples) {
        if (!course) return;
        if (course->samples.size() > static_cast<std::size_t>(samples))
            m_problem(std::string(name) + " has " + counted(course->samples.size(), "sample") + " of " +
                      std::to_string(samples));
        FigureChecker(m_problem).check(*course, course_of(course->samples), rows, std::string(name) + ".");
    }

    void check_gpu(const GpuStates& gpu) {
        if (!m_on_gpu) m_problem("it has a GPU's state but ran on the CPU");
        if (!is_timed()) m_problem("it has a GPU's state but was not timed");
        check_course("sm_clock_mhz", gpu.sm_clock_mhz, clock_rows, gpu.samples);
        check_course("temperature_c", gpu.temperature_c, temperature_rows, gpu.samples);
        check_course("power_w", gpu.power_w, power_rows, gpu.samples);
    }

    void check_parity() {
        if (!m_case.parity) {
            if (is_timed()) m_problem("it was timed without a verdict on its parity");
            return;
        }
        const Parity& parity = *m_case.parity;
        if (is_timed() && !parity.passed) m_problem("it was timed although its parity failed");
        if (is_timed() && m_case.output_sha256.empty()) m_problem("it was timed but has no output hash");
        if (is_timed() && m_case.input_sha256.empty()) m_problem("it was timed but has no input hash");
        if (!parity.passed) return;
        const double error = parity.max_abs_error;
        if (!std::isfinite(error)) {
            m_problem("its parity passed with an error that is not finite");
        } else if (!parity.bound_is_relative && error > parity.bound * (1 + 1e-9)) {
            m_problem("its parity passed with an error of " + canonical_number(error) + " above the bound " +
                      canonical_number(parity.bound));
        }
    }

    const BenchmarkMatrix& m_matrix;
    bool m_on_gpu;
    const CaseResult& m_case;
    Findings m_problem;
};

void check_case_count(const BenchmarkRun& run, const Findings& found) {
    const auto total = static_cast<std::size_t>(run.case_total);
    const std::size_t there = run.results.size();
    if (there > total) found("it has " + counted(there, "case") + " of " + std::to_string(total));
    if (!run.cancelled && there < total) {
        found("it has " + std::to_string(there) + " of " + counted(total, "case") + " but was not cancelled");
    }
    std::set<std::string_view> keys;
    for (const CaseResult& one : run.results) {
        if (!keys.insert(one.what.key).second)
            found("the case \"" + escaped(one.what.key) + "\" appears twice");
    }
}

}  // namespace

void check_consistency(const Record& record, const Findings& found) {
    check_case_count(record.run, found);
    check_run(record, found);
    check_matrix(record, found);
    for (const CaseResult& one : record.run.results) CaseChecker(record, one, found).check();
}

}  // namespace workbench
