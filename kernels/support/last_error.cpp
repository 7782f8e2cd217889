// SPDX-License-Identifier: MIT
#include "kernels/support/last_error.h"

namespace iir2d::support {

namespace {

// Apart from the text, so that a success costs one store.
thread_local const char* shown = "";
thread_local std::string text;

}  // namespace

const char* last_error() noexcept {
    return shown;
}

void clear_last_error() noexcept {
    shown = "";
}

void set_last_error(const std::string& sentence) noexcept {
    try {
        text = sentence;
        shown = text.c_str();
    } catch (...) {
        shown = "there is not enough memory";
    }
}

void set_last_error_literal(const char* sentence) noexcept {
    shown = sentence;
}

}  // namespace iir2d::support
