// SPDX-License-Identifier: MIT
// operator new of the whole program, which can be made to fail.
#pragma once

#include <cstdint>

namespace failing_new {

enum class Who {
    nth,           // allocation number n from now on, counted from 0, by whichever thread makes it
    nth_and_later  // that one and every one after it
};

// Makes allocations fail while it lives. One at a time.
class Failure {
  public:
    Failure(Who who, std::int64_t n);
    ~Failure();
    Failure(const Failure&) = delete;
    Failure& operator=(const Failure&) = delete;
};

// Makes every allocation of threads other than the calling one fail while it lives. One at a time.
class FailureElsewhere {
  public:
    FailureElsewhere();
    ~FailureElsewhere();
    FailureElsewhere(const FailureElsewhere&) = delete;
    FailureElsewhere& operator=(const FailureElsewhere&) = delete;
};

// Allocations that failed so since the last Failure or FailureElsewhere began.
std::int64_t failed();

}  // namespace failing_new
