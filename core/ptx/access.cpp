// SPDX-License-Identifier: MIT
// Loads and stores: where lanes reach, and moving bytes between registers and memory.
#include <algorithm>
#include <cstring>
#include <string>

#include "core/ptx/machine.h"

namespace workbench::ptx {

namespace {

std::uint64_t window_of(Space space) {
    switch (space) {
        case Space::shared:
            return shared_window;
        case Space::local:
            return local_window;
        case Space::constant:
            return constant_window;
        case Space::param:
            return param_window;
        default:
            return 0;
    }
}

Space space_at(std::uint64_t address) {
    for (const Space space : {Space::shared, Space::local, Space::constant, Space::param}) {
        if ((address & window_mask) == window_of(space)) return space;
    }
    return Space::global;
}

std::uint64_t sign_extended(std::uint64_t value, unsigned bytes) {
    const unsigned shift = 64 - 8 * bytes;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
}

std::uint64_t read_bytes(const std::byte* from, unsigned bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    return value;
}

std::string text_of(std::uint64_t address) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string made;
    do {
        made.insert(made.begin(), digits[address % 16]);
        address /= 16;
    } while (address != 0);
    return "0x" + made;
}

}  // namespace

bool Machine::in_shared(std::uint64_t offset, unsigned bytes) {
    if (offset >= m_last_extent.begin && offset < m_last_extent.end && bytes <= m_last_extent.end - offset)
        return true;
    for (const Extent& extent : m_shared_extents) {
        if (offset < extent.begin || offset >= extent.end || bytes > extent.end - offset) continue;
        m_last_extent = extent;
        return true;
    }
    return false;
}

// Whether bytes of the kernel's parameters lie in one of them.
bool Machine::in_parameter(std::uint64_t offset, unsigned bytes) {
    const auto is_in = [&](std::uint64_t begin, std::uint64_t size) {
        return offset >= begin && offset - begin < size && bytes <= size - (offset - begin);
    };
    if (is_in(m_last_parameter.begin, m_last_parameter.end - m_last_parameter.begin)) return true;
    for (const ParameterInfo& parameter : m_program.entries[m_entry.info].parameters) {
        if (!is_in(parameter.offset, parameter.bytes)) continue;
        m_last_parameter = {parameter.offset, parameter.offset + parameter.bytes};
        return true;
    }
    return false;
}

bool Machine::in_local(const Group& group, std::uint64_t offset, unsigned bytes) const {
    for (const Activation* in = group.in; in != nullptr; in = in->parent) {
        for (const Extent& extent : m_program.functions[in->function].local) {
            const std::uint64_t begin = std::uint64_t{in->local_base} + extent.begin;
            const std::uint64_t end = std::uint64_t{in->local_base} + extent.end;
            if (offset >= begin && offset < end && bytes <= end - offset) return true;
        }
    }
    return false;
}

// Whether each address is `stride` behind the one before.
static bool is_strided(const std::array<std::uint64_t, lanes>& address, std::uint64_t stride) {
    if (stride + (1ULL << 32U) > 1ULL << 33U) return false;  // whose multiples may go around
    std::uint64_t differs = 0;
    for (unsigned half = lanes / 2; half != 0; half /= 2) {
        for (unsigned lane = 0; lane < half; ++lane)
            differs |= address[lane + half] - address[lane] - half * stride;
    }
    return differs == 0;
}

// All lanes in one space and, in global memory, in one allocation, all aligned: then nothing is looked at
// lane by lane.
bool Machine::reach_together(const Instruction& i, std::uint32_t mask, unsigned bytes, Reach& made) {
    Space space = i.space;
    const std::uint64_t some = made.address[first_lane(mask)];
    if (space == Space::generic) space = space_at(some);
    if (space != Space::global && space != Space::shared) return false;
    const std::uint64_t window = i.space == Space::generic ? window_of(space) : 0;
    std::uint64_t least = some, most = some, bits = 0;
    made.stride = made.address[1] - made.address[0];
    made.is_strided = mask == every_lane && is_strided(made.address, made.stride);
    if (made.is_strided) {
        least = std::min(some, made.address[lanes - 1]);
        most = std::max(some, made.address[lanes - 1]);
        bits = some | made.stride;
    } else if (mask == every_lane) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const std::uint64_t address = made.address[lane];
            least = std::min(least, address);
            most = std::max(most, address);
            bits |= address;
        }
    } else {
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const std::uint64_t address = made.address[first_lane(rest)];
            least = std::min(least, address);
            most = std::max(most, address);
            bits |= address;
        }
    }
    if ((bits & (bytes - 1)) != 0 || least < window || most - least > (1ULL << 40U)) return false;
    std::byte* host = nullptr;
    std::uint64_t begin = window;
    if (space == Space::shared) {
        if (!in_shared(least - window, bytes) || most - window + bytes > m_last_extent.end) return false;
        host = m_shared.data();
    } else {
        Allocation* allocation = m_last_allocation;
        if (allocation == nullptr || least < allocation->begin || least >= allocation->end)
            allocation = m_memory.find(least);
        if (allocation == nullptr || bytes > allocation->end - least ||
            most - allocation->begin > allocation->end - allocation->begin - bytes)
            return false;
        m_last_allocation = made.allocation = allocation;
        host = allocation->host;
        begin = allocation->begin;
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
        // As numbers: lanes outside the mask may be anywhere, and nobody looks at theirs.
        made.host[lane] = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(host) +
                                                       (made.address[lane] - begin));
        made.address[lane] -= window;
    }
    made.is_one = true;
    made.space = space;
    made.mask = mask;
    return true;
}

// All lanes at one address of the kernel's parameters: a table that is read at a computed index.
bool Machine::reach_parameter(std::uint32_t mask, unsigned bytes, Reach& made) {
    const std::uint64_t address = made.address[first_lane(mask)];
    if (address >= function_parameters || address % bytes != 0 || !in_parameter(address, bytes)) return false;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        if (made.address[first_lane(rest)] != address) return false;
    }
    made.host.fill(m_parameters.data() + address);
    made.is_one = true;
    made.space = Space::param;
    made.allocation = nullptr;
    made.mask = mask;
    return true;
}

bool Machine::reach_alone(Warp& warp, const Group& group, const Instruction& i, unsigned lane, unsigned bytes,
                          Reach& made) {
    std::uint64_t address = made.address[lane];
    Space space = i.space;
    if (space == Space::generic) {
        space = space_at(address);
        address -= window_of(space);
    }
    made.address[lane] = address;
    made.spaces[lane] = space;
    made.allocations[lane] = nullptr;
    const auto outside = [&](const std::string& what) {
        report(FindingKind::out_of_bounds, warp, lane, i,
               "reaches " + std::to_string(bytes) + " bytes at " + text_of(address) + " of " +
                   std::string(name_of(space)) + " memory, " + what,
               space, address);
        return false;
    };
    if (address % bytes != 0)
        report(FindingKind::misaligned, warp, lane, i,
               "reaches " + std::to_string(bytes) + " bytes at " + text_of(address) +
                   ", which is not a multiple of " + std::to_string(bytes),
               space, address);
    std::byte* host = nullptr;
    switch (space) {
        case Space::shared:
            if (!in_shared(address, bytes)) return outside("which is in no variable");
            host = m_shared.data() + address;
            break;
        case Space::local:
            if (!in_local(group, address, bytes)) return outside("which is in no variable");
            host = warp.local.data() + std::size_t{lane} * warp.local_bytes + address;
            break;
        case Space::constant:
            if (!std::ranges::any_of(m_program.constant_extents, [&](const Extent& extent) {
                    return address >= extent.begin && address < extent.end && bytes <= extent.end - address;
                }))
                return outside("which is in no variable");
            host = m_constants.data() + address;
            break;
        case Space::param: {
            if (address >= function_parameters) {
                const std::uint32_t size = m_program.functions[group.in->function].param_bytes;
                const std::uint64_t offset = address - function_parameters;
                if (offset >= size || bytes > size - offset) return outside("which is in no parameter");
                host = group.in->parameters.data() + std::size_t{lane} * size + offset;
                break;
            }
            if ((i.flags & flag_beyond) != 0) return outside("which goes beyond the parameter that is named");
            if (!in_parameter(address, bytes)) return outside("which is in none of the kernel's parameters");
            host = m_parameters.data() + address;
            break;
        }
        default: {
            Allocation* const allocation = m_memory.find(address);
            if (allocation == nullptr) return outside("which is in no allocation");
            if (bytes > allocation->end - address) return outside("which go beyond the end of an allocation");
            made.allocations[lane] = allocation;
            host = allocation->host + (address - allocation->begin);
            break;
        }
    }
    made.host[lane] = host;
    return true;
}

void Machine::reach(Warp& warp, const Group& group, const Instruction& i, std::uint32_t mask, unsigned bytes,
                    Reach& made) {
    const Word* const frame = group.in->frame;
    const auto added = static_cast<std::uint64_t>(i.immediate);
    if (i.a == no_operand) {
        made.address.fill(added);
    } else if (i.width_a == 8) {
        const Wide* const base = reinterpret_cast<const Wide*>(frame + i.a);
        for (unsigned lane = 0; lane < lanes; ++lane) made.address[lane] = base[lane] + added;
    } else {
        for (unsigned lane = 0; lane < lanes; ++lane) made.address[lane] = frame[i.a + lane] + added;
    }
    if (reach_together(i, mask, bytes, made)) return;
    made.is_one = made.is_strided = false;
    made.mask = 0;
    if (i.space == Space::param && (i.flags & flag_beyond) == 0 && reach_parameter(mask, bytes, made)) return;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        if (reach_alone(warp, group, i, lane, bytes, made)) made.mask |= lane_bit(lane);
    }
}

void Machine::load(Warp& warp, const Group& group, const Instruction& i, std::uint32_t mask) {
    const unsigned element = bytes_of(i.type);
    const unsigned bytes = element * i.vector;
    Reach at;
    reach(warp, group, i, mask, bytes, at);
    Word* const frame = group.in->frame;
    if (m_all_checks && !(at.is_one && at.space == Space::param)) check_loads(warp, i, at, bytes);
    count(at, bytes, false);
    if (at.mask == every_lane && i.vector == 1 && i.width_d == element && element >= 4) {
        if (at.is_contiguous(4)) {
            std::memcpy(frame + i.d, at.host[0], sizeof(std::uint32_t) * lanes);
        } else if (element == 4) {
            for (unsigned lane = 0; lane < lanes; ++lane) {
                std::uint32_t value = 0;
                std::memcpy(&value, at.host[lane], 4);
                frame[i.d + lane] = value;
            }
        } else {
            Wide* const d = reinterpret_cast<Wide*>(frame + i.d);
            for (unsigned lane = 0; lane < lanes; ++lane) {
                std::uint64_t value = 0;
                std::memcpy(&value, at.host[lane], 8);
                d[lane] = value;
            }
        }
        return;
    }
    const VectorPlaces& places = m_program.vectors[i.extra];
    const bool extends = is_signed(i.type);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((mask & lane_bit(lane)) == 0) continue;
        const bool there = (at.mask & lane_bit(lane)) != 0;
        for (unsigned k = 0; k < i.vector; ++k) {
            if (places.place[k] == no_operand) continue;
            // What is nobody's reads as zero.
            std::uint64_t value = there ? read_bytes(at.host[lane] + k * element, element) : 0;
            if (extends) value = sign_extended(value, element);
            write_lane(frame, places.place[k], places.width[k], lane, value);
        }
    }
}

void Machine::store(Warp& warp, const Group& group, const Instruction& i, std::uint32_t mask) {
    const unsigned element = bytes_of(i.type);
    const unsigned bytes = element * i.vector;
    Reach at;
    reach(warp, group, i, mask, bytes, at);
    const Word* const frame = group.in->frame;
    count(at, bytes, true);
    const bool is_plain = i.vector == 1 && i.width_d == element && element >= 4;
    const auto is_only_read = [&](unsigned lane) {
        const Space space = at.space_of(lane);
        return space == Space::constant || (space == Space::param && at.address[lane] < function_parameters);
    };
    const auto reaches_only_read = [&] {  // one of the 32 lanes
        const unsigned looked_at = at.is_one ? 1U : unsigned{lanes};
        for (unsigned lane = 0; lane < looked_at; ++lane) {
            if (is_only_read(lane)) return true;
        }
        return false;
    };
    if (!m_all_checks && at.mask == every_lane && is_plain && !reaches_only_read()) {
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const std::uint64_t value = read_lane(frame, i.d, element, lane);
            std::memcpy(at.host[lane], &value, element);
        }
        if (at.allocation != nullptr && at.allocation->fresh) at.allocation->fresh = false;
        return;
    }
    const VectorPlaces& places = m_program.vectors[i.extra];
    Watch watched;
    if (m_all_checks) {
        ++m_clocks->time;
        if ((i.flags & flag_atomic) == 0) watched = watch(warp, at, bytes);
    }
    if (watched.is_simple && is_plain) {
        store_watched(warp, i, at, frame, element, watched);
        return;
    }
    for (std::uint32_t rest = at.mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        if (is_only_read(lane)) {
            report(FindingKind::out_of_bounds, warp, lane, i, "writes to memory that is only read",
                   at.space_of(lane), at.address[lane]);
            continue;
        }
        std::array<std::byte, 16> value{};
        for (unsigned k = 0; k < i.vector; ++k) {
            const std::uint64_t part = read_lane(frame, places.place[k], places.width[k], lane);
            std::memcpy(value.data() + k * element, &part, element);
        }
        if (m_all_checks) {
            check_store(warp, i, lane, at, bytes, value.data(), watched);
        } else if (Allocation* const allocation = at.allocation_of(lane)) {
            // Nobody keeps count of single bytes: they are taken to be written.
            allocation->fresh = false;
        }
        std::memcpy(at.host[lane], value.data(), bytes);
    }
}

void Machine::load_parameter(Warp& warp, const Group& group, const Instruction& i, std::uint32_t mask) {
    const unsigned element = bytes_of(i.type);
    const unsigned bytes = element * i.vector;
    const auto offset = static_cast<std::uint64_t>(i.immediate);
    if ((i.flags & flag_beyond) != 0 || !in_parameter(offset, bytes) || offset % bytes != 0)
        return load(warp, group, i, mask);  // which reports it
    Word* const frame = group.in->frame;
    const VectorPlaces& places = m_program.vectors[i.extra];
    for (unsigned k = 0; k < i.vector; ++k) {
        if (places.place[k] == no_operand) continue;
        std::uint64_t value = read_bytes(m_parameters.data() + offset + k * element, element);
        if (is_signed(i.type)) value = sign_extended(value, element);
        for (unsigned lane = 0; lane < lanes; ++lane) {
            if ((mask & lane_bit(lane)) != 0)
                write_lane(frame, places.place[k], places.width[k], lane, value);
        }
    }
}

}  // namespace workbench::ptx
