// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "iir2d/plan.h"

namespace iir2d {

namespace {

constexpr std::array<std::string_view, 5> op_names = {"max", "avg", "lp", "adaptive-max", "adaptive-avg"};

}  // namespace

std::string_view name_of(PoolOp op) {
    const auto index = static_cast<std::size_t>(op);
    return index < op_names.size() ? op_names[index] : std::string_view("unknown");
}

Result<PoolOp> pool_op_from_name(std::string_view name) {
    std::string hyphened(name);
    std::replace(hyphened.begin(), hyphened.end(), '_', '-');
    const auto found = std::find(op_names.begin(), op_names.end(), hyphened);
    if (found == op_names.end()) {
        return std::unexpected(Error{
            ErrorCode::invalid_argument,
            "pooling op '" + std::string(name) + "': must be max, avg, lp, adaptive-max or adaptive-avg"});
    }
    return static_cast<PoolOp>(found - op_names.begin());
}

}  // namespace iir2d
