// SPDX-License-Identifier: MIT
// Mutations that leave JSON what it is: most random bytes are refused by the parser, and what reads the
// values behind it would be reached by few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>

namespace fuzzing {

// Changes one value somewhere in `document`: leaves it out, doubles it, or puts another in its place.
void mutate(nlohmann::json& document, std::mt19937& dice);

// For LLVMFuzzerCustomMutator: mutates a JSON text in place and returns its new length; now and then, and
// where the text is no JSON, as libFuzzer mutates bytes.
std::size_t mutate_json_text(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

}  // namespace fuzzing
