// SPDX-License-Identifier: MIT
// Reports failures of the C++ interface: std::expected with an Error. No exception leaves the library.
#pragma once

#include <expected>
#include <optional>
#include <string>

namespace iir2d {

// Names a failure by a stable code. The negative ones down to -8 are the C API's statuses (iir2d_core.h).
enum class ErrorCode : int {
    invalid_argument = -1,
    invalid_dimension = -2,
    invalid_filter_id = -3,
    invalid_border_mode = -4,
    invalid_precision = -5,
    null_pointer = -6,
    workspace_error = -7,
    cuda_error = -8,
    cancelled = -100,  // the caller's stop token asked; the output is unspecified
};

// The CUDA driver's answer, when it was the driver that failed.
struct DriverFailure {
    std::string call;  // e.g. "cuMemAllocAsync"
    std::string name;  // e.g. "CUDA_ERROR_OUT_OF_MEMORY"
    std::string text;  // the driver's own sentence
};

struct Error {
    ErrorCode code = ErrorCode::invalid_argument;
    std::string message;  // one sentence for a person, naming the field and its value
    std::optional<DriverFailure> driver = std::nullopt;
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace iir2d
