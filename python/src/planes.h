// SPDX-License-Identifier: MIT
// Arrays of any number of dimensions as the planes that the C interface takes, and parameters that belong to
// planes. Knows neither Python nor XLA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace iir2d_python {

using Sizes = std::vector<std::int64_t>;

// An array in memory: strides in elements, one for each dimension.
struct View {
    void* data = nullptr;
    std::int32_t element = 0;  // IIR2D_ElementType
    bool read_only = false;
    Sizes shape = {};
    Sizes strides = {};
};

// What the fields n, c, height, width and the strides of a tensor in the C interface say.
struct Planes {
    std::int64_t n = 1, c = 1, height = 0, width = 0;
};

std::int64_t product(std::span<const std::int64_t> sizes);
std::size_t element_bytes(std::int32_t element);
std::string element_name(std::int32_t element);
// "(2, 3, 17, 23)"
std::string describe(std::span<const std::int64_t> sizes);
// Strides of a dense row-major array.
Sizes dense_strides(std::span<const std::int64_t> shape);
// Whether an array is dense and row-major, and its elements are aligned.
bool is_dense(const View& view);
// The dimensions before the last two.
std::span<const std::int64_t> leading(const View& view);

// Whether every element lies at a multiple of its size.
bool is_aligned(const View& view);
// Elements are aligned, rows are contiguous, at least a width apart, and no stride is negative.
bool rows_are_plain(const View& view);

// Whether the leading dimensions of all views, which have the same, fold into at most two with one stride
// each. If so, `planes` and `strides` (of each view: n, c, row) have them. All views have plain rows; sizes
// of the last two dimensions are the first view's, and every view's row stride is its own.
bool fold(std::span<const View* const> views, Planes& planes, std::span<std::int64_t (*const)[3]> strides);

// Is called after every few hundred kilobytes of a copy, and may throw.
using Tick = std::function<void()>;

// Copies between arrays of the same shape and element type, with any strides and alignment.
void copy_elements(const View& from, const View& to, const Tick& tick = {});

// Advises the system to give large memory huge pages, whose first touch has 512 times fewer faults (Linux).
void prefer_huge_pages(void* data, std::size_t bytes);

struct FreeAligned {
    std::align_val_t alignment{alignof(std::max_align_t)};
    void operator()(std::byte* data) const { ::operator delete[](data, alignment); }
};
// Memory of a dense array in place of a view's own.
using Memory = std::unique_ptr<std::byte[], FreeAligned>;
// Makes `view` a dense array of its shape, whose elements are not set.
Memory make_dense(View& view);
// What becomes of planes that a stride of 0 repeats: each has its copy, or all have one that is repeated
// again.
enum class Repeats { copied, kept };
// Makes `view` a copy of itself, dense but for planes that repeat and are kept so.
Memory copy_dense(View& view, const Tick& tick = {}, Repeats repeats = Repeats::copied);

// Whether the memory of two arrays, each from its first to its last element, has a byte in common.
bool overlap(const View& a, const View& b);

// Sets of parameters: `shape` is that of the sets, broadcastable to the leading dimensions of the planes.
// Calls f(plane, set) for each plane, row-major.
template <class F>
void for_each_plane(std::span<const std::int64_t> lead, std::span<const std::int64_t> shape, F f) {
    const Sizes dense = dense_strides(shape);
    Sizes step(lead.size(), 0), at(lead.size(), 0);
    for (std::size_t i = 0; i < shape.size() && i < lead.size(); ++i) {
        const std::size_t of_set = shape.size() - 1 - i;
        if (shape[of_set] != 1) step[lead.size() - 1 - i] = dense[of_set];
    }
    const std::int64_t planes = product(lead);
    std::int64_t set = 0;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
        f(plane, set);
        for (std::size_t d = lead.size(); d-- > 0;) {
            set += step[d];
            if (++at[d] < lead[d]) break;
            set -= step[d] * lead[d];
            at[d] = 0;
        }
    }
}

// Whether sets of this shape belong to planes with these leading dimensions, each dimension of a set being 1
// or theirs.
bool sets_fit(std::span<const std::int64_t> shape, std::span<const std::int64_t> lead);

}  // namespace iir2d_python
