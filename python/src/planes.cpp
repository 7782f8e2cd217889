// SPDX-License-Identifier: MIT
#include "python/src/planes.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "iir2d/iir2d_core.h"

namespace iir2d_python {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::array<std::size_t, 4> bytes_of_element{4, 8, 2, 2};
constexpr std::array<const char*, 4> names_of_element{"float32", "float64", "float16", "bfloat16"};

// A plane of rows and columns with strides of its own, in bytes.
struct Layout {
    std::int64_t row = 0, column = 0;
};

template <std::size_t bytes>
using Element = std::conditional_t<bytes == 8, std::uint64_t,
                                   std::conditional_t<bytes == 4, std::uint32_t, std::uint16_t>>;

// As wide and as high as the lines of a cache that one column of it touches may be kept in.
constexpr std::int64_t tile = 32;
constexpr std::int64_t bytes_between_ticks = std::int64_t{1} << 18;

// Copies rows x columns elements; where a row is not contiguous on both sides, by tiles, so that what is read
// across the rows of one side is in the cache for the next column.
template <std::size_t bytes>
void copy_part(const std::byte* from, Layout from_layout, std::byte* to, Layout to_layout, std::int64_t rows,
               std::int64_t columns) {
    constexpr auto dense = static_cast<std::int64_t>(bytes);
    if (from_layout.column == dense && to_layout.column == dense) {
        for (std::int64_t i = 0; i < rows; ++i)
            std::memcpy(to + i * to_layout.row, from + i * from_layout.row,
                        static_cast<std::size_t>(columns) * bytes);
        return;
    }
    if (from_layout.column == 0 && to_layout.column == dense) {  // one element, repeated
        for (std::int64_t i = 0; i < rows; ++i) {
            std::byte* target = to + i * to_layout.row;
            Element<bytes> value;
            std::memcpy(&value, from + i * from_layout.row, bytes);
            for (std::int64_t j = 0; j < columns; ++j) std::memcpy(target + j * dense, &value, bytes);
        }
        return;
    }
    for (std::int64_t left = 0; left < columns; left += tile) {
        const std::int64_t right = std::min(left + tile, columns);
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::byte* source = from + i * from_layout.row;
            std::byte* target = to + i * to_layout.row;
            for (std::int64_t j = left; j < right; ++j)
                std::memcpy(target + j * to_layout.column, source + j * from_layout.column, bytes);
        }
    }
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
    if (!is_aligned(view)) return false;
    const Sizes dense = dense_strides(view.shape);
    for (std::size_t i = 0; i < dense.size(); ++i) {
        if (view.shape[i] > 1 && view.strides[i] != dense[i]) return false;
    }
    return true;
}

std::span<const std::int64_t> leading(const View& view) {
    return std::span(view.shape).first(view.shape.size() - 2);
}

bool is_aligned(const View& view) {
    return reinterpret_cast<std::uintptr_t>(view.data) % element_bytes(view.element) == 0;
}

bool rows_are_plain(const View& view) {
    if (!is_aligned(view)) return false;
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

void copy_elements(const View& from, const View& to, const Tick& tick) {
    if (product(from.shape) == 0) return;
    const auto bytes = static_cast<std::int64_t>(element_bytes(from.element));
    const std::size_t lead = from.shape.size() - std::min<std::size_t>(from.shape.size(), 2);
    const bool has_rows = from.shape.size() > 1;
    if (from.shape.empty()) {
        std::memcpy(to.data, from.data, static_cast<std::size_t>(bytes));
        return;
    }
    const std::int64_t rows = has_rows ? from.shape[lead] : 1, columns = from.shape.back();
    const Layout source_layout{has_rows ? from.strides[lead] * bytes : 0, from.strides.back() * bytes};
    const Layout target_layout{has_rows ? to.strides[lead] * bytes : 0, to.strides.back() * bytes};
    const auto copy = bytes == 8 ? copy_part<8> : bytes == 4 ? copy_part<4> : copy_part<2>;
    // Parts are as high as tiles, and as wide as a tick allows.
    const std::int64_t high = std::min(rows, tile);
    const std::int64_t wide = std::min(columns, std::max(bytes_between_ticks / (high * bytes), tile));
    const auto* source = static_cast<const std::byte*>(from.data);
    auto* target = static_cast<std::byte*>(to.data);
    std::int64_t copied = 0;
    Sizes at(lead, 0);
    for (std::int64_t plane = product(from.shape) / (rows * columns); plane > 0; --plane) {
        for (std::int64_t top = 0; top < rows; top += high) {
            for (std::int64_t left = 0; left < columns; left += wide) {
                const std::int64_t part_rows = std::min(high, rows - top),
                                   part_columns = std::min(wide, columns - left);
                copy(source + top * source_layout.row + left * source_layout.column, source_layout,
                     target + top * target_layout.row + left * target_layout.column, target_layout, part_rows,
                     part_columns);
                copied += part_rows * part_columns * bytes;
                if (tick && copied >= bytes_between_ticks) {
                    copied = 0;
                    tick();
                }
            }
        }
        for (std::size_t d = lead; d-- > 0;) {
            source += from.strides[d] * bytes;
            target += to.strides[d] * bytes;
            if (++at[d] < from.shape[d]) break;
            source -= from.strides[d] * from.shape[d] * bytes;
            target -= to.strides[d] * to.shape[d] * bytes;
            at[d] = 0;
        }
    }
}

void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
    constexpr std::uintptr_t page = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
    // Advice alone: without it the pages are small ones.
    if (last >= first + 2 * huge_page) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

Memory make_dense(View& view) {
    const auto count = static_cast<std::size_t>(product(view.shape));
    const std::size_t bytes = count * element_bytes(view.element);
    const std::align_val_t alignment{bytes >= 2 * huge_page ? huge_page : 64};
    Memory memory(static_cast<std::byte*>(::operator new[](bytes, alignment)), FreeAligned{alignment});
    prefer_huge_pages(memory.get(), bytes);
    view.data = memory.get();
    view.strides = dense_strides(view.shape);
    return memory;
}

Memory copy_dense(View& view, const Tick& tick, Repeats repeats) {
    const Sizes shape = view.shape, strides = view.strides;
    const auto is_kept = [&](std::size_t d) {
        return repeats == Repeats::kept && d + 2 < shape.size() && strides[d] == 0;
    };
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (is_kept(d)) view.shape[d] = 1;
    }
    const View from = view;
    Memory memory = make_dense(view);
    copy_elements(from, view, tick);
    view.shape = shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (is_kept(d)) view.strides[d] = 0;
    }
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
