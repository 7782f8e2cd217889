// SPDX-License-Identifier: MIT
#include "core/synth/batches.h"

#include <utility>

namespace workbench::synth {

Batches::Batches(const JudgeOptions& options, std::vector<std::unique_ptr<Toolchain>> toolchains)
    : m_options(options), m_toolchains(std::move(toolchains)) {
    for (const auto& toolchain : m_toolchains)
        m_threads.emplace_back([this, &toolchain] { judge_with(*toolchain); });
}

Batches::~Batches() {
    {
        const std::lock_guard lock(m_mutex);
        m_is_ending = true;
    }
    m_has_changed.notify_all();
    m_threads.clear();  // joins
}

void Batches::put(std::vector<Judged> batch) {
    auto work = std::make_unique<Work>();
    work->batch = std::move(batch);
    {
        const std::lock_guard lock(m_mutex);
        m_works.push_back(std::move(work));
    }
    m_has_changed.notify_all();
}

Result<std::vector<Judged>> Batches::take() {
    std::unique_lock lock(m_mutex);
    m_has_changed.wait(lock, [&] { return m_works.front()->judged.has_value(); });
    Result<std::vector<Judged>> made = *std::move(m_works.front()->judged);
    m_works.pop_front();
    return made;
}

Batches::Work* Batches::next_work() {
    for (const auto& work : m_works) {
        if (!work->is_begun) return work.get();
    }
    return nullptr;
}

void Batches::judge_with(Toolchain& toolchain) {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_has_changed.wait(lock, [&] { return m_is_ending || next_work() != nullptr; });
        if (m_is_ending) return;
        Work& work = *next_work();
        work.is_begun = true;
        lock.unlock();
        auto judged = judge(std::move(work.batch), m_options, toolchain);
        lock.lock();
        work.judged = std::move(judged);
        m_has_changed.notify_all();
    }
}

}  // namespace workbench::synth
