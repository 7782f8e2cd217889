// SPDX-License-Identifier: MIT
// The worker program's side: a main() is a table of roles and run_worker(). Linked by worker programs only
// (target workbench_worker_child).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/worker/failure.h"
#include "core/worker/frame.h"

namespace workbench::worker {

// The connection to the program while a request is served.
class Conversation {
  public:
    virtual ~Conversation() = default;
    // Sends a frame before the answer: progress, a header, a question. When the program is gone the process
    // ends and this does not return. Any thread of the child may send, one at a time.
    virtual void send(const Frame& frame) = 0;
    // Returns the program's next frame of this request.
    virtual Frame receive() = 0;
    // Returns whether the program wants no answer any more. Cheap; ask it between chunks of work. Then return
    // any frame soon: the program does not look at it.
    virtual bool cancelled() const = 0;
};

struct Role {
    std::string name;

    // Runs in the server, once, before the first child: what is expensive and common to all requests. An
    // Error ends the server; its message becomes part of the program's Failure. It must leave no threads
    // behind, because children are forked from this process.
    std::function<Result<void>(std::span<const std::string> arguments)> prepare = {};

    // Runs in each new child, before its system calls are filtered. Optional.
    std::function<void()> begin_child = {};

    // Serves, in a child, one request, to its answer. std::bad_alloc becomes out_of_memory, any other
    // exception `threw`; after either the child is replaced. Files may be opened for reading and threads
    // started; everything else reaches the child as a handle in a frame.
    std::function<Frame(Frame request, Conversation& program)> serve;

    std::size_t frame_limit = default_frame_limit;  // of frames from the program
};

// `NAME ROLE [ARGUMENT...]`, started by a WorkerPool with its connection as file 3. Returns the exit code: 2
// with one line on standard error when it was started by hand or with an unknown role.
int run_worker(std::span<const Role> roles, int argc, char** argv);

}  // namespace workbench::worker
