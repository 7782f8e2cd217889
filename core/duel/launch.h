// SPDX-License-Identifier: MIT
// Inside core/duel only: runs the processes of one launch in memory that they share.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/duel/cases.h"
#include "core/duel/duel.h"
#include "core/support/task.h"
#include "core/worker/shared_memory.h"

namespace workbench::duel {

// Says why a case ends: a participant crashed, hung, refused, or could not be started; or it was cancelled.
struct LaunchError {
    std::optional<Participant> who;  // absent: it is of none alone
    std::string what;                // a sentence that goes on after "base: "
    bool cancelled = false;
    bool by_itself = false;  // it crashed or hung, and was not ended from outside
    // The kind of an error for which no case can be measured: bad_input, a library; device_failure, a worker.
    // Absent: the error is this case's alone.
    std::optional<ErrorKind> of_all = {};
    bool ends_duel = false;  // even where cases are complete: they are of no one library
};
template <class T>
using LaunchResult = std::expected<T, LaunchError>;

struct LaunchPlan {
    std::filesystem::path base, now;
    int threads = 1;
    std::vector<int> processors;  // samples begin on the first
    // The order in which participants are started and their results lie in memory.
    std::array<Participant, participant_count> order = all_participants;
    std::int64_t alignment = 0;         // of every plane beyond a page's start; a multiple of 64
    std::size_t environment_bytes = 0;  // that are added to the environment, which moves the stack
    std::chrono::milliseconds longest_call{30000};
};

struct CallSample {
    TimedSample timed;
    bool has_threads = false;  // its process had another thread; looked for where asked for
};

// Holds four processes, of which all but the one whose turn it is sleep. Ends them when it is destroyed.
class Launch {
  public:
    // Starts the participants and lets each open its library.
    static LaunchResult<std::unique_ptr<Launch>> start(const PreparedCase& prepared, const LaunchPlan& plan,
                                                       const TaskControl& control);
    ~Launch();
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    // Calls `untimed` times and then `timed` times more, of which the sample is the median.
    LaunchResult<CallSample> call(Participant who, int untimed, int timed, bool look_for_threads = false);

    std::span<const std::byte> output_of(Participant who) const;
    // Returns what its library says of itself, after start().
    std::string version_of(Participant who) const;
    std::string fingerprint_of(Participant who) const;

  private:
    Launch(const LaunchPlan& plan, const TaskControl& control) : m_plan(plan), m_control(control) {}
    LaunchResult<void> place(const PreparedCase& prepared);
    LaunchResult<void> spawn(Participant who);
    LaunchResult<void> load(Participant who);
    void ask(Participant who, Command command);
    LaunchResult<void> wait_for(Participant who, const std::string& doing);
    Page& page_of(Participant who) const;
    LaunchResult<void> leave_running(Participant who);
    LaunchResult<void> wait_until_stopped(Participant who);
    void end_all();

    LaunchPlan m_plan;
    const TaskControl& m_control;
    worker::SharedMemory m_memory;
    Call m_call;
    std::array<std::uint64_t, participant_count> m_outputs{};
    std::array<int, participant_count> m_processes{-1, -1, -1, -1};
    std::array<bool, participant_count> m_stopped{};
};

}  // namespace workbench::duel
