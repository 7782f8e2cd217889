// SPDX-License-Identifier: MIT
// Inside the worker program only: one child, from its fork to its end.
#pragma once

#include "core/worker/channel.h"
#include "core/worker/serve.h"
#include "core/worker/shared_memory.h"
#include "core/worker/system_calls.h"

namespace workbench::worker {

// Serves requests until the program closes the connection. `filter` may be null.
[[noreturn]] void serve_requests(const Role& role, FileHandle connection, SharedMemory status_page,
                                 const SystemCallFilter* filter);

}  // namespace workbench::worker
