// SPDX-License-Identifier: MIT
// Marker syntax: ITU-T T.81, annex B.
#include "core/image/jpeg_end.h"

#include <fstream>
#include <iterator>

namespace workbench {

bool jpeg_has_end(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    using Bytes = std::istreambuf_iterator<char>;
    Bytes at(file);
    const Bytes end;
    const auto next = [&]() -> int {
        if (at == end) return -1;
        const int byte = static_cast<unsigned char>(*at);
        ++at;
        return byte;
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
