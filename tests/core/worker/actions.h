// SPDX-License-Identifier: MIT
// What the tests' worker program does when asked; the type of a request.
#pragma once

#include <cstdint>

namespace workbench::worker::testing {

enum class Action : std::uint32_t {
    echo,                 // answers with the payload
    echo_after_messages,  // payload u32 count: as many messages before the answer
    converse,             // answers with the payload of a second frame
    segmentation_fault,
    abort_process,
    leave,        // payload i32: exit code
    throw_error,  // payload: its text
    sleep_forever,
    wait_for_frame,    // that never comes
    sleep_politely,    // until cancelled
    talk_for_ever,     // a message every millisecond, never an answer
    use_processor,     // in one thread, silently
    take_memory,       // payload u64: bytes, touched, by operator new
    take_heap,         // the same by malloc; answers whether there was memory
    threads,           // payload u32: as many at once; answers how many could be started
    huge_frame,        // a header that claims 2^60 bytes
    garbage,           // bytes that are no frame
    pass_a_file,       // a handle in a frame
    close_connection,  // and carry on
    fill_shared,       // handle: shared memory; payload u64 size: adds 1 to every byte
    print,             // payload, on standard error
    write_file,        // payload: path. These answer with "0" or the system's error number
    read_file,         // payload: path
    remove_file,       // payload: path
    open_socket,
    start_program,
    fork_process,
    signal_parent,
    share_new_memory,
    new_code,
    raise_limits,
    own_a_file,       // F_SETOWN to the parent, which would be signalled
    list_open_files,  // answers with the numbers of open files
};

}  // namespace workbench::worker::testing
