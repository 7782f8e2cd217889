// SPDX-License-Identifier: MIT
#include "kernels/iir/gradient_raster.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "kernels/iir/border.h"
#include "kernels/iir/cpu_plane.h"
#include "kernels/iir/gradient_parts.h"
#include "kernels/support/aligned_array.h"
#include "kernels/support/denormals.h"

namespace iir2d::iir {

namespace {

constexpr std::int64_t band_height = gradient_rows;
// Columns of a band that are swept together: their memory stays in the nearest cache.
constexpr std::int64_t tile_width = 64;
// Columns that a band goes on into at once: few enough that the next band is not kept waiting.
constexpr std::int64_t part_width = 4 * tile_width;
// Rows of a costate that the columns' first samples ask for: five taps, of which the first is at row 1 at
// most, or three at row 3.
constexpr std::int64_t top_rows = 6;
static_assert(top_rows >= 6 && top_rows <= band_height);

std::vector<double> product_of(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
    }
    return result;
}

std::vector<double> taps(const Section& s, int terms) {
    return terms == 1 ? std::vector{s.b[0]} : std::vector{s.b[0], s.b[1], s.b[2]};
}

// 1/feedback.
std::vector<double> inverse_feedback(const Section& s) {
    return {1.0, -s.a[0], -s.a[1]};
}

}  // namespace

CostatePlan::CostatePlan(const std::vector<GradientAxis::Part>& parts) : taps{1.0} {
    for (const GradientAxis::Part& part : parts) {
        // The feedback that the sweeps have, and the gain at frequency zero as exactly as it is known:
        // rounded taps would stay in differences of large sums.
        const auto loss = [](const Section& s) { return 1.0 - s.a[0] - s.a[1]; };
        Section& s = sections.emplace_back(*part.section);
        s.a = part.swept.a;
        for (double& tap : s.b) tap *= loss(s) / loss(*part.section);
        if (part.terms > 1) terms = 3;
    }
    const auto count = static_cast<int>(sections.size());
    for (const Section& s : sections) taps = product_of(taps, iir::taps(s, terms));
    for (std::size_t i = sections.size(); i-- > 1;)
        steps.push_back({CostateTask::feedback, sections[i].a, 0});
    all = steps.size();
    steps.push_back({CostateTask::taps, sections.front().a, 0});
    sums = static_cast<std::size_t>(taps_of(terms, count));
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const auto equal = std::find_if(sections.begin(), sections.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const Section& s) { return s.a == sections[i].a; });
        if (equal != sections.begin() + static_cast<std::ptrdiff_t>(i)) {
            again.push_back(again[static_cast<std::size_t>(equal - sections.begin())]);
            continue;
        }
        again.push_back(steps.size());
        steps.push_back({CostateTask::products, sections[i].a, sums});
        sums += static_cast<std::size_t>(products_of(terms, count));
    }
}

template <class S, class A>
bool GradientRaster<S, A>::suits(const GradientAxis& columns) {
    const bool closed =
        columns.border == Border::wrap || (columns.start == Start::steady && is_periodic(columns.border));
    return !closed && columns.stages.size() == 1 &&
           columns.stages.front().stage->kind == Stage::Kind::causal &&
           columns.stages.front().sections.size() <= 2 && columns.n >= 3 * band_height;
}

template <class S, class A>
GradientRaster<S, A>::GradientRaster(const GradientAxis& rows, const GradientAxis& columns)
    : m_rows(rows), m_columns(columns), m_head(columns), m_plan(columns.stages.front().sections) {
    m_head.n = band_height;
}

// One plane's. Several threads may be in filter_bands() at once: each takes the next band and goes through
// its columns part by part, always behind the band below.
template <class S, class A>
class GradientRaster<S, A>::Run {
  public:
    Run(const GradientRaster& raster, const LaneRows<const S>& x, const LaneRows<const S>& dy)
        : m_raster(raster),
          m_plan(raster.m_plan),
          m_x(x),
          m_dy(dy),
          m_width(raster.m_rows.n),
          m_height(raster.m_columns.n),
          m_bands((m_height + band_height - 1) / band_height),
          m_products(parts(), m_plan.sums * sum_lanes),
          m_of_rows(m_bands, raster.m_rows.parameters),
          m_of_head(raster.m_rows.parameters),
          m_done(std::make_unique<Counter[]>(static_cast<std::size_t>(parts()))) {
        const std::int64_t kept = costate_rows(m_plan.terms, static_cast<int>(m_plan.sections.size()));
        for (std::size_t i = 0; i < m_plan.steps.size(); ++i) {
            m_below.emplace_back(static_cast<std::size_t>(kept * m_width));
            std::fill_n(m_below.back().data(), kept * m_width, A(0));
            m_top.emplace_back(static_cast<std::size_t>(top_rows * m_width));
        }
        m_of_coefficients.resize(m_plan.sections.size());
        for (Section& of : m_of_coefficients) of.b = of.start_b = {};
    }

    std::int64_t bands() const { return m_bands; }

    void go_up(Watch& watch) {
        Memory memory(m_raster, m_plan.steps.size());
        for (std::int64_t i = m_next.fetch_add(1); i < m_bands; i = m_next.fetch_add(1)) {
            const std::int64_t first = (m_bands - 1 - i) * band_height;
            const std::int64_t rows = std::min(band_height, m_height - first);
            if (!run_band(i, first, rows, memory, watch) || !watch.go_on(rows * m_width)) return;
        }
    }

    void add_to(std::span<double> gradient, double& constant) {
        std::vector<double> lanes(m_plan.sums * sum_lanes);
        double none = 0.0;
        m_products.add_to(lanes, none);
        std::vector<double> sums(m_plan.sums);
        for (std::size_t i = 0; i < lanes.size(); ++i) sums[i / sum_lanes] += lanes[i];
        add_products(sums);
        const auto& parts = m_raster.m_columns.stages.front().sections;
        for (std::size_t p = 0; p < gradient.size(); ++p) {
            gradient[p] += m_of_head[p];
            for (std::size_t i = 0; i < parts.size(); ++i)
                gradient[p] += product(m_of_coefficients[i], *parts[i].derivatives[p]);
        }
        m_of_rows.add_to(gradient, none);
        constant += m_constant;
    }

  private:
    struct alignas(64) Counter {
        std::atomic<std::int64_t> value{0};
    };
    // A thread's own.
    struct Memory {
        Memory(const GradientRaster& raster, std::size_t steps)
            : band(raster.m_rows, band_height), head(raster.m_head, tile_width), h(size), g(size) {
            for (std::size_t i = 0; i < steps; ++i) z.emplace_back(size);
        }

        static constexpr auto size = static_cast<std::size_t>(band_height * tile_width);
        Band<S, A> band;
        AxisGradient<S, A> head;
        // Of a tile, row after row: what the rows' filter gave, its gradient, and costates.
        support::AlignedArray<S> h;
        support::AlignedArray<S> g;
        std::vector<support::AlignedArray<A>> z;
    };

    std::int64_t parts() const { return (m_width + part_width - 1) / part_width; }

    bool wait_for(std::int64_t part, std::int64_t bands_below, Watch& watch) const {
        const auto& done = m_done[static_cast<std::size_t>(part)].value;
        while (done.load(std::memory_order_acquire) < bands_below) {
            if (watch.stopped()) return false;
            std::this_thread::yield();
        }
        return true;
    }

    // The band has `bands_below` below it.
    bool run_band(std::int64_t bands_below, std::int64_t first_row, std::int64_t rows, Memory& memory,
                  Watch& watch) {
        Band<S, A>& band = memory.band;
        rows_to_lanes(rows, m_width, {m_x.at(first_row), m_x.stride}, band.u());
        const LaneRows<const S> filtered = band.gradient().filter(rows, as_input(band.u()));
        const LaneRows<S> h{memory.h.data(), tile_width};
        const LaneRows<S> g{memory.g.data(), tile_width};
        for (std::int64_t part = 0; part < parts(); ++part) {
            if (!wait_for(part, bands_below, watch)) return false;
            const std::int64_t last = std::min(m_width, (part + 1) * part_width);
            for (std::int64_t column = part * part_width; column < last; column += tile_width) {
                const std::int64_t columns = std::min(tile_width, last - column);
                rows_to_lanes(columns, rows, {filtered.at(column), filtered.stride}, h);
                if (first_row > 0) {
                    sweep_tile(m_products.sums(part), first_row, rows, column, columns, memory);
                } else {
                    sweep_head(column, columns, memory);
                }
                rows_to_lanes(rows, columns, as_input(g), {band.g().at(column), band.g().stride});
            }
            m_done[static_cast<std::size_t>(part)].value.store(bands_below + 1, std::memory_order_release);
        }
        band.gradient().back(as_input(band.g()), {}, m_of_rows.sums(bands_below),
                             m_of_rows.constant(bands_below));
        return true;
    }

    void sweep_tile(std::span<double> products, std::int64_t first_row, std::int64_t rows,
                    std::int64_t column, std::int64_t columns, Memory& memory) {
        const auto costate = [&](std::size_t step) { return LaneRows<A>{memory.z[step].data(), tile_width}; };
        const auto sweep = [&]<class In>(std::size_t step, const LaneRows<const In>& in) {
            const CostatePlan::Step& what = m_plan.steps[step];
            CostateSweep<In, S, A> job{.rows = rows,
                                       .columns = columns,
                                       .terms = m_plan.terms,
                                       .sections = static_cast<int>(m_plan.sections.size()),
                                       .task = what.task,
                                       .a = what.a,
                                       .in = in,
                                       .z = costate(step),
                                       .below = {m_below[step].data() + column, m_width},
                                       .u = {memory.h.data(), tile_width},
                                       .out = {memory.g.data(), tile_width},
                                       .taps = {},
                                       .sums = products.data() + what.first_sum * sum_lanes};
            std::ranges::copy(m_plan.taps, job.taps.begin());
            sweep_costates(job);
        };
        for (std::size_t step = 0; step < m_plan.steps.size(); ++step) {
            if (step == 0) {
                sweep.template operator()<S>(step, {m_dy.at(first_row) + column, m_dy.stride});
            } else {
                sweep.template operator()<A>(step, as_input(costate(std::min(step - 1, m_plan.all))));
            }
            if (first_row != band_height) continue;
            for (std::int64_t k = 0; k < top_rows; ++k)
                std::copy_n(costate(step).at(k), columns, m_top[step].data() + k * m_width + column);
        }
    }

    // Taps of a costate below the columns' first samples, at the k-th row there.
    double below_head(const std::vector<double>& of, std::size_t step, std::int64_t k,
                      std::int64_t column) const {
        double sum = 0.0;
        for (std::size_t m = 0; m < of.size(); ++m) {
            const std::int64_t row = k + static_cast<std::int64_t>(m);
            sum += of[m] * static_cast<double>(m_top[step].data()[row * m_width + column]);
        }
        return sum;
    }

    // Taps of sections [first, last) times those that undo the feedback of the sections before `undone`.
    std::vector<double> taps_between(std::size_t first, std::size_t last, std::size_t undone) const {
        std::vector<double> result{1.0};
        for (std::size_t i = first; i < last; ++i)
            result = product_of(result, taps(m_plan.sections[i], m_plan.terms));
        for (std::size_t i = 0; i < undone; ++i)
            result = product_of(result, inverse_feedback(m_plan.sections[i]));
        return result;
    }

    // The first samples of the columns, where borders and starts are: forwards and backwards, with the
    // outputs kept. What the sections' history there gives to the samples below is added to the sums.
    void sweep_head(std::int64_t column, std::int64_t columns, Memory& memory) {
        const LaneRows<const S> h{memory.h.data(), tile_width};
        memory.head.filter(columns, h);
        const std::size_t count = m_plan.sections.size();
        std::vector<SectionHistory> after(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::vector<double> costate = taps_between(i + 1, count, i);
            for (std::int64_t c = column; c < column + columns; ++c) {
                after[i].y1.push_back(below_head(costate, m_plan.all, 0, c));
                after[i].y2.push_back(below_head(costate, m_plan.all, 1, c));
            }
        }
        for (std::size_t m = 0; m < count; ++m) {
            const LaneRows<const S> u = m == 0 ? h : memory.head.output_of(m - 1);
            add_history(m, u, memory.head.output_of(m), column, columns);
        }
        memory.head.back({m_dy.first + column, m_dy.stride}, {memory.g.data(), tile_width}, m_of_head,
                         m_constant, after);
    }

    // Section m's output below is that of rest and what its last inputs and outputs in the head add to its
    // first two samples there.
    void add_history(std::size_t m, const LaneRows<const S>& u, const LaneRows<const S>& y,
                     std::int64_t column, std::int64_t columns) {
        const Section& s = m_plan.sections[m];
        const std::size_t count = m_plan.sections.size();
        const int order = m_plan.terms == 1 ? 1 : 2;
        for (std::size_t i = m; i < count; ++i) {
            // As the input of section i, and in its output.
            const std::vector<double> as_input_of = taps_between(m + 1, i, m);
            const std::vector<double> of_input = product_of(as_input_of, taps_between(i + 1, count, 0));
            const std::vector<double> of_output = taps_between(m + 1, count, m);
            for (std::int64_t c = 0; c < columns; ++c) {
                const auto at = [&](const LaneRows<const S>& rows, std::int64_t back) {
                    return static_cast<double>(rows.at(band_height - back)[c]);
                };
                const double first =
                    s.b[1] * at(u, 1) + s.b[2] * at(u, 2) + s.a[0] * at(y, 1) + s.a[1] * at(y, 2);
                const double second = s.b[2] * at(u, 1) + s.a[1] * at(y, 1);
                const auto in_products = [&](const std::vector<double>& of, std::size_t step,
                                             std::int64_t k) {
                    return first * below_head(of, step, k, column + c) +
                           second * below_head(of, step, k + 1, column + c);
                };
                Section& sums = m_of_coefficients[i];
                for (std::size_t k = 0; i > m && k < (m_plan.terms == 1 ? 1 : 3); ++k)
                    sums.b[k] += in_products(of_input, m_plan.all, static_cast<std::int64_t>(k));
                for (int k = 1; k <= order; ++k)
                    sums.a[static_cast<std::size_t>(k - 1)] += in_products(of_output, m_plan.again[i], k);
            }
        }
    }

    // Adds to the sums of the coefficients what the products below the head give.
    void add_products(const std::vector<double>& sums) {
        const std::size_t count = m_plan.sections.size();
        for (std::size_t i = 0; i < count; ++i) {
            const std::vector<double> others =
                product_of(taps_between(0, i, 0), taps_between(i + 1, count, 0));
            Section& of = m_of_coefficients[i];
            for (std::size_t k = 0; k < (m_plan.terms == 1 ? 1 : 3); ++k) {
                for (std::size_t m = 0; m < others.size(); ++m) of.b[k] += others[m] * sums[k + m];
            }
            const std::size_t first = m_plan.steps[m_plan.again[i]].first_sum;
            for (std::size_t k = 0; k < (m_plan.terms == 1 ? 1 : 2); ++k) {
                for (std::size_t m = 0; m < m_plan.taps.size(); ++m)
                    of.a[k] += m_plan.taps[m] * sums[first + k + m];
            }
        }
    }

    const GradientRaster& m_raster;
    const CostatePlan& m_plan;
    LaneRows<const S> m_x;
    LaneRows<const S> m_dy;
    std::int64_t m_width;
    std::int64_t m_height;
    std::int64_t m_bands;
    Parts m_products;  // of each part of the columns: bands add to it in their order, before m_done
    Parts m_of_rows;
    std::vector<double> m_of_head;
    std::vector<Section> m_of_coefficients;
    double m_constant = 0.0;
    std::vector<support::AlignedArray<A>> m_below;  // of each step, the costates below the band
    std::vector<support::AlignedArray<A>> m_top;    // of each step, the first rows below the head
    std::atomic<std::int64_t> m_next{0};
    std::unique_ptr<Counter[]> m_done;  // bands, of each part of the columns
};

template <class S, class A>
bool GradientRaster<S, A>::run(const LaneRows<const S>& x, const LaneRows<const S>& dy, int threads,
                               const RunControl& control, support::ProgressRange range,
                               std::span<double> gradient, double& constant) const {
    RunControl watched{.stop = control.stop};
    if (control.progress) {
        watched.progress = [&](double fraction) {
            control.progress(range.from + fraction * (range.to - range.from));
        };
    }
    Watch watch(watched, m_rows.n * m_columns.n);
    Run way(*this, x, dy);
    const int workers = threads_for_bands(way.bands(), threads);
    support::parallel_for(workers, workers, {}, {}, [&](std::int64_t) {
        const support::FlushDenormals flush;
        try {
            if (!watch.stopped()) way.go_up(watch);
        } catch (...) {  // no memory: who waits for this one must not wait for ever
            watch.stop();
            throw;
        }
    });
    if (watch.stopped()) return false;
    way.add_to(gradient, constant);
    return true;
}

template class GradientRaster<float, float>;
template class GradientRaster<float, double>;
template class GradientRaster<double, double>;

}  // namespace iir2d::iir
