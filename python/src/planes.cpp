// SPDX-License-Identifier: MIT
#include "python/src/planes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "iir2d/iir2d_core.h"

namespace iir2d_python {

namespace {

constexpr std::array<std::size_t, 4> bytes_of_element{4, 8, 2, 2};
constexpr std::array<const char*, 4> names_of_element{"float32", "float64", "float16", "bfloat16"};

template <class T>
void copy_row(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
              std::int64_t count) {
    const T* source = reinterpret_cast<const T*>(from);
    T* target = reinterpret_cast<T*>(to);
    for (std::int64_t i = 0; i < count; ++i) target[i * to_stride] = source[i * from_stride];
}

// The addresses of the first byte and of the one after the last; of an empty array, no bytes.
std::pair<std::uintptr_t, std::uintptr_t> extent(const View& view) {
    const auto bytes = static_cast<std::int64_t>(element_bytes(view.element));
    auto first = reinterpret_cast<std::uintptr_t>(view.data);
    if (product(view.shape) == 0) return {first, first};
    auto last = first + static_cast<std::uintptr_t>(bytes);
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
        const std::int64_t reach = (view.shape[i] - 1) * view.strides[i] * bytes;
        (reach < 0 ? first : last) += static_cast<std::uintptr_t>(reach);
    }
    return {first, last};
}

}  // namespace

std::int64_t product(std::span<const std::int64_t> sizes) {
    std::int64_t result = 1;
    for (const std::int64_t size : sizes) result *= size;
    return result;
}

std::size_t element_bytes(std::int32_t element) {
    return bytes_of_element[static_cast<std::size_t>(element)];
}

std::string element_name(std::int32_t element) {
    return names_of_element[static_cast<std::size_t>(element)];
}

std::string describe(std::span<const std::int64_t> sizes) {
    std::string text = "(";
    for (std::size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
    return text + (sizes.size() == 1 ? ",)" : ")");
}

Sizes dense_strides(std::span<const std::int64_t> shape) {
    Sizes strides(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = step;
        step *= std::max<std::int64_t>(shape[i], 1);
    }
    return strides;
}

bool is_dense(const View& view) {
    const Sizes dense = dense_strides(view.shape);
    for (std::size_t i = 0; i < dense.size(); ++i) {
        if (view.shape[i] > 1 && view.strides[i] != dense[i]) return false;
    }
    return true;
}

std::span<const std::int64_t> leading(const View& view) {
    return std::span(view.shape).first(view.shape.size() - 2);
}

bool rows_are_plain(const View& view) {
    const std::size_t rank = view.shape.size();
    const std::int64_t height = view.shape[rank - 2], width = view.shape[rank - 1];
    if (width > 1 && view.strides[rank - 1] != 1) return false;
    if (height > 1 && view.strides[rank - 2] < width) return false;
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        if (view.shape[i] > 1 && view.strides[i] < 0) return false;
    }
    return true;
}

bool fold(std::span<const View* const> views, Planes& planes, std::span<std::int64_t (*const)[3]> strides) {
    const View& first = *views[0];
    const std::size_t rank = first.shape.size();
    // From the inner dimension outwards: the size of each folded one, and where it starts.
    std::array<std::int64_t, 2> sizes{1, 1};
    std::array<std::size_t, 2> dimension{};
    std::size_t folded = 0;
    for (std::size_t d = rank - 2; d-- > 0;) {
        const std::int64_t size = first.shape[d];
        if (size == 1) continue;
        const bool continues =
            folded > 0 && std::ranges::all_of(views, [&](const View* view) {
                return view->strides[d] == view->strides[dimension[folded - 1]] * sizes[folded - 1];
            });
        if (continues) {
            sizes[folded - 1] *= size;
            continue;
        }
        if (folded == 2) return false;
        dimension[folded] = d;
        sizes[folded] = size;
        ++folded;
    }
    planes = {.n = sizes[1], .c = sizes[0], .height = first.shape[rank - 2], .width = first.shape[rank - 1]};
    for (std::size_t i = 0; i < views.size(); ++i) {
        const View& view = *views[i];
        auto& out = *strides[i];
        const std::int64_t width = view.shape[rank - 1], height = view.shape[rank - 2];
        out[2] = height > 1 ? view.strides[rank - 2] : width;
        out[1] = folded > 0 ? view.strides[dimension[0]] : height * out[2];
        out[0] = folded > 1 ? view.strides[dimension[1]] : sizes[0] * out[1];
    }
    return true;
}

void copy_elements(const View& from, const View& to) {
    const auto bytes = static_cast<std::int64_t>(element_bytes(from.element));
    const std::size_t rows = from.shape.size() - 1;
    const std::int64_t width = from.shape[rows];
    if (product(from.shape) == 0) return;
    const auto copy = bytes == 8   ? copy_row<std::uint64_t>
                      : bytes == 4 ? copy_row<std::uint32_t>
                                   : copy_row<std::uint16_t>;
    const auto* source = static_cast<const std::byte*>(from.data);
    auto* target = static_cast<std::byte*>(to.data);
    Sizes at(rows, 0);
    for (std::int64_t row = product(from.shape) / width; row > 0; --row) {
        copy(source, from.strides[rows], target, to.strides[rows], width);
        for (std::size_t d = rows; d-- > 0;) {
            source += from.strides[d] * bytes;
            target += to.strides[d] * bytes;
            if (++at[d] < from.shape[d]) break;
            source -= from.strides[d] * from.shape[d] * bytes;
            target -= to.strides[d] * to.shape[d] * bytes;
            at[d] = 0;
        }
    }
}

Memory make_dense(View& view) {
    const auto count = static_cast<std::size_t>(product(view.shape));
    Memory memory = std::make_unique_for_overwrite<std::byte[]>(count * element_bytes(view.element));
    view.data = memory.get();
    view.strides = dense_strides(view.shape);
    return memory;
}

Memory copy_dense(View& view) {
    const View from = view;
    Memory memory = make_dense(view);
    copy_elements(from, view);
    return memory;
}

bool overlap(const View& a, const View& b) {
    const auto [a_first, a_last] = extent(a);
    const auto [b_first, b_last] = extent(b);
    return a_first < b_last && b_first < a_last;
}

bool sets_fit(std::span<const std::int64_t> shape, std::span<const std::int64_t> lead) {
    if (shape.size() > lead.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t size = shape[shape.size() - 1 - i];
        if (size != 1 && size != lead[lead.size() - 1 - i]) return false;
    }
    return true;
}

}  // namespace iir2d_python
