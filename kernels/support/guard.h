// SPDX-License-Identifier: MIT
// No exception leaves the library: the bodies of its C functions and of those that give a Result run in here.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "iir2d/error.h"

namespace iir2d::support {

// Returns body(), or `otherwise` where it throws: for functions that are called from C. The
// standard library throws where memory is short, whichever thread of the run it was.
template <class Value, class Body>
Value guarded(Value otherwise, const Body& body) noexcept {
    try {
        return body();
    } catch (...) {
        return otherwise;
    }
}

// Returns the Result that body() gives, or an error of `subject`.
template <class Body>
std::invoke_result_t<const Body&> guarded_result(const char* subject, const Body& body) {
    const auto failed = [subject](const char* why) {
        return std::unexpected(Error{ErrorCode::workspace_error, std::string(subject) + ": " + why});
    };
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return failed("there is not enough memory");
    } catch (const std::length_error&) {  // of a container that no memory could hold
        return failed("there is not enough memory");
    } catch (const std::exception& other) {
        return failed(other.what());
    }
}

}  // namespace iir2d::support
