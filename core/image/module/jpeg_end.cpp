// SPDX-License-Identifier: MIT
// Marker syntax: ITU-T T.81, annex B.
#include "core/image/module/jpeg_end.h"

#include <array>
#include <cstdint>

namespace workbench {

bool jpeg_has_end(InputFile& file) {
    std::array<unsigned char, 1 << 16> buffer;
    std::size_t held = 0;
    std::size_t at = 0;
    std::int64_t offset = 0;
    const auto next = [&]() -> int {
        if (at == held) {
            held = file.pread(buffer.data(), buffer.size(), offset);
            offset += static_cast<std::int64_t>(held);
            at = 0;
            if (held == 0) return -1;
        }
        return buffer[at++];
    };
    while (true) {
        // To the next marker; in entropy-coded data FF00 is a data byte.
        int byte = next();
        while (byte != -1 && byte != 0xFF) byte = next();
        while (byte == 0xFF) byte = next();
        if (byte == -1) return false;
        if (byte == 0xD9) return true;
        const bool alone = byte == 0x00 || byte == 0x01 || (byte >= 0xD0 && byte <= 0xD8);
        if (alone) continue;
        // Every other marker's segment is skipped whole, so that what it holds is not taken for a marker.
        const int high = next();
        const int low = next();
        if (low == -1) return false;
        for (int left = high * 256 + low - 2; left > 0; --left) {
            if (next() == -1) return false;
        }
    }
}

}  // namespace workbench
