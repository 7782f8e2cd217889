// SPDX-License-Identifier: MIT
// Batches of candidates, judged by several threads at a time and given back in the order they came in.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/synth/judge.h"

namespace workbench::synth {

class Batches {
  public:
    // Starts a thread for each toolchain. The options must outlive it.
    Batches(const JudgeOptions& options, std::vector<std::unique_ptr<Toolchain>> toolchains);
    // Waits for what is being judged; what no thread has begun is left.
    ~Batches();
    Batches(const Batches&) = delete;
    Batches& operator=(const Batches&) = delete;

    std::size_t threads() const { return m_threads.size(); }
    // Returns how many batches were put and not yet taken.
    std::size_t waiting() const { return m_works.size(); }
    void put(std::vector<Judged> batch);
    // Returns the oldest batch that was not taken, once it is judged. Precondition: there is one.
    Result<std::vector<Judged>> take();

  private:
    struct Work {
        std::vector<Judged> batch;
        bool is_begun = false;
        std::optional<Result<std::vector<Judged>>> judged;
    };
    void judge_with(Toolchain& toolchain);
    Work* next_work();

    const JudgeOptions& m_options;
    std::vector<std::unique_ptr<Toolchain>> m_toolchains;
    std::deque<std::unique_ptr<Work>> m_works;  // changed by the caller's thread alone, under the mutex
    std::mutex m_mutex;
    std::condition_variable m_has_changed;
    bool m_is_ending = false;
    std::vector<std::jthread> m_threads;
};

}  // namespace workbench::synth
