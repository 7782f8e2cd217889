// SPDX-License-Identifier: MIT
#include "tests/fuzz/images/mutate.h"

#include <algorithm>
#include <array>

namespace workbench::fuzz {

namespace {

constexpr std::size_t header = 256;
constexpr std::size_t largest = 64 * 1024;  // what splicing and copying may grow a file to

std::size_t place_in(const std::string& bytes, Random& random) {
    const std::size_t size = random.below(2) == 0 ? std::min(bytes.size(), header) : bytes.size();
    return random.below(size);
}

void set_bytes(std::string& bytes, Random& random) {
    constexpr std::array<char, 4> values{'\0', '\x7f', '\x80', '\xff'};
    const std::size_t begin = place_in(bytes, random);
    const std::size_t count = std::min(bytes.size() - begin, std::size_t{1} << random.below(4));
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), count,
                values[random.below(values.size())]);
}

void flip_bits(std::string& bytes, Random& random) {
    for (std::size_t left = 1 + random.below(4); left > 0; --left) {
        char& byte = bytes[place_in(bytes, random)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random.below(8)));
    }
}

void replace_byte(std::string& bytes, Random& random) {
    bytes[place_in(bytes, random)] = static_cast<char>(random.below(256));
}

void cut(std::string& bytes, Random& random) {
    bytes.resize(1 + random.below(bytes.size()));
}

void copy_block(std::string& bytes, Random& random) {
    const std::size_t from = random.below(bytes.size());
    const std::string block = bytes.substr(from, 1 + random.below(64));
    const std::size_t to = place_in(bytes, random);
    if (random.below(2) == 0 && bytes.size() < largest) {
        bytes.insert(to, block);
    } else {
        bytes.replace(to, std::min(block.size(), bytes.size() - to), block);
    }
}

void remove_block(std::string& bytes, Random& random) {
    if (bytes.size() < 2) return;
    const std::size_t from = 1 + random.below(bytes.size() - 1);
    bytes.erase(from, 1 + random.below(32));
}

void make_extreme(std::string& bytes, Random& random) {
    constexpr std::array<std::uint32_t, 10> values{0,      1,       0x7f,       0xff,       0x7fff,
                                                   0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
    const std::uint32_t value = values[random.below(values.size())];
    const std::size_t size = random.below(2) == 0 ? 2 : 4;
    const std::size_t begin = place_in(bytes, random) / size * size;
    const bool big_endian = random.below(2) == 0;
    for (std::size_t i = 0; i < size && begin + i < bytes.size(); ++i)
        bytes[begin + i] = static_cast<char>(value >> (8 * (big_endian ? size - 1 - i : i)) & 255U);
}

void splice(std::string& bytes, std::span<const std::string> others, Random& random) {
    const std::string& other = others[random.below(others.size())];
    bytes.resize(1 + random.below(bytes.size()));
    bytes += other.substr(random.below(other.size()));
}

// Of PNG and zlib (ISO 3309): reflected, polynomial 04c11db7.
std::uint32_t checksum(std::string_view bytes) {
    std::uint32_t rest = 0xffffffffU;
    for (const char byte : bytes) {
        rest ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return ~rest;
}

std::size_t big_endian_at(const std::string& bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

}  // namespace

void repair_checksums(std::string& file) {
    if (!file.starts_with("\x89PNG\r\n\x1a\n")) return;
    constexpr std::size_t around = 12;  // length and name before a chunk's data, checksum after it
    for (std::size_t at = 8; at + around <= file.size();) {
        const std::size_t length = big_endian_at(file, at);
        if (length > file.size() - at - around) return;
        const std::uint32_t sum = checksum(std::string_view(file).substr(at + 4, length + 4));
        for (std::size_t i = 0; i < 4; ++i)
            file[at + 8 + length + i] = static_cast<char>(sum >> (8 * (3 - i)) & 255U);
        at += around + length;
    }
}

std::uint64_t Random::next() {
    std::uint64_t z = m_state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

std::size_t Random::below(std::size_t bound) {
    return static_cast<std::size_t>(next() % bound);
}

std::string mutate(std::string_view file, std::span<const std::string> others, Random& random) {
    std::string bytes(file);
    for (std::size_t left = 1 + random.below(4); left > 0; --left) {
        switch (random.below(10)) {
            case 0:
            case 1:
            case 2:
                set_bytes(bytes, random);
                break;
            case 3:
                flip_bits(bytes, random);
                break;
            case 4:
                replace_byte(bytes, random);
                break;
            case 5:
            case 6:
                make_extreme(bytes, random);
                break;
            case 7:
                copy_block(bytes, random);
                break;
            case 8:
                remove_block(bytes, random);
                break;
            default:
                if (random.below(2) == 0) {
                    cut(bytes, random);
                } else {
                    splice(bytes, others, random);
                }
        }
    }
    return bytes;
}

}  // namespace workbench::fuzz
