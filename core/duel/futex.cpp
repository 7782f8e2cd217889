// SPDX-License-Identifier: MIT
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "core/duel/page.h"

namespace workbench::duel {

// Not the private kind: the word is in memory that several processes map.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                 std::chrono::milliseconds most) {
    const timespec limit{.tv_sec = most.count() / 1000, .tv_nsec = most.count() % 1000 * 1'000'000};
    ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace workbench::duel
