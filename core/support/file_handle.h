// SPDX-License-Identifier: MIT
// An open file, socket or memory of the system, closed when it goes out of scope.
#pragma once

#include <utility>

namespace workbench {

class FileHandle {
  public:
    FileHandle() = default;
    explicit FileHandle(int descriptor) : m_descriptor(descriptor) {}  // takes it over
    ~FileHandle() { close(); }
    FileHandle(FileHandle&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    FileHandle& operator=(FileHandle&& other) noexcept {
        if (this != &other) {
            close();
            m_descriptor = std::exchange(other.m_descriptor, -1);
        }
        return *this;
    }

    int get() const { return m_descriptor; }
    explicit operator bool() const { return m_descriptor >= 0; }
    int release() { return std::exchange(m_descriptor, -1); }
    // Returns 0, or the system's error number; the descriptor is given up either way.
    int close();

    // Returns a second handle of what is open, closed on exec, whose number is at least `least`. Empty, with
    // errno set, when it could not be made.
    static FileHandle duplicate(int descriptor, int least = 0);

  private:
    int m_descriptor = -1;
};

}  // namespace workbench
