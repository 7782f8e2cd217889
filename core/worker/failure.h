// SPDX-License-Identifier: MIT
// Why a worker did not do what it was asked.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace workbench::worker {

enum class FailureKind {
    could_not_start,  // no program, its preparation failed, the system refused a process
    unreachable,      // the system refused to carry frames to or from it, e.g. for want of memory
    died,             // ended by a signal or by itself before it had answered
    out_of_memory,    // it reached its limit of memory and said so or died of it
    processor_time,   // it used more processor time than it was given
    silent,           // no frame for as long as the caller was willing to wait: it hangs
    protocol,         // it sent what no worker sends; it was ended
    threw,            // its handler let an exception out; `what` quotes it
    cancelled,        // the caller's stop token
};

struct Failure {
    FailureKind kind = FailureKind::died;
    // A clause that follows the worker's name: "crashed (signal 11, segmentation fault)", "took more than
    // 20 s of processor time". Without a full stop; printable, one line.
    std::string what;
    int signal = 0;       // that ended it; 0 when none did, or it was not learnt
    int exit_status = 0;  // when it ended by itself
    // The end of what the worker and its libraries wrote on standard output and error lately; for a log,
    // not for a sentence. Not made printable.
    std::string output;
};

template <class T>
using Outcome = std::expected<T, Failure>;

inline std::unexpected<Failure> failed(FailureKind kind, std::string what) {
    return std::unexpected(Failure{.kind = kind, .what = std::move(what)});
}

}  // namespace workbench::worker
