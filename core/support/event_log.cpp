// SPDX-License-Identifier: MIT
#include "core/support/event_log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>

namespace workbench::event_log {

namespace {

struct Line {
    std::atomic<std::uint32_t> size = 0;
    std::array<char, most_bytes> text{};
};

std::array<Line, most_lines> ring;
std::atomic<std::uint64_t> count = 0;  // lines ever added
std::mutex writing;

std::size_t time_of_day(char* text, std::size_t room) {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(system_clock::now());
    const hh_mm_ss time(now - floor<days>(now));
    const int written = std::snprintf(text, room, "%02d:%02d:%02d.%03d ", int(time.hours().count()),
                                      int(time.minutes().count()), int(time.seconds().count()),
                                      int(time.subseconds().count()));
    return std::min(room, std::size_t(std::max(written, 0)));
}

template <class Visit>
void visit_lines(Visit visit) {
    const std::uint64_t end = count.load(std::memory_order_acquire);
    for (std::uint64_t i = end > most_lines ? end - most_lines : 0; i < end; ++i) {
        const Line& line = ring[i % most_lines];
        visit(line.text.data(), std::min<std::size_t>(line.size.load(std::memory_order_acquire), most_bytes));
    }
}

}  // namespace

void add(std::string_view text) {
    const std::scoped_lock lock(writing);
    const std::uint64_t number = count.load(std::memory_order_relaxed);
    Line& line = ring[number % most_lines];
    const std::size_t start = time_of_day(line.text.data(), line.text.size());
    std::size_t size = std::min(text.size(), line.text.size() - start);
    // Not in the middle of a character.
    while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U)
        --size;
    std::ranges::transform(text.substr(0, size), line.text.begin() + std::ptrdiff_t(start),
                           [](char c) { return static_cast<unsigned char>(c) < 0x20U ? ' ' : c; });
    line.size.store(static_cast<std::uint32_t>(start + size), std::memory_order_release);
    count.store(number + 1, std::memory_order_release);
}

std::vector<std::string> lines() {
    const std::scoped_lock lock(writing);
    std::vector<std::string> all;
    visit_lines([&](const char* text, std::size_t size) { all.emplace_back(text, size); });
    return all;
}

void visit_in_signal_handler(void (*visit)(const char* text, std::size_t size)) {
    visit_lines(visit);
}

}  // namespace workbench::event_log
