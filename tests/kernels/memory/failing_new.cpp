// SPDX-License-Identifier: MIT
#include "tests/kernels/memory/failing_new.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

enum class Mode { off, nth, nth_and_later, elsewhere };

std::atomic<Mode> mode{Mode::off};
std::atomic<std::int64_t> left{0};
std::atomic<std::int64_t> failures{0};
thread_local bool is_caller = false;

bool fails() {
    const Mode now = mode.load();
    if (now == Mode::off) return false;
    bool fail = now == Mode::elsewhere && !is_caller;
    if (now == Mode::nth) fail = left.fetch_sub(1) == 0;
    if (now == Mode::nth_and_later) fail = left.fetch_sub(1) <= 0;
    if (fail) failures.fetch_add(1);
    return fail;
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (fails()) throw std::bad_alloc();
    size = std::max<std::size_t>(size, 1);
    void* memory = alignment == 0
                       ? std::malloc(size)
                       : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t size) {
    return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace failing_new {

Failure::Failure(Who who, std::int64_t n) {
    failures = 0;
    left = n;
    mode = who == Who::nth ? Mode::nth : Mode::nth_and_later;
}
Failure::~Failure() {
    mode = Mode::off;
}

FailureElsewhere::FailureElsewhere() {
    failures = 0;
    is_caller = true;
    mode = Mode::elsewhere;
}
FailureElsewhere::~FailureElsewhere() {
    mode = Mode::off;
    is_caller = false;
}

std::int64_t failed() {
    return failures.load();
}

}  // namespace failing_new
