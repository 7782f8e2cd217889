// SPDX-License-Identifier: MIT
#include "kernels/pool/cpu.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/pool/cpu_gather.h"
#include "kernels/pool/cpu_separable.h"
#include "kernels/pool/cpu_windows.h"
#include "kernels/pool/fold.h"
#include "kernels/support/parallel.h"
#include "kernels/support/storage.h"

namespace iir2d::pool {

namespace {

// Bytes of input and output from which on non-temporal (streaming) stores are worth it.
constexpr std::int64_t non_temporal_bytes = std::int64_t{16} << 20;
constexpr std::int64_t vector_bytes = 32;
// A block's rows in work should fit a last-level cache: more columns read and write memory in longer
// stretches, which is worth more than a cache that is nearer.
constexpr std::int64_t block_bytes = std::int64_t{2} << 20;
// Bytes of the rings of prefix doubling. Few of their columns at a time are in work, and whole rows of the
// image are worth most: they are on as many pages as pieces of them.
constexpr std::int64_t doubling_bytes = std::int64_t{1536} << 10;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

// Returns whether loads of the rows of a window wait for non-temporal stores shortly before, because their
// addresses agree in the lowest 12 bits (4K aliasing): windows side by side read on from where they write,
// within a page.
bool has_4k_aliasing(const PoolGeometry& geometry, const Planes<const float>& x, const Planes<float>& y) {
    constexpr std::int64_t page = 4096;
    constexpr std::int64_t before = 64;
    constexpr std::int64_t behind = 512;
    const auto within = [](std::int64_t bytes, std::int64_t from, std::int64_t to) {
        return ((bytes - from) % page + page) % page < to - from;
    };
    const auto bytes = [](const float* at) {
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at));
    };
    return geometry.x.stride == 1 && within(bytes(y.data) - bytes(x.data), -before, behind) &&
           within(x.row_stride * static_cast<std::int64_t>(sizeof(float)), -behind / 2, behind / 2);
}

// Returns the elements of input and output together.
double elements_of(const PoolGeometry& geometry) {
    const AxisWindows& rows = geometry.y;
    const AxisWindows& columns = geometry.x;
    return static_cast<double>(geometry.planes()) *
           (static_cast<double>(rows.in) * static_cast<double>(columns.in) +
            static_cast<double>(rows.out) * static_cast<double>(columns.out));
}

bool fills_caches(const PoolGeometry& geometry) {
    return elements_of(geometry) * sizeof(float) >= static_cast<double>(non_temporal_bytes);
}

Formula formula_of(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (desc.op == PoolOp::max) return Formula::max;
    if (desc.op == PoolOp::avg) return Formula::avg;
    if (desc.p == 1.0) return Formula::lp1;
    if (desc.p == 2.0) return Formula::lp2;
    if (desc.p == 3.0) return Formula::lp3;
    // n elements have a norm between their largest magnitude and n^(1/p) of it.
    const double elements = static_cast<double>(std::min(geometry.y.window, geometry.y.in)) *
                            static_cast<double>(std::min(geometry.x.window, geometry.x.in));
    return std::log(elements) / desc.p <= 1e-6 ? Formula::max_magnitude : Formula::power;
}

const char* suffix_of(Formula formula) {
    switch (formula) {
        case Formula::max:
        case Formula::avg:
            return "";
        case Formula::max_magnitude:
            return "_largest";
        case Formula::lp1:
            return "_p1";
        case Formula::lp2:
            return "_p2";
        case Formula::lp3:
            return "_p3";
        case Formula::power:
            break;
    }
    return "_power";
}

// How a plane's outputs are cut into blocks, and blocks are dealt out in tasks.
struct Cut {
    std::int64_t columns;       // of a block
    std::int64_t rows;          // of a block
    std::int64_t across;        // blocks side by side
    std::int64_t down;          // blocks in a column
    std::int64_t blocks;        // of all planes
    std::int64_t of_each_task;  // blocks
};

Cut make_cut(const PoolGeometry& geometry, std::int64_t columns, std::int64_t rows, int threads,
             std::int64_t of_a_task) {
    Cut cut{};
    cut.across = ceil_div(geometry.x.out, columns);
    cut.columns = ceil_div(ceil_div(geometry.x.out, cut.across), row_slack) * row_slack;
    cut.across = ceil_div(geometry.x.out, cut.columns);
    cut.down = ceil_div(geometry.y.out, rows);
    cut.rows = ceil_div(geometry.y.out, cut.down);
    cut.down = ceil_div(geometry.y.out, cut.rows);
    cut.blocks = geometry.planes() * cut.across * cut.down;
    const double elements = static_cast<double>(geometry.input.h) * static_cast<double>(geometry.input.w) /
                            static_cast<double>(cut.across * cut.down);
    const auto worth = static_cast<std::int64_t>(static_cast<double>(of_a_task) / elements);
    cut.of_each_task = std::clamp<std::int64_t>(
        worth, 1, std::max<std::int64_t>(cut.blocks / (std::int64_t{4} * threads), 1));
    return cut;
}

// Whole rows, as long as they are not absurdly long; as many as make a task.
Cut cut_small_windows(const PoolGeometry& geometry, int threads, std::int64_t of_a_task) {
    constexpr std::int64_t widest = std::int64_t{1} << 16;
    const double of_a_row =
        static_cast<double>(std::min(geometry.x.in, widest * geometry.x.stride)) *
        static_cast<double>(std::min({geometry.y.stride, geometry.y.window, geometry.y.in}));
    const auto rows = static_cast<std::int64_t>(static_cast<double>(of_a_task) / of_a_row) + 1;
    return make_cut(geometry, widest, std::min(rows, geometry.y.out), threads, of_a_task);
}

// Columns whose kept rows fit the caches; and of those all rows, because a block begins with folding the rows
// that its first window shares with the block above. Blocks for all threads, but few such rows.
Cut cut_separable(const PoolGeometry& geometry, AxisWay along_x, AxisWay along_y, bool sums,
                  std::int64_t element_bytes, int threads, std::int64_t of_a_task) {
    const std::int64_t kept = rows_kept(geometry.y, along_y, sums);
    const std::int64_t bytes = along_y == AxisWay::doubling ? doubling_bytes : block_bytes;
    const std::int64_t by_rows = bytes / (kept * element_bytes);
    const std::int64_t by_line = block_bytes / (4 * element_bytes * geometry.x.stride);
    // Neighbouring blocks fold the columns twice that their windows share.
    const std::int64_t shared = along_x == AxisWay::one_by_one ? 1 : geometry.x.span() / geometry.x.stride;
    const std::int64_t most =
        std::max<std::int64_t>((std::int64_t{64} << 20) / (kept * element_bytes), row_slack);
    const std::int64_t columns = std::clamp<std::int64_t>(std::max(std::min(by_rows, by_line), 4 * shared),
                                                          std::min<std::int64_t>(256, most), most);
    const std::int64_t across = ceil_div(geometry.x.out, columns);
    const std::int64_t wanted = ceil_div(std::int64_t{4} * threads, geometry.planes() * across);
    const std::int64_t rows_worth = std::max<std::int64_t>(8 * geometry.y.span() / geometry.y.stride, 1);
    const std::int64_t down = std::clamp<std::int64_t>(geometry.y.out / rows_worth, 1, wanted);
    return make_cut(geometry, columns, ceil_div(geometry.y.out, down), threads, of_a_task);
}

Block block_of(const PoolGeometry& geometry, const Cut& cut, std::int64_t index) {
    const std::int64_t of_a_plane = cut.across * cut.down;
    const std::int64_t in_plane = index % of_a_plane;
    const std::int64_t row = in_plane / cut.across * cut.rows;
    const std::int64_t column = in_plane % cut.across * cut.columns;
    return {index / of_a_plane,
            {row, std::min(geometry.y.out, row + cut.rows)},
            {column, std::min(geometry.x.out, column + cut.columns)}};
}

// Calls make_worker() once a task and worker(block) for each of its blocks, which answers false when stopped.
template <class T>
Result<void> run(const CpuJob<T>& job, const Cut& cut, int threads, const RunControl& control,
                 auto make_worker) {
    const std::int64_t tasks = ceil_div(cut.blocks, cut.of_each_task);
    const bool finished = support::parallel_for(threads, tasks, control, {}, [&](std::int64_t task) {
        auto worker = make_worker();
        const std::int64_t end = std::min(cut.blocks, (task + 1) * cut.of_each_task);
        for (std::int64_t index = task * cut.of_each_task; index < end; ++index) {
            if (!worker(block_of(job.geometry, cut, index))) return;
        }
        if (job.non_temporal) finish_stores();
    });
    if (finished) return {};
    return std::unexpected(Error{ErrorCode::cancelled, "pooling was cancelled"});
}

Result<void> run_small_windows(const CpuJob<float>& job, int threads, const RunControl& control) {
    const Cut cut = cut_small_windows(job.geometry, threads, task_elements(job.kernel.config));
    return run(job, cut, threads, control, [&] {
        return [&, windows = SmallWindows(job)](const Block& block) {
            if (control.stop.stop_requested()) return false;
            windows.pool(block);
            return true;
        };
    });
}

template <class Lines, class T>
Result<void> run_separable(const CpuJob<T>& job, int threads, const RunControl& control) {
    using Kernel = Separable<Lines, T>;
    const auto bytes = static_cast<std::int64_t>(sizeof(typename Lines::Acc)) * (Lines::with_argmax ? 3 : 1);
    const AxisWay along_x = Lines::with_argmax ? job.kernel.pairs_along_x : job.kernel.along_x;
    const Cut cut =
        cut_separable(job.geometry, along_x, Kernel::way(job.kernel), Kernel::are_sums(job.kernel), bytes,
                      threads, task_elements(job.kernel.config));
    return run(job, cut, threads, control, [&] {
        if constexpr (std::is_same_v<T, float>) {
            return [&, separable = Kernel(job, cut.columns, false),
                    again = std::optional<Separable<PlainLines<double>, T>>()](const Block& block) mutable {
                if (!separable.pool(block, control.stop)) return false;
                if (separable.accurate()) return true;
                // In a type that holds every sum, where NaN was written.
                separable.forget();
                if (!again) again.emplace(job, cut.columns, true);
                return again->pool(block, control.stop);
            };
        } else {
            return [&, separable = Kernel(job, cut.columns, false)](const Block& block) mutable {
                return separable.pool(block, control.stop);
            };
        }
    });
}

template <class T>
CpuJob<T> make_job(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel,
                   const ConstTensorView& x, const TensorView& y, std::int64_t* argmax) {
    CpuJob<T> job{.desc = desc,
                  .geometry = geometry,
                  .kernel = kernel,
                  .x = {static_cast<const T*>(x.data), x.row_stride, x.plane_stride},
                  .y = {static_cast<T*>(y.data), y.row_stride, y.plane_stride},
                  .argmax = argmax,
                  .non_temporal = false,
                  .column_counts = {},
                  .column_taps = {}};
    for (std::int64_t o = 0; o < geometry.x.out && desc.op == PoolOp::avg; ++o)
        job.column_counts.push_back(static_cast<std::int32_t>(job.count_along(geometry.x, o)));
    for (std::int64_t o = 0; o < geometry.x.out && geometry.x.adaptive; ++o)
        job.column_taps.push_back(geometry.x.taps(o));
    return job;
}

// Elements that are not f32.
template <class T>
Result<void> forward_other_type(const CpuJob<T>& job, int threads, const RunControl& control) {
    using Compared = std::conditional_t<(sizeof(T) > sizeof(float)), double, float>;
    if (job.argmax != nullptr) return run_separable<ArgmaxLines<Compared>>(job, threads, control);
    if constexpr (sizeof(T) < sizeof(float)) {
        if (job.kernel.accumulator == ElementType::f32)
            return run_separable<PlainLines<float>>(job, threads, control);
    }
    return run_separable<PlainLines<double>>(job, threads, control);
}

struct Pooling {
    PoolDesc desc;
    PoolGeometry geometry;
};

// An adaptive op as one that is not, with its windows: side by side where they divide the input evenly along
// both axes.
std::optional<Pooling> not_adaptive(const PoolDesc& desc, const PoolGeometry& geometry) {
    if (!is_adaptive(desc.op)) return std::nullopt;
    Pooling plain{desc, geometry};
    plain.desc.op = desc.op == PoolOp::adaptive_max ? PoolOp::max : PoolOp::avg;
    if (geometry.y.in % geometry.y.out != 0 || geometry.x.in % geometry.x.out != 0) return plain;
    const auto side_by_side = [](const AxisWindows& axis) {
        const std::int64_t window = axis.in / axis.out;
        return AxisWindows{.in = axis.in, .out = axis.out, .window = window, .stride = window};
    };
    plain.geometry.y = side_by_side(geometry.y);
    plain.geometry.x = side_by_side(geometry.x);
    plain.desc.window = {plain.geometry.y.window, plain.geometry.x.window};
    plain.desc.stride = plain.desc.window;
    return plain;
}

// Puts a config's way in place of static's. Places are not found by prefix doubling: static's stay there.
void go_by(std::int32_t way, CpuKernel& kernel) {
    const auto set = [](std::int32_t fold, AxisWay& one, AxisWay& pairs) {
        constexpr AxisWay ways[] = {AxisWay::sequence, AxisWay::in_parts, AxisWay::doubling};
        one = ways[fold];
        if (one != AxisWay::doubling) pairs = one;
    };
    const std::int32_t folds = way - way_of(FoldWay::sequence, FoldWay::sequence);
    set(folds / 3, kernel.along_y, kernel.pairs_along_y);
    set(folds % 3, kernel.along_x, kernel.pairs_along_x);
}

// Long sums that windows do not share, in types other than f32, whose rows are folded one after the other.
bool is_faster_alone(const PoolDesc& desc, const PoolGeometry& geometry) {
    constexpr std::int64_t longest_in_rows = 7;
    const auto apart = [](const AxisWindows& axis) { return axis.stride >= axis.span(); };
    return desc.op == PoolOp::avg && apart(geometry.y) && apart(geometry.x) &&
           std::max(geometry.y.window, geometry.x.window) > longest_in_rows;
}

// Returns whether rows of adaptive windows that do not divide them evenly are dealt out by taps. A long
// window's sum takes less than that; a maximum does later, or never where elements of 16 bits are widened
// first.
bool is_dealt_out(const PoolDesc& desc, const PoolGeometry& geometry) {
    const bool is_widened = element_size(desc.element) < sizeof(float);
    constexpr std::int64_t longest_sum = 6;
    constexpr std::int64_t longest_maximum = 64;
    if (is_max(desc.op)) return is_widened || geometry.x.window <= longest_maximum;
    return geometry.x.window <= (is_widened ? widest_row_by_row : longest_sum);
}

}  // namespace

int threads_of(const Config& config, int threads, const PoolDesc& desc, const PoolGeometry& geometry,
               PoolUse use) {
    if (config.threads != 0) return config.threads;
    // Waking other threads takes as long as so many elements of f32 in short windows, and beginning a row of
    // the input as long as some of them.
    constexpr double least_shared = 3 << 16;
    constexpr double elements_per_row = 64;
    constexpr std::int64_t longest_short = 8;
    const double weight_of_type = desc.element == ElementType::f32 ? 1 : 2;
    const bool has_short_windows =
        use == PoolUse::backward || std::max(geometry.y.window, geometry.x.window) <= longest_short;
    const double rows = static_cast<double>(geometry.planes()) * static_cast<double>(geometry.y.in);
    const double work =
        weight_of_type * (has_short_windows ? 1 : 2) * elements_of(geometry) + elements_per_row * rows;
    return work < least_shared && !needs_powers(desc) ? 1 : threads;
}

// Other ways compute for long between two stores to a cache line, which makes non-temporal ones slower.
bool uses_non_temporal_stores(const PoolGeometry& geometry, const CpuKernel& kernel) {
    constexpr std::int64_t vector = vector_bytes / static_cast<std::int64_t>(sizeof(float));
    return kernel.small_windows && fills_caches(geometry) && geometry.x.out % vector == 0;
}

bool chooses_stores(const PoolDesc& desc, const CpuKernel& kernel, bool with_places) {
    return desc.element == ElementType::f32 && !kernel.gathered && (!with_places || kernel.small_windows);
}

bool has_aligned_rows(const TensorView& view) {
    const auto size = static_cast<std::int64_t>(element_size(view.type));
    return reinterpret_cast<std::uintptr_t>(view.data) % vector_bytes == 0 &&
           view.row_stride * size % vector_bytes == 0 && view.plane_stride * size % vector_bytes == 0;
}

ElementType sum_type(std::int64_t additions) {
    // And one rounding of a term, and one of the result: 32 * 2^-24 is below 2e-6.
    return additions <= 30 ? ElementType::f32 : ElementType::f64;
}

CpuKernel choose_cpu_kernel(const PoolDesc& desc, const PoolGeometry& geometry, const Config& config) {
    if (const auto plain = not_adaptive(desc, geometry))
        return choose_cpu_kernel(plain->desc, plain->geometry, config);
    CpuKernel kernel;
    kernel.config = config;
    const bool other_type = desc.element != ElementType::f32;
    const bool alone =
        geometry.x.adaptive ? !is_dealt_out(desc, geometry) : other_type && is_faster_alone(desc, geometry);
    const bool is_f64 = desc.element == ElementType::f64;
    if (alone || (is_f64 && desc.op == PoolOp::lp && needs_powers(desc))) {
        kernel.gathered = true;
        kernel.accumulator = gathered_accumulator(desc, geometry);
        kernel.variant = "gathered_" + std::string(name_of(kernel.accumulator)) + "_sum";
        return kernel;
    }
    kernel.formula = formula_of(desc, geometry);
    if (other_type && kernel.formula == Formula::lp3) kernel.formula = Formula::power;
    kernel.small_windows = !other_type && are_small_windows(geometry, kernel.formula) &&
                           (config.way == 0 || config.way == way_windows);
    if (geometry.x.adaptive) {
        kernel.along_x = kernel.pairs_along_x = AxisWay::one_by_one;
    } else if (!kernel.small_windows) {
        const Folded folded = is_max(kernel.formula) ? Folded::maxima : Folded::sums;
        const ElementType accumulator = is_f64 ? ElementType::f64 : ElementType::f32;
        kernel.along_x = way_along(geometry.x, Along::x, folded, accumulator);
        kernel.along_y = way_along(geometry.y, Along::y, folded, accumulator);
        kernel.pairs_along_x = way_along(geometry.x, Along::x, Folded::pairs, accumulator);
        kernel.pairs_along_y = way_along(geometry.y, Along::y, Folded::pairs, accumulator);
        if (config.way > way_windows) go_by(config.way, kernel);
        if (other_type && !is_max(kernel.formula)) {
            // In the order of one window at a time, and with its bits.
            if (kernel.along_x != AxisWay::one_by_one) kernel.along_x = AxisWay::sequence;
            kernel.along_y = AxisWay::sequence;
        }
    }
    const bool in_parts = is_in_parts(kernel.along_x) || is_in_parts(kernel.along_y);
    kernel.variant = kernel.small_windows ? "windows" : in_parts ? "parts" : "rows";
    kernel.variant += suffix_of(kernel.formula);
    if (other_type) {
        kernel.accumulator = gathered_accumulator(desc, geometry);
    } else if (kernel.formula == Formula::power) {
        kernel.accumulator = ElementType::f64;
    } else if (!is_max(kernel.formula)) {
        kernel.accumulator = sum_type(additions_along(geometry.x, kernel.along_x) +
                                      additions_along(geometry.y, kernel.along_y));
    }
    if (is_max(kernel.formula)) return kernel;
    kernel.variant += "_" + std::string(name_of(kernel.accumulator)) + "_sum";
    return kernel;
}

Result<void> forward_cpu(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel,
                         const ConstTensorView& x, const TensorView& y, std::int64_t* argmax, int threads,
                         const RunControl& control) {
    if (const auto plain = not_adaptive(desc, geometry))
        return forward_cpu(plain->desc, plain->geometry, kernel, x, y, argmax, threads, control);
    if (kernel.gathered) return forward_gathered(desc, geometry, x, y, argmax, threads, control);
    if (desc.element != ElementType::f32) {
        return with_storage(desc.element, [&]<class T>() {
            return forward_other_type(make_job<T>(desc, geometry, kernel, x, y, argmax), threads, control);
        });
    }
    auto job = make_job<float>(desc, geometry, kernel, x, y, argmax);
    const bool past = kernel.config.stores != 0 ? kernel.config.stores == stores_past
                                                : uses_non_temporal_stores(geometry, kernel) &&
                                                      !has_4k_aliasing(geometry, job.x, job.y);
    job.non_temporal = past && has_aligned_rows(y);
    // Where in a window a maximum is has to fit 31 bits there.
    const bool indices_fit =
        geometry.y.span() <= std::numeric_limits<std::int32_t>::max() / geometry.x.in - 1;
    if (kernel.small_windows && (argmax == nullptr || indices_fit)) {
        return run_small_windows(job, threads, control);
    }
    if (argmax != nullptr) return run_separable<ArgmaxLines<float>>(job, threads, control);
    if (kernel.accumulator == ElementType::f64) {
        return run_separable<PlainLines<double>>(job, threads, control);
    }
    return run_separable<PlainLines<float>>(job, threads, control);
}

}  // namespace iir2d::pool
