// SPDX-License-Identifier: MIT
// NVRTC and nvJitLink, opened at run time. No header of the toolkit is needed: their few types are declared
// here.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "core/support/error.h"

namespace app {

struct OpenedLibrary {
    std::string path;
    std::string version;  // "13.0"
};

// Says why a library is not there.
struct NotOpened {
    std::string reason;
    std::string stored_reason;  // without what the loader says, which has paths of this machine
};

// Returns what each is, or why it is not there. Opened once.
std::expected<OpenedLibrary, NotOpened> nvrtc();
std::expected<OpenedLibrary, NotOpened> nvjitlink();
// Returns the folder of the toolkit that NVRTC came from or that CUDA_HOME names; empty where none is known.
std::string toolkit_folder();

// Compiles one program. An error is bad_input and is the compiler's log.
workbench::Result<std::string> compile_to_ptx(const std::string& text, const std::string& name,
                                              std::span<const std::string> options);

// Assembles PTX for sm_NN and returns the cubin's bytes.
workbench::Result<std::vector<char>> assemble(const std::string& ptx, int sm);

}  // namespace app
