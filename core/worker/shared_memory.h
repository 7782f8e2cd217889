// SPDX-License-Identifier: MIT
// Memory that a program and its worker both see; for pixels.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/support/error.h"
#include "core/support/file_handle.h"

namespace workbench::worker {

// One mapping, readable and writable, page-aligned, its size fixed for good: sealed against growing and
// shrinking, so that the other side can neither make an access here fail (SIGBUS) nor take more memory. It
// has no name and is gone with the last mapping and handle, however the processes end.
//
// The program creates it, once it knows the size and has checked it; the worker's system-call filter lets it
// map what it was handed, not create any. Memory that is shared can change under the reader: a program copies
// or checks what it decides on, and treats pixels as values that may be anything.
class SharedMemory {
  public:
    SharedMemory() = default;
    ~SharedMemory();
    SharedMemory(SharedMemory&&) noexcept;
    SharedMemory& operator=(SharedMemory&&) noexcept;

    // Creates zeroed memory. Pages are taken when they are first touched. device_failure when there is no
    // memory for it, or the system has no such memory; bytes of 0 is bad_argument.
    static Result<SharedMemory> create(std::size_t bytes);

    // Maps what the other side passed, after checking with the system that it is sealed memory of exactly
    // `bytes`. Takes the handle over and closes it.
    static Result<SharedMemory> map(FileHandle handle, std::size_t bytes);

    // Returns a second handle, to be passed in a frame.
    Result<FileHandle> share() const;
    // Closes the own handle: the mapping stays, share() is refused from then on. So that a thousand images
    // held in memory are not a thousand open files.
    void close_handle() { m_handle.close(); }

    std::span<std::byte> bytes() { return {m_data, m_size}; }
    std::span<const std::byte> bytes() const { return {m_data, m_size}; }
    std::byte* data() { return m_data; }
    const std::byte* data() const { return m_data; }
    std::size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }

    // Takes the pages of [offset, offset + count) now, in one call of the system, which is faster than one
    // fault a page. Only a hint: nothing happens where the system cannot.
    void take_pages(std::size_t offset, std::size_t count);

  private:
    void unmap();

    FileHandle m_handle;
    std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

}  // namespace workbench::worker
