// SPDX-License-Identifier: MIT
// Holds neighbouring lines beside each other in memory, as the sweeps of the parameters' gradient take them,
// and moves rows of a plane there and back. Compiled for several instruction sets, of which the best that
// runs is chosen once. Thread-safe.
#pragma once

#include <cstdint>

namespace iir2d::iir {

// Lines beside each other: sample i of lane l is first[i * stride + l]. A negative stride begins at the far
// end.
template <class S>
struct LaneRows {
    S* first = nullptr;
    std::int64_t stride = 0;

    S* at(std::int64_t i) const { return first + i * stride; }
    LaneRows turned(std::int64_t n) const { return {first + (n - 1) * stride, -stride}; }
};

template <class S>
LaneRows<const S> as_input(const LaneRows<S>& rows) {
    return {rows.first, rows.stride};
}

// Transposes rows to lanes: to.at(i)[l] = from.at(l)[i] for i below n and l below lanes. One of the two lies
// in cache.
void rows_to_lanes(std::int64_t lanes, std::int64_t n, const LaneRows<const float>& from,
                   const LaneRows<float>& to);
void rows_to_lanes(std::int64_t lanes, std::int64_t n, const LaneRows<const double>& from,
                   const LaneRows<double>& to);

}  // namespace iir2d::iir
