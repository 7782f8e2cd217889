// SPDX-License-Identifier: MIT
// Inside the worker program only: which system calls a child may make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/error.h"

namespace workbench::worker {

// Made once in the server, installed in each child. What a child may do: compute, take memory of its own,
// start and end threads, open files for reading, read, write and map what it has open, read clocks, end.
// Everything else fails with EPERM: files opened for writing, made, removed or renamed; processes started,
// signalled, traced or inspected; sockets; memory that is both shared and new, or code made at run time.
class SystemCallFilter {
  public:
    // device_failure where the program was built without libseccomp.
    static Result<SystemCallFilter> make();

    // Filters those of the calling thread, for good; precondition: it is the only one. False when the system
    // refuses.
    bool install() const;

  private:
    struct Instruction {  // of classic BPF: code, jumps, constant
        std::uint16_t code;
        std::uint8_t if_true;
        std::uint8_t if_false;
        std::uint32_t constant;
    };
    std::vector<Instruction> m_program;
};

}  // namespace workbench::worker
