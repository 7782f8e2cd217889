// SPDX-License-Identifier: MIT
#include "core/worker/payload.h"

#include <utility>

namespace workbench::worker {

// Not in the header: inlined, GCC 12 sees an overrun in it that is not there.
void PayloadWriter::append(const void* bytes, std::size_t size) {
    m_bytes.append(static_cast<const char*>(bytes), size);
}

std::string PayloadWriter::take() {
    return std::exchange(m_bytes, {});
}

}  // namespace workbench::worker
