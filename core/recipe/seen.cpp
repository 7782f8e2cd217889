// SPDX-License-Identifier: MIT
#include "core/recipe/seen.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace workbench {

namespace {

constexpr std::size_t most_noted = 4096;

struct NotedOperations {
    std::atomic<bool> wanted{false};
    std::mutex mutex;
    std::vector<SeenOperation> all;
};

NotedOperations& noted_operations() {
    static NotedOperations one;
    return one;
}

}  // namespace

void begin_to_note_operations() {
    noted_operations().wanted = true;
}

void note_operation(const SeenOperation& seen) {
    NotedOperations& noted = noted_operations();
    if (!noted.wanted) return;
    const std::lock_guard lock(noted.mutex);
    if (noted.all.size() < most_noted) noted.all.push_back(seen);
}

std::vector<SeenOperation> take_noted_operations() {
    NotedOperations& noted = noted_operations();
    const std::lock_guard lock(noted.mutex);
    return std::exchange(noted.all, {});
}

}  // namespace workbench
