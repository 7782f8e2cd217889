// SPDX-License-Identifier: MIT
#include "kernels/iir/filter_params.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "iir2d/try.h"
#include "kernels/support/c_struct.h"
#include "kernels/support/parallel.h"

namespace iir2d::iir {

namespace {

constexpr std::size_t first_size = offsetof(IIR2D_FilterParams, user) + sizeof(void*);

std::unexpected<Error> bad(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

FilterDesc desc_of(const IIR2D_FilterParams& p) {
    return {.shape = {.n = p.n, .c = p.c, .h = p.height, .w = p.width},
            .filter = {.id = p.filter_id, .parameters = {}, .normalise_gain = p.normalise_gain != 0},
            .border = static_cast<Border>(p.border_mode),
            .border_const = p.border_const,
            .precision = static_cast<Precision>(p.precision),
            .start = static_cast<Start>(p.start),
            .data = {},
            .element = static_cast<ElementType>(p.element)};
}

support::CTensor tensor_of(const char* name, const FilterDesc& desc, const std::int64_t (&strides)[3]) {
    return {name, element_of(desc), desc.shape, {strides[0], strides[1], strides[2]}};
}

Result<void> check_strides(const FilterCall& call, FilterPass pass, LeftOut left_out) {
    using support::Use;
    const bool forward = pass == FilterPass::forward;
    if (!left_out.x) {
        if (auto good = support::check_c_strides(call.x, Use::read); !good) return good;
    }
    if (forward) return support::check_c_strides(call.y, Use::written);
    if (auto good = support::check_c_strides(call.dy, Use::read); !good) return good;
    if (left_out.dx) return {};
    return support::check_c_strides(call.dx, Use::written);
}

// Those of a set that are given, by name.
FilterSpec spec_of(const FilterSpec& defaults, const FilterRow& row, const double* values) {
    FilterSpec spec = defaults;
    for (std::size_t i = 0; i < row.parameters.size(); ++i) {
        if (!std::isnan(values[i])) spec.parameters.emplace_back(row.parameters[i].name, values[i]);
    }
    return spec;
}

Result<void> read_parameters(const IIR2D_FilterParams& p, const FilterRow& row, FilterCall& call) {
    const std::int64_t planes = p.n * p.c;
    const bool default_sets = p.parameter_sets == 0 && p.parameters == nullptr;
    const std::int64_t sets = default_sets ? 1 : p.parameter_sets;
    if (sets != 1 && sets != planes) {
        return bad(ErrorCode::invalid_argument, "parameter_sets is " + std::to_string(p.parameter_sets) +
                                                    ": give 1, or one for each of the " +
                                                    std::to_string(planes) + " planes");
    }
    if (sets == 1) {
        if (p.parameters != nullptr) call.desc.filter = spec_of(call.desc.filter, row, p.parameters);
        auto filter = make_filter(call.desc.filter);
        if (!filter) return std::unexpected(filter.error());
        call.filters.push_back(std::move(*filter));
        return {};
    }
    call.specs.reserve(static_cast<std::size_t>(sets));
    call.filters.reserve(static_cast<std::size_t>(sets));
    const auto count = static_cast<std::int64_t>(row.parameters.size());
    for (std::int64_t set = 0; set < sets; ++set) {
        call.specs.push_back(p.parameters == nullptr
                                 ? call.desc.filter
                                 : spec_of(call.desc.filter, row, p.parameters + set * count));
        auto filter = make_filter(call.specs.back());
        if (!filter) {
            return bad(filter.error().code,
                       "parameters of plane " + std::to_string(set) + ": " + filter.error().message);
        }
        call.filters.push_back(std::move(*filter));
    }
    return {};
}

}  // namespace

Result<FilterCall> read_params(const IIR2D_FilterParams* params, FilterPass pass, LeftOut left_out) {
    const auto known = support::known_fields<IIR2D_FilterParams>(params, first_size, "IIR2D_FilterParams");
    if (!known) return std::unexpected(known.error());
    const IIR2D_FilterParams& p = *known;
    FilterDesc desc = desc_of(p);
    FilterCall call{.desc = desc,
                    .specs = {},
                    .filters = {},
                    .x = tensor_of("x", desc, p.x_stride),
                    .y = tensor_of("y", desc, p.y_stride),
                    .dy = tensor_of("dy", desc, p.dy_stride),
                    .dx = tensor_of("dx", desc, p.dx_stride),
                    .threads = p.threads,
                    .poll = p.poll,
                    .user = p.user};
    IIR2D_RETURN_IF_ERROR(check_shape(desc));
    IIR2D_RETURN_IF_ERROR(check_strides(call, pass, left_out));
    const auto row = filter_row(p.filter_id);
    if (!row) return std::unexpected(row.error());
    IIR2D_RETURN_IF_ERROR(check_choices(desc));
    IIR2D_RETURN_IF_ERROR(support::check_flag("normalise_gain", p.normalise_gain));
    IIR2D_RETURN_IF_ERROR(support::check_threads(p.threads));
    IIR2D_RETURN_IF_ERROR(read_parameters(p, *row, call));
    IIR2D_RETURN_IF_ERROR(check_stable(desc, call.filters));
    return call;
}

}  // namespace iir2d::iir
