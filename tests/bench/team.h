// SPDX-License-Identifier: MIT
// Threads that are awake before the clock starts, for what benchmarks compare with: starting or waking one
// takes as long as copying a small image.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace bench {

class Team {
  public:
    explicit Team(int members) : m_members(members) {
        for (int i = 1; i < members; ++i) m_threads.emplace_back([this, i] { serve(i); });
    }
    ~Team() {
        m_job = nullptr;
        call();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int members() const { return m_members; }

    // Runs part(0) to part(members - 1) at once and answers the seconds from the first start to the last end.
    double seconds(const std::function<void(int)>& part) {
        m_job = &part;
        m_awake = 0;
        m_done = 0;
        call();
        while (m_awake.load() < m_members - 1) std::this_thread::yield();
        const auto start = std::chrono::steady_clock::now();
        m_go.store(m_call.load());
        part(0);
        while (m_done.load() < m_members - 1) {
        }
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

  private:
    void call() {
        m_call.fetch_add(1);
        m_call.notify_all();
    }
    void serve(int member) {
        for (int answered = 0;;) {
            m_call.wait(answered);
            ++answered;
            const auto* job = m_job.load();
            if (job == nullptr) return;
            m_awake.fetch_add(1);
            while (m_go.load() != answered) {
            }
            (*job)(member);
            m_done.fetch_add(1);
        }
    }

    int m_members;
    std::atomic<const std::function<void(int)>*> m_job{nullptr};
    std::atomic<int> m_call{0};
    std::atomic<int> m_go{0};
    std::atomic<int> m_awake{0};
    std::atomic<int> m_done{0};
    std::vector<std::jthread> m_threads;
};

}  // namespace bench
