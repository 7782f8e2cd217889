// SPDX-License-Identifier: MIT
#include "iir2d/iir2d_filter.h"

#include <string>

#include "iir2d/filter.h"
#include "kernels/support/c_call.h"

namespace {

using namespace iir2d;
using support::c_call;

std::unexpected<Error> null_pointer(const char* name) {
    return std::unexpected(Error{ErrorCode::null_pointer, std::string(name) + " is null"});
}

std::unexpected<Error> not_there(const char* name) {
    return std::unexpected(
        Error{ErrorCode::invalid_argument, std::string(name) + " is not in this build of the library"});
}

}  // namespace

extern "C" {

int iir2d_filter_count(int filter_id, int32_t* parameters) {
    return c_call([&]() -> Result<void> {
        if (parameters == nullptr) return null_pointer("parameters");
        const auto row = filter_row(filter_id);
        if (!row) return std::unexpected(row.error());
        *parameters = static_cast<std::int32_t>(row->parameters.size());
        return {};
    });
}

int iir2d_filter_parameter(int filter_id, int32_t index, const char** name, double* minimum, double* maximum,
                           double* initial, int32_t* is_switch) {
    return c_call([&]() -> Result<void> {
        if (name == nullptr) return null_pointer("name");
        if (minimum == nullptr) return null_pointer("minimum");
        if (maximum == nullptr) return null_pointer("maximum");
        if (initial == nullptr) return null_pointer("initial");
        if (is_switch == nullptr) return null_pointer("is_switch");
        const auto row = filter_row(filter_id);
        if (!row) return std::unexpected(row.error());
        const auto count = static_cast<std::int32_t>(row->parameters.size());
        if (index < 0 || index >= count) {
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         "index is " + std::to_string(index) + ": filter " +
                                             std::to_string(filter_id) + " has the parameters 0 to " +
                                             std::to_string(count - 1)});
        }
        const FilterParameter& parameter = row->parameters[static_cast<std::size_t>(index)];
        *name = parameter.name.data();  // a literal, which ends with a zero
        *minimum = parameter.minimum;
        *maximum = parameter.maximum;
        *initial = parameter.default_value;
        *is_switch = parameter.is_switch ? 1 : 0;
        return {};
    });
}

const char* iir2d_filter_key(int filter_id) {
    const auto table = filter_table();
    if (filter_id < 1 || filter_id > static_cast<int>(table.size())) return nullptr;
    return table[static_cast<std::size_t>(filter_id - 1)].key.data();  // a literal likewise
}

int iir2d_filter_forward_cpu(const void*, void*, const IIR2D_FilterParams*) {
    return c_call([]() -> Result<void> { return not_there("iir2d_filter_forward_cpu"); });
}

int iir2d_filter_backward_cpu(const void*, const void*, void*, double*, const IIR2D_FilterParams*) {
    return c_call([]() -> Result<void> { return not_there("iir2d_filter_backward_cpu"); });
}

int iir2d_filter_workspace_cuda(const IIR2D_FilterParams*, int32_t, int32_t, size_t*) {
    return c_call([]() -> Result<void> { return not_there("iir2d_filter_workspace_cuda"); });
}

int iir2d_filter_forward_cuda(const void*, void*, const IIR2D_FilterParams*, void*, size_t, void*) {
    return c_call([]() -> Result<void> { return not_there("iir2d_filter_forward_cuda"); });
}

int iir2d_filter_backward_cuda(const void*, const void*, void*, double*, const IIR2D_FilterParams*, void*,
                               size_t, void*) {
    return c_call([]() -> Result<void> { return not_there("iir2d_filter_backward_cuda"); });
}

}  // extern "C"
