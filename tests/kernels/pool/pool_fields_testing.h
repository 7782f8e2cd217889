// SPDX-License-Identifier: MIT
// Descriptors that differ in fields which their op does not read (docs/pooling.md, "Operations").
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "iir2d/plan.h"

namespace pool_testing {

struct SpoiltDesc {
    std::string field;
    iir2d::PoolDesc desc;
};

// `desc` once for every value of a field that its op does not read, and once with all of them.
inline std::vector<SpoiltDesc> with_unread_fields(const iir2d::PoolDesc& desc) {
    using iir2d::Extent;
    using iir2d::PoolDesc;
    using iir2d::PoolOp;
    std::vector<SpoiltDesc> all;
    PoolDesc together = desc;
    const auto add = [&](const char* field, auto spoil) {
        PoolDesc one = desc;
        spoil(one);
        spoil(together);
        all.push_back({field, one});
    };
    if (desc.op != PoolOp::avg) {
        add("divisor_override 3", [](PoolDesc& d) { d.divisor_override = 3; });
        add("divisor_override 0", [](PoolDesc& d) { d.divisor_override = 0; });
        add("count_include_pad", [](PoolDesc& d) { d.count_include_pad = true; });
    }
    if (desc.op != PoolOp::lp) {
        add("p 1", [](PoolDesc& d) { d.p = 1.0; });
        add("p 0", [](PoolDesc& d) { d.p = 0.0; });
        add("p NaN", [](PoolDesc& d) { d.p = std::numeric_limits<double>::quiet_NaN(); });
    }
    if (is_adaptive(desc.op)) {
        add("window", [](PoolDesc& d) { d.window = {3, 5}; });
        add("window -1", [](PoolDesc& d) { d.window = {-1, 0}; });
        add("stride", [](PoolDesc& d) { d.stride = Extent{4, 3}; });
        add("padding", [](PoolDesc& d) { d.padding = {1, 2}; });
        add("dilation", [](PoolDesc& d) { d.dilation = {2, 3}; });
        add("ceil_mode", [](PoolDesc& d) { d.ceil_mode = true; });
    } else {
        add("output", [](PoolDesc& d) { d.output = {0, -3}; });
    }
    all.push_back({"all of them", together});
    return all;
}

}  // namespace pool_testing
