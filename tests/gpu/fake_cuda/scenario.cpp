// SPDX-License-Identifier: MIT
#include "tests/gpu/fake_cuda/scenario.h"

#include <cstdlib>
#include <sstream>

namespace fake_cuda {

std::string setting(const std::string& name, const std::string& otherwise) {
    const char* all = std::getenv("FAKE_CUDA");
    std::istringstream words(all != nullptr ? all : "");
    for (std::string word; std::getline(words, word, ',');) {
        if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
    }
    return otherwise;
}

int number(const std::string& name, int otherwise) {
    return std::atoi(setting(name, std::to_string(otherwise)).c_str());
}

}  // namespace fake_cuda
