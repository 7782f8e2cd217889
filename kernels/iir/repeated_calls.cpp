// SPDX-License-Identifier: MIT
#include "kernels/iir/repeated_calls.h"

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "iir2d/filter.h"
#include "kernels/support/storage.h"

namespace iir2d::iir {

namespace {

struct Kept {
    IIR2D_FilterParams params;
    std::vector<double> values;  // of params.parameters, which may hold others by now
    std::shared_ptr<const PreparedCall> prepared;
};

thread_local Kept kept;

// Bytes of [from, to) of both. No field between has padding behind it.
bool are_same(const IIR2D_FilterParams& a, const IIR2D_FilterParams& b, std::size_t from, std::size_t to) {
    return std::memcmp(reinterpret_cast<const char*>(&a) + from, reinterpret_cast<const char*>(&b) + from,
                       to - from) == 0;
}

}  // namespace

std::shared_ptr<const PreparedCall> repeated_call(const IIR2D_FilterParams* params) {
    if (kept.prepared == nullptr || params->size != sizeof *params) return nullptr;
    constexpr std::size_t values = offsetof(IIR2D_FilterParams, parameters);
    constexpr std::size_t behind = values + sizeof(params->parameters);
    constexpr std::size_t end = offsetof(IIR2D_FilterParams, threads) + sizeof(params->threads);
    if (!are_same(*params, kept.params, 0, values) || !are_same(*params, kept.params, behind, end))
        return nullptr;
    if ((params->parameters == nullptr) != (kept.params.parameters == nullptr)) return nullptr;
    if (!kept.values.empty() &&
        std::memcmp(params->parameters, kept.values.data(), kept.values.size() * sizeof(double)) != 0)
        return nullptr;
    return kept.prepared;
}

bool is_worth_keeping(const IIR2D_FilterParams* params, const FilterCall& call) {
    const Shape& shape = call.desc.shape;
    return params->size == sizeof *params && call.specs.empty() && !is_16_bit(element_of(call.desc)) &&
           threads_worth(2, shape.n * shape.c * shape.h * shape.w) == 1;
}

std::shared_ptr<const PreparedCall> keep_call(const IIR2D_FilterParams* params, FilterCall call) {
    CpuJob job = make_cpu_job(call.desc, call.filters.front(), 1);
    Kept made{*params, {}, nullptr};
    if (params->parameters != nullptr) {
        const auto row = filter_row(params->filter_id);
        made.values.assign(params->parameters, params->parameters + row->parameters.size());
    }
    made.prepared = std::make_shared<const PreparedCall>(PreparedCall{std::move(call), std::move(job)});
    kept = std::move(made);
    return kept.prepared;
}

}  // namespace iir2d::iir
