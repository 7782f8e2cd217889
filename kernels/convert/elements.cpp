// SPDX-License-Identifier: MIT
#include <algorithm>
#include <type_traits>

#include "iir2d/convert.h"
#include "kernels/support/storage.h"

namespace iir2d {

void convert_elements(const void* from, ElementType from_type, void* to, ElementType to_type,
                      std::size_t count) {
    with_storage(from_type, [&]<class From>() {
        with_storage(to_type, [&]<class To>() {
            const auto* x = static_cast<const From*>(from);
            // Every narrower type is exact in the arithmetic it is taken through.
            using Acc = std::conditional_t<std::is_same_v<From, double>, double, float>;
            std::transform(x, x + count, static_cast<To*>(to),
                           [](From v) { return element::store<To>(element::load<Acc>(v)); });
        });
    });
}

}  // namespace iir2d
