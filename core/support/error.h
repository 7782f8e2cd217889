// SPDX-License-Identifier: MIT
// How core reports failure. No exception leaves core; each kind is one exit code of the command line.
#pragma once

#include <expected>
#include <string>
#include <type_traits>
#include <utility>

#include "iir2d/error.h"

namespace workbench {

enum class ErrorKind {
    bad_argument,       // exit 2: an option, parameter or recipe is wrong
    bad_input,          // exit 3: a file could not be read or understood
    device_failure,     // exit 4
    check_failed,       // exit 5: parity, verification, a tolerance
    unwritable_output,  // exit 6
    cancelled,          // exit 130
};

struct Error {
    ErrorKind kind = ErrorKind::bad_argument;
    std::string message;  // one sentence for a person that names the thing and says what to do
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
    return std::unexpected(Error{kind, std::move(message)});
}

// Converts an error, or a result, of the kernel library into core's: cancelled stays cancelled, CUDA and
// workspace errors are device failures, the rest are bad arguments.
inline Error from_kernel(const iir2d::Error& error) {
    switch (error.code) {
        case iir2d::ErrorCode::cancelled:
            return {ErrorKind::cancelled, error.message};
        case iir2d::ErrorCode::cuda_error:
        case iir2d::ErrorCode::workspace_error:
            return {ErrorKind::device_failure, error.message};
        default:
            return {ErrorKind::bad_argument, error.message};
    }
}

template <class T>
Result<T> from_kernel(iir2d::Result<T> result) {
    if (!result) return std::unexpected(from_kernel(result.error()));
    if constexpr (std::is_void_v<T>)
        return {};
    else
        return *std::move(result);
}

constexpr int exit_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::bad_argument:
            return 2;
        case ErrorKind::bad_input:
            return 3;
        case ErrorKind::device_failure:
            return 4;
        case ErrorKind::check_failed:
            return 5;
        case ErrorKind::unwritable_output:
            return 6;
        case ErrorKind::cancelled:
            return 130;
    }
    return 1;
}

}  // namespace workbench
