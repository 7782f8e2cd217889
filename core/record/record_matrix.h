// SPDX-License-Identifier: MIT
// The matrix that a record was measured by, from its JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/benchmark/benchmark.h"

namespace workbench {

std::optional<iir2d::ElementType> element_of(const std::string& name);
std::optional<PoolOperation> pool_of(const nlohmann::json& pool);

// Everything but the image, which is not in the record: where there was one, `sizes` is its size.
Result<BenchmarkMatrix> matrix_of_record(const nlohmann::json& record);

}  // namespace workbench
