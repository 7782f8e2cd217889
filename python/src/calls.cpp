// SPDX-License-Identifier: MIT
#include "python/src/calls.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string>

#include "python/src/failure.h"

namespace iir2d_python {

namespace {

using Strides = std::int64_t[3];

bool try_to_fold(const View& first, const View& second, Planes& planes, Strides& first_strides,
                 Strides& second_strides) {
    if (!rows_are_plain(first) || !rows_are_plain(second)) return false;
    const View* const views[] = {&first, &second};
    Strides* const out[] = {&first_strides, &second_strides};
    return fold(views, planes, out);
}

void refuse_overlap(const View& read, const View& written) {
    const bool in_place = read.data == written.data && read.strides == written.strides;
    if (!in_place && overlap(read, written)) {
        fail(IIR2D_STATUS_INVALID_ARGUMENT,
             "the output overlaps the input: it must be the input itself, with contiguous rows, or lie "
             "apart");
    }
}

// What a copy calls now and then: it looks every few milliseconds whether the call is to end.
Tick tick_of(const Running& running) {
    if (running.poll == nullptr) return {};
    return [running, last = std::chrono::steady_clock::now()]() mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(10)) return;
        last = now;
        if (running.poll(running.user, 0.0) != 0)
            fail(IIR2D_STATUS_CANCELLED, "the caller ended the call while its arrays were copied");
    };
}

// Two arrays as planes: one that is read and one that is read or written, both kept by the caller. What does
// not fold is read from a copy, or written to one, which finish() brings home.
class Pair {
  public:
    Pair(const View& first, const View& second, bool second_is_written, const Running& running)
        : m_first(&first), m_second(&second), m_target(second), m_tick(tick_of(running)) {
        if (try_fold()) return;
        if (second_is_written) refuse_overlap(first, second);
        // Of planes that repeat one is copied, where that is enough.
        const bool first_is_copied = !rows_are_plain(first) || !folds_alone(first);
        if (first_is_copied) copy_to(0, first, Repeats::kept);
        if (try_fold()) return;
        if (!second_is_written) {
            if (!rows_are_plain(second) || !folds_alone(second)) copy_to(1, second, Repeats::kept);
            if (try_fold()) return;
        }
        if (first_is_copied) copy_to(0, first, Repeats::copied);
        if (try_fold()) return;
        if (second_is_written) {
            m_copies[1] = second;
            m_memory[1] = make_dense(m_copies[1]);
            m_second = &m_copies[1];
            m_bring_home = true;
        } else {
            copy_to(1, second, Repeats::copied);
        }
        if (try_fold()) return;
        copy_to(0, first, Repeats::copied);  // a dense array folds as the other one does
        try_fold();
    }
    Pair(const Pair&) = delete;
    Pair& operator=(const Pair&) = delete;

    void finish() const {
        if (m_bring_home) copy_elements(*m_second, m_target, m_tick);
    }

    const Planes& planes() const { return m_planes; }
    const View& first() const { return *m_first; }
    const View& second() const { return *m_second; }
    const Strides& first_strides() const { return m_first_strides; }
    const Strides& second_strides() const { return m_second_strides; }

  private:
    static bool folds_alone(const View& view) {
        Planes planes;
        Strides strides;
        const View* const views[] = {&view};
        Strides* const out[] = {&strides};
        return fold(views, planes, out);
    }

    bool try_fold() { return try_to_fold(*m_first, *m_second, m_planes, m_first_strides, m_second_strides); }

    // Reads a copy of the first or second array in its place.
    void copy_to(std::size_t which, const View& view, Repeats repeats) {
        View copy = view;
        m_memory[which].reset();  // that of an earlier copy
        m_memory[which] = copy_dense(copy, m_tick, repeats);
        m_copies[which] = copy;
        (which == 0 ? m_first : m_second) = &m_copies[which];
    }

    const View* m_first;
    const View* m_second;
    const View& m_target;
    Tick m_tick;
    std::array<View, 2> m_copies;
    std::array<Memory, 2> m_memory;
    Planes m_planes;
    Strides m_first_strides{}, m_second_strides{};
    bool m_bring_home = false;
};

void set(std::int64_t (&field)[3], const Strides& strides) {
    std::copy(std::begin(strides), std::end(strides), std::begin(field));
}

std::int64_t parameter_count(std::int32_t filter_id) {
    std::int32_t count = 0;
    check(iir2d_filter_count(filter_id, &count));
    return count;
}

// Sets of parameters as the C interface takes them: one, or one a plane.
struct Sets {
    Sets(const Parameters& given, std::span<const std::int64_t> lead, std::int32_t filter_id) {
        if (given.values.empty()) return;
        count = parameter_count(filter_id);
        const std::int64_t sets = product(given.shape);
        if (std::ssize(given.values) != sets * count) {
            fail(IIR2D_STATUS_INVALID_ARGUMENT, std::to_string(given.values.size()) +
                                                    " parameter values for " + std::to_string(sets) +
                                                    " sets of " + std::to_string(count));
        }
        if (!sets_fit(given.shape, lead)) {
            fail(IIR2D_STATUS_INVALID_DIMENSION, "parameters of shape " + describe(given.shape) +
                                                     " do not belong to planes of shape " + describe(lead));
        }
        if (sets == 1) {
            values = given.values;
            return;
        }
        number = product(lead);
        expanded.resize(static_cast<std::size_t>(number * count));
        for_each_plane(lead, given.shape, [&](std::int64_t plane, std::int64_t set) {
            std::copy_n(given.values.begin() + set * count, count, expanded.begin() + plane * count);
        });
        values = expanded;
    }

    std::span<const double> values = {};
    std::int64_t number = 1;
    std::int64_t count = 0;
    std::vector<double> expanded = {};
};

IIR2D_FilterParams filter_params(const FilterSettings& settings, std::int32_t element, const Planes& planes,
                                 const Sets& sets, const Running& running) {
    return {.size = sizeof(IIR2D_FilterParams),
            .filter_id = settings.filter_id,
            .border_mode = settings.border_mode,
            .precision = settings.precision,
            .element = element,
            .start = settings.start,
            .normalise_gain = settings.normalise_gain ? 1 : 0,
            .n = planes.n,
            .c = planes.c,
            .height = planes.height,
            .width = planes.width,
            .border_const = settings.border_const,
            .parameters = sets.values.empty() ? nullptr : sets.values.data(),
            .parameter_sets = sets.number,
            .threads = running.threads,
            .poll = running.poll,
            .user = running.user};
}

// The planes' gradients as those of the sets that were given.
void sum_planes(const std::vector<double>& of_planes, const Sets& sets, std::span<const std::int64_t> lead,
                const Parameters& parameters, std::span<double> gradient) {
    if (sets.number == 1) {
        std::ranges::copy(of_planes, gradient.begin());
        return;
    }
    const std::int64_t count = sets.count;
    std::ranges::fill(gradient, 0.0);
    for_each_plane(lead, parameters.shape, [&](std::int64_t plane, std::int64_t set) {
        for (std::int64_t i = 0; i < count; ++i) {
            gradient[static_cast<std::size_t>(set * count + i)] +=
                of_planes[static_cast<std::size_t>(plane * count + i)];
        }
    });
}

// Two arrays on a GPU as planes.
struct Folded {
    Folded(const View& x, const View& y) {
        if (!try_to_fold(x, y, planes, first, second)) {
            fail(IIR2D_STATUS_INVALID_ARGUMENT,
                 "an array on a GPU has strides " + describe(x.strides) + " and " + describe(y.strides) +
                     ": rows must be contiguous and the leading dimensions two distances apart");
        }
    }

    Planes planes;
    Strides first{}, second{};
};

IIR2D_FilterParams gpu_params(Pass pass, const View& x, const View& y, const FilterSettings& settings,
                              const Sets& sets) {
    const Folded folded(x, y);
    IIR2D_FilterParams params = filter_params(settings, x.element, folded.planes, sets, {});
    if (pass == Pass::adjoint) {
        set(params.dy_stride, folded.first);
        set(params.dx_stride, folded.second);
    } else {
        set(params.x_stride, folded.first);
        set(pass == Pass::forward ? params.y_stride : params.dy_stride, folded.second);
    }
    return params;
}

// The parameters of a pooling whose input has these planes.
IIR2D_PoolParams pool_call(const IIR2D_PoolParams& settings, const View& input, const Planes& planes,
                           const Running& running) {
    IIR2D_PoolParams params = pool_params(settings, input);
    params.n = planes.n;
    params.c = planes.c;
    params.threads = running.threads;
    params.poll = running.poll;
    params.user = running.user;
    return params;
}

// What the gradient reads beside dy must lie apart from what it writes.
void refuse_overlap_of_reads(const View* x, const View* y, const View& dy, const View& dx,
                             const std::int64_t* indices) {
    View places;
    places.data = const_cast<std::int64_t*>(indices);
    places.element = IIR2D_ELEMENT_F64;  // as wide as an index
    places.shape = dy.shape;
    places.strides = dense_strides(dy.shape);
    const std::array<const View*, 3> reads{x, y, indices != nullptr ? &places : nullptr};
    for (const View* const read : reads) {
        if (read != nullptr && overlap(*read, dx)) {
            fail(IIR2D_STATUS_INVALID_ARGUMENT, "the output overlaps what is read: it must lie apart");
        }
    }
}

void require_same(const char* name, const View& view, const char* other_name, const View& other) {
    if (view.shape != other.shape) {
        fail(IIR2D_STATUS_INVALID_DIMENSION, std::string(name) + " has shape " + describe(view.shape) + ", " +
                                                 other_name + " has " + describe(other.shape));
    }
    if (view.element != other.element) {
        fail(IIR2D_STATUS_INVALID_ARGUMENT, std::string(name) + " is " + element_name(view.element) + ", " +
                                                other_name + " is " + element_name(other.element));
    }
}

}  // namespace

void check_planes(const char* name, const View& view) {
    if (view.shape.size() < 2) {
        fail(IIR2D_STATUS_INVALID_DIMENSION,
             std::string(name) + " has shape " + describe(view.shape) +
                 ": it must have 2 dimensions or more, the last two height and width");
    }
    for (const std::size_t back : {std::size_t{2}, std::size_t{1}}) {
        const std::int64_t size = view.shape[view.shape.size() - back];
        if (size < 1) {
            fail(IIR2D_STATUS_INVALID_DIMENSION, std::string(name) + " has shape " + describe(view.shape) +
                                                     ": " + (back == 2 ? "height" : "width") + " " +
                                                     std::to_string(size) + " must be at least 1");
        }
    }
}

void check_output(const char* name, const View& output, std::span<const std::int64_t> shape,
                  std::int32_t element) {
    const std::string named(name);
    if (!std::ranges::equal(output.shape, shape)) {
        fail(IIR2D_STATUS_INVALID_DIMENSION,
             named + " has shape " + describe(output.shape) + ", the result has " + describe(shape));
    }
    if (output.element != element) {
        fail(IIR2D_STATUS_INVALID_ARGUMENT,
             named + " is " + element_name(output.element) + ", the result is " + element_name(element));
    }
    if (output.read_only) fail(IIR2D_STATUS_INVALID_ARGUMENT, named + " is read-only");
    for (std::size_t i = 0; i < output.shape.size(); ++i) {
        if (output.shape[i] > 1 && output.strides[i] == 0) {
            fail(IIR2D_STATUS_INVALID_ARGUMENT, named + " has stride 0: its elements share memory");
        }
    }
    if (!is_aligned(output)) {
        fail(IIR2D_STATUS_INVALID_ARGUMENT, named + " does not lie at multiples of its element's " +
                                                std::to_string(element_bytes(output.element)) + " bytes");
    }
    if (!rows_are_plain(output)) {
        fail(IIR2D_STATUS_INVALID_ARGUMENT, named + " has strides " + describe(output.strides) +
                                                ": its rows must be contiguous, one after the other");
    }
}

void filter(const View& x, const View& y, const FilterSettings& settings, const Parameters& parameters,
            const Running& running) {
    const Pair pair(x, y, true, running);
    const Sets sets(parameters, leading(x), settings.filter_id);
    IIR2D_FilterParams params = filter_params(settings, x.element, pair.planes(), sets, running);
    set(params.x_stride, pair.first_strides());
    set(params.y_stride, pair.second_strides());
    check(iir2d_filter_forward_cpu(pair.first().data, pair.second().data, &params));
    pair.finish();
}

void filter_adjoint(const View& dy, const View& dx, const FilterSettings& settings,
                    const Parameters& parameters, const Running& running) {
    const Pair pair(dy, dx, true, running);
    const Sets sets(parameters, leading(dy), settings.filter_id);
    IIR2D_FilterParams params = filter_params(settings, dy.element, pair.planes(), sets, running);
    set(params.dy_stride, pair.first_strides());
    set(params.dx_stride, pair.second_strides());
    check(iir2d_filter_backward_cpu(nullptr, pair.first().data, pair.second().data, nullptr, &params));
    pair.finish();
}

void filter_gradient(const View& x, const View& dy, std::span<double> gradient,
                     const FilterSettings& settings, const Parameters& parameters, const Running& running) {
    require_same("dy", dy, "x", x);
    const Pair pair(x, dy, false, running);
    const Sets sets(parameters, leading(x), settings.filter_id);
    const std::int64_t count = parameter_count(settings.filter_id);
    IIR2D_FilterParams params = filter_params(settings, x.element, pair.planes(), sets, running);
    set(params.x_stride, pair.first_strides());
    set(params.dy_stride, pair.second_strides());
    std::vector<double> of_planes(static_cast<std::size_t>(sets.number * count));
    check(
        iir2d_filter_backward_cpu(pair.first().data, pair.second().data, nullptr, of_planes.data(), &params));
    sum_planes(of_planes, sets, leading(x), parameters, gradient);
}

bool folds(const View& x, const View& y, bool y_is_written) {
    if (x.shape.size() < 2 || y.shape.size() < 2 || !std::ranges::equal(leading(x), leading(y)))
        return true;  // the call says what is wrong
    Planes planes;
    Strides first{}, second{};
    if (try_to_fold(x, y, planes, first, second)) return true;
    if (y_is_written) refuse_overlap(x, y);
    return false;
}

std::size_t filter_workspace(Pass pass, const View& x, const View& y, const FilterSettings& settings,
                             const Parameters& parameters) {
    if (pass == Pass::gradient) require_same("dy", y, "x", x);
    const Sets sets(parameters, leading(x), settings.filter_id);
    const IIR2D_FilterParams params = gpu_params(pass, x, y, settings, sets);
    std::size_t bytes = 0;
    check(iir2d_filter_workspace_cuda(&params, pass == Pass::forward ? 0 : 1, pass == Pass::gradient ? 1 : 0,
                                      &bytes));
    return bytes;
}

void filter_on_gpu(Pass pass, const View& x, const View& y, const FilterSettings& settings,
                   const Parameters& parameters, const OnGpu& on) {
    const Sets sets(parameters, leading(x), settings.filter_id);
    const IIR2D_FilterParams params = gpu_params(pass, x, y, settings, sets);
    if (pass == Pass::forward) {
        check(iir2d_filter_forward_cuda(x.data, y.data, &params, on.workspace, on.bytes, on.stream));
    } else {
        check(iir2d_filter_backward_cuda(nullptr, x.data, y.data, nullptr, &params, on.workspace, on.bytes,
                                         on.stream));
    }
}

void filter_gradient_on_gpu(const View& x, const View& dy, double* gradient, const FilterSettings& settings,
                            const Parameters& parameters, const OnGpu& on) {
    require_same("dy", dy, "x", x);
    const Sets sets(parameters, leading(x), settings.filter_id);
    const IIR2D_FilterParams params = gpu_params(Pass::gradient, x, dy, settings, sets);
    check(iir2d_filter_backward_cuda(x.data, dy.data, nullptr, gradient, &params, on.workspace, on.bytes,
                                     on.stream));
}

IIR2D_PoolParams pool_params(const IIR2D_PoolParams& settings, const View& x) {
    IIR2D_PoolParams params = settings;
    params.size = sizeof params;
    params.element = x.element;
    params.n = 1;
    params.c = 1;
    params.height = x.shape[x.shape.size() - 2];
    params.width = x.shape[x.shape.size() - 1];
    return params;
}

void pool_output_size(const IIR2D_PoolParams& settings, const View& x, std::int64_t& height,
                      std::int64_t& width) {
    const IIR2D_PoolParams params = pool_params(settings, x);
    check(iir2d_pool_output_size(&params, &height, &width));
}

void pool(const View& x, const View& y, std::int64_t* indices, const IIR2D_PoolParams& settings,
          const Running& running) {
    const Pair pair(x, y, true, running);
    IIR2D_PoolParams params = pool_call(settings, x, pair.planes(), running);
    set(params.x_stride, pair.first_strides());
    set(params.y_stride, pair.second_strides());
    check(iir2d_pool_forward_cpu(pair.first().data, pair.second().data, indices, &params));
    pair.finish();
}

void pool_on_gpu(const View& x, const View& y, std::int64_t* indices, const IIR2D_PoolParams& settings,
                 void* stream) {
    const Folded folded(x, y);
    IIR2D_PoolParams params = pool_call(settings, x, folded.planes, {});
    set(params.x_stride, folded.first);
    set(params.y_stride, folded.second);
    check(iir2d_pool_forward_cuda(x.data, y.data, indices, &params, stream));
}

void pool_backward(const View* x, const View* y, const View& dy, const View& dx, const std::int64_t* indices,
                   const IIR2D_PoolParams& settings, const Running& running) {
    refuse_overlap_of_reads(x, y, dy, dx, indices);
    const Pair pair(dy, dx, true, running);
    IIR2D_PoolParams params = pool_call(settings, dx, pair.planes(), running);
    set(params.dy_stride, pair.first_strides());
    set(params.dx_stride, pair.second_strides());
    // Dense copies: x and y fold in their own way, and only lp reads them.
    const Tick tick = tick_of(running);
    View x_view, y_view;
    Memory x_copy, y_copy;
    if (x != nullptr) {
        x_view = *x;
        if (!is_dense(x_view)) x_copy = copy_dense(x_view, tick);
    }
    if (y != nullptr) {
        y_view = *y;
        if (!is_dense(y_view)) y_copy = copy_dense(y_view, tick);
    }
    check(iir2d_pool_backward_cpu(x_view.data, y_view.data, pair.first().data, pair.second().data, indices,
                                  &params));
    pair.finish();
}

void pool_backward_on_gpu(const View* x, const View* y, const View& dy, const View& dx,
                          const std::int64_t* indices, const IIR2D_PoolParams& settings, void* stream) {
    refuse_overlap_of_reads(x, y, dy, dx, indices);
    const Folded folded(dy, dx);
    for (const View* const read : {x, y}) {
        if (read != nullptr && !is_dense(*read))
            fail(IIR2D_STATUS_INVALID_ARGUMENT, "what lp pooling's gradient reads on a GPU must be dense");
    }
    IIR2D_PoolParams params = pool_call(settings, dx, folded.planes, {});
    set(params.dy_stride, folded.first);
    set(params.dx_stride, folded.second);
    check(iir2d_pool_backward_cuda(x != nullptr ? x->data : nullptr, y != nullptr ? y->data : nullptr,
                                   dy.data, dx.data, indices, &params, stream));
}

}  // namespace iir2d_python
