// SPDX-License-Identifier: MIT
// Small PTX texts, run.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/ptx/ptx.h"

namespace ptx_test {

using namespace workbench::ptx;  // NOLINT: what is tested

constexpr const char* head = ".version 8.6\n.target sm_90\n.address_size 64\n";

// A kernel k of arrays: registers of every width, %rd1 to %rdN hold the arrays' addresses, %r1 is %tid.x and
// %rd0 four times that.
inline std::string kernel(int arrays, const std::string& body, const std::string& before = "") {
    std::string text = std::string(head) + before + ".visible .entry k(";
    for (int a = 1; a <= arrays; ++a)
        text += std::string(a > 1 ? ", " : "") + ".param .u64 p" + std::to_string(a);
    text +=
        ")\n{\n.reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<16>;\n.reg .b64 "
        "%rd<32>;\n.reg .f64 %fd<16>;\n";
    for (int a = 1; a <= arrays; ++a)
        text += "ld.param.u64 %rd" + std::to_string(a) + ", [p" + std::to_string(a) + "];\n";
    return text + "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd0, %r1, 4;\n" + body + "\n}\n";
}

// An array in the memory of a run.
template <class T>
struct Array {
    std::vector<T> values;
    bool written = true;  // false: fresh memory
};

struct Ran {
    Outcome outcome;
    std::vector<std::vector<std::uint32_t>> words;  // of each array, after the run
    bool found(FindingKind kind) const {
        for (const Finding& finding : outcome.findings) {
            if (finding.kind == kind) return true;
        }
        return false;
    }
};

struct Shape {
    std::uint32_t blocks = 1;
    std::uint32_t threads = 32;
    std::uint32_t shared = 0;
    std::uint64_t seed = 0;
    std::uint64_t budget = 1'000'000;
};

inline Ran run_words(const std::string& text, const std::vector<Array<std::uint32_t>>& arrays,
                     const Shape& shape = {}) {
    Ran made;
    auto module = Module::parse(text);
    EXPECT_TRUE(module) << (module ? "" : module.error().message) << "\n" << text;
    if (!module) return made;
    Memory memory;
    std::vector<std::uint64_t> addresses;
    for (const auto& array : arrays) {
        addresses.push_back(memory.allocate(array.values.size() * 4));
        const auto bytes = memory.bytes(addresses.back(), array.values.size() * 4);
        std::memcpy(bytes.data(), array.values.data(), bytes.size());
        if (array.written) memory.mark_written(addresses.back(), bytes.size());
    }
    const Launch launch{.kernel = "k",
                        .grid = {shape.blocks, 1, 1},
                        .block = {shape.threads, 1, 1},
                        .shared_bytes = shape.shared,
                        .parameters = std::as_bytes(std::span(addresses)),
                        .seed = shape.seed,
                        .budget = shape.budget};
    auto outcome = run(*module, launch, memory);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    if (!outcome) return made;
    made.outcome = *outcome;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        std::vector<std::uint32_t> words(arrays[a].values.size());
        std::memcpy(words.data(), memory.bytes(addresses[a], words.size() * 4).data(), words.size() * 4);
        made.words.push_back(words);
    }
    return made;
}

inline Array<std::uint32_t> zeros(std::size_t count) {
    return {std::vector<std::uint32_t>(count, 0)};
}
inline Array<std::uint32_t> fresh(std::size_t count) {
    return {std::vector<std::uint32_t>(count, 0), false};
}
inline Array<std::uint32_t> rising(std::size_t count) {
    Array<std::uint32_t> made = zeros(count);
    for (std::size_t k = 0; k < count; ++k) made.values[k] = static_cast<std::uint32_t>(k);
    return made;
}

}  // namespace ptx_test
