// SPDX-License-Identifier: MIT
// Host memory that copies to and from a GPU go through. It is ours, and a context only pins it: so it can
// still be read and written when another thread resets a GPU that was lost.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace iir2d::cuda {

class Context;

struct StagingBlock {
    // A page's start: what is pinned is whole pages.
    static constexpr std::align_val_t alignment{4096};
    // Some tenths of a millisecond over any bus: long beside the start of a copy, short beside a cancel.
    static constexpr std::size_t bytes = std::size_t{4} << 20;
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };
    std::unique_ptr<std::byte, Free> memory;
    bool pinned = false;
};

// One block, lent by a context: it goes back when this is dropped. Nothing may then be under way on it.
class StagingBuffer {
  public:
    StagingBuffer() = default;
    StagingBuffer(std::shared_ptr<Context> context, StagingBlock block)
        : m_context(std::move(context)), m_block(std::move(block)) {}
    StagingBuffer(StagingBuffer&&) noexcept = default;
    StagingBuffer& operator=(StagingBuffer&& other) noexcept {
        std::swap(m_context, other.m_context);
        std::swap(m_block, other.m_block);
        return *this;
    }
    ~StagingBuffer();

    static constexpr std::size_t size() { return StagingBlock::bytes; }
    std::byte* data() const { return m_block.memory.get(); }  // null: lent by nobody
    bool is_pinned() const { return m_block.pinned; }

  private:
    std::shared_ptr<Context> m_context;
    StagingBlock m_block;
};

}  // namespace iir2d::cuda
