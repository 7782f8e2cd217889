// SPDX-License-Identifier: MIT
// For systems that the compiler process is not written for yet: callers are told so.
#include "core/compile/process.h"

namespace workbench::compile {

Result<std::unique_ptr<Process>> Process::start() {
    return fail(ErrorKind::device_failure, "the compiler process needs Linux so far");
}

Process::~Process() = default;

std::expected<std::string, NoAnswer> Process::ask(const std::string&, std::chrono::milliseconds,
                                                  const std::stop_token&) {
    return std::unexpected(NoAnswer{.why = NoAnswer::Why::died, .what = "is not available on this system"});
}

}  // namespace workbench::compile
