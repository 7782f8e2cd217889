// SPDX-License-Identifier: MIT
// Inside core/duel and its worker only: describes what the program and the participants of one launch share.
// It is one piece of memory, which has no name and is gone with the last process: a page for each
// participant, then planes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "iir2d/iir2d_core.h"
#include "iir2d/iir2d_pool.h"

namespace workbench::duel {

inline constexpr int shared_descriptor = 3;  // the number under which a worker finds the memory
inline constexpr std::size_t page_bytes = 16384;
inline constexpr std::size_t plane_step = 4096;  // no two planes lie in one piece of so many bytes
inline constexpr std::size_t path_bytes = 4096;
inline constexpr std::size_t text_bytes = 1024;
inline constexpr int most_processors = 1024;

enum class Command : std::uint32_t { load = 1, call = 2 };

// Says whether the command was done, or what failed: the case, or the library as a whole.
enum class Answer : std::uint32_t { done, case_failed, library_failed };

enum class CallKind : std::uint32_t { none, filter, pool_forward, pool_backward, copy };

// Describes the call that is repeated. Offsets are into the shared memory.
struct Call {
    CallKind kind = CallKind::none;
    IIR2D_Params filter{};
    IIR2D_PoolParams pool{};
    std::uint64_t input_at = 0, input_bytes = 0;
    std::uint64_t output_at = 0, output_bytes = 0;
    // For backward passes; 0 bytes: there is none.
    std::uint64_t upstream_at = 0, upstream_bytes = 0;
    std::uint64_t pooled_at = 0, pooled_bytes = 0;
    std::uint64_t argmax_at = 0, argmax_bytes = 0;
};

// Holds what program and worker tell each other. Two counters say whose turn it is: the program raises
// `asked` and sleeps, the worker answers by setting `answered` to it, and sleeps. Everything else is written
// by the one whose turn it is.
struct Page {
    std::atomic<std::uint32_t> asked;
    std::atomic<std::uint32_t> answered;
    Command command;

    // For `load`.
    char library[path_bytes];  // empty: the copy
    Call call;
    std::int32_t threads;  // of the copy; a library takes what the processors allow
    std::uint64_t processors[most_processors / 64];
    std::int32_t begins_on;  // the processor on which each sample begins; -1: any

    // For `call`: how many calls before those that are timed, and how many are.
    std::int32_t untimed;
    std::int32_t timed;
    std::int32_t looks_for_threads;  // whether `has_threads` is asked for

    // The worker's answer.
    Answer answer;
    char text[text_bytes];
    double milliseconds;  // median of the timed calls
    std::int32_t preempted;
    std::int32_t has_threads;  // there is another thread in the process, or one has computed meanwhile
    std::int32_t version[3];
    char fingerprint[text_bytes];
};
static_assert(sizeof(Page) <= page_bytes);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "both sides sleep on these words");

// Sleeps while the word has the value, at most so long. Across processes.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds most);
void wake(std::atomic<std::uint32_t>& word);

}  // namespace workbench::duel
