// SPDX-License-Identifier: MIT
#include "kernels/device/cuda/staging.h"

#include "kernels/device/cuda/context.h"

namespace iir2d::cuda {

namespace {

// Blocks kept for the next runs: two blocks for each of four at once.
constexpr std::size_t most_kept = 8;

}  // namespace

StagingBuffer::~StagingBuffer() {
    if (m_context && m_block.memory) m_context->keep(std::move(m_block));
}

Result<StagingBuffer> Context::take_staging() {
    {
        const std::lock_guard lock(m_staging_mutex);
        if (!m_staging.empty()) {
            StagingBlock kept = std::move(m_staging.back());
            m_staging.pop_back();
            return StagingBuffer(shared_from_this(), std::move(kept));
        }
    }
    StagingBlock block;
    block.memory.reset(
        static_cast<std::byte*>(::operator new(StagingBlock::bytes, StagingBlock::alignment, std::nothrow)));
    if (!block.memory) {
        return std::unexpected(Error{ErrorCode::workspace_error,
                                     "there is not enough memory for the copies to and from the GPU"});
    }
    // Copies from memory that is not pinned are slower, and as right: a refusal is no failure.
    block.pinned = pin(block.memory.get(), StagingBlock::bytes).has_value();
    return StagingBuffer(shared_from_this(), std::move(block));
}

void Context::keep(StagingBlock block) {
    {
        const std::lock_guard lock(m_staging_mutex);
        // Blocks of a context that was lost stay until it goes: the driver forgets them when it is reset.
        if (m_lost || m_staging.size() < most_kept) {
            try {
                m_staging.push_back(std::move(block));
                return;
            } catch (const std::bad_alloc&) {  // called by a destructor
                if (m_lost) static_cast<void>(block.memory.release());
            }
        }
    }
    if (block.memory && block.pinned) unpin(block.memory.get());
}

}  // namespace iir2d::cuda
