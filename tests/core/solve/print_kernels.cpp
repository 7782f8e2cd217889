// SPDX-License-Identifier: MIT
// Prints core/solve/kernels.gen.cpp, without which it is built.
#include <cstdio>
#include <string>

#include "core/solve/kernels.h"

int main() {
    const std::string text = workbench::solve::print_kernels();
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
