// SPDX-License-Identifier: MIT
// A program as it is executed: decoded once, compact, with registers as places in a frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/ptx/ptx.h"
#include "core/ptx/types.h"

namespace workbench::ptx {

struct Instruction;

// Registers are aliased freely: a 64-bit one may be read as two halves.
using Word [[gnu::may_alias]] = std::uint32_t;
using Wide [[gnu::may_alias]] = std::uint64_t;

// Computes one instruction for the lanes of a mask. A frame is words: a register of up to 32 bits is 32 of
// them, one of 64 bits is 64, a predicate is one, of a bit for each lane. Lanes outside the mask are left as
// they are.
using LaneFunction = void (*)(Word* frame, const Instruction& instruction, std::uint32_t mask);

// Says how the executor runs an instruction.
enum class Handler : std::uint8_t {
    loop,          // calls the lane function
    rounded_loop,  // calls it in another rounding mode
    divide,        // looks for zero divisors first
    load,
    store,
    load_parameter,  // a kernel's, the same for every lane
    atomic,
    reduction,  // atomic without a result
    fence,
    branch,
    branch_indexed,
    call,
    ret,
    exit,
    trap,
    barrier,
    barrier_arrive,
    barrier_reduce,
    warp_sync,
    shuffle,
    vote,
    match_any,
    match_all,
    active_mask,
    reduce_sync,
    clock,
    to_space,  // cvta and cvta.to
    is_space,
    refused,
};

enum class Rounding : std::uint8_t { nearest, zero, minus, plus };

enum class AtomicOp : std::uint8_t {
    add,
    minimum,
    maximum,
    bit_and,
    bit_or,
    bit_xor,
    exchange,
    compare,
    increment,
    decrement
};

// Flags of an instruction, by handler.
constexpr std::uint16_t flag_ftz = 1;
constexpr std::uint16_t flag_saturate = 2;
constexpr std::uint16_t flag_integral = 4;   // cvt: .rni and the like
constexpr std::uint16_t flag_nan = 8;        // min, max: a NaN wins
constexpr std::uint16_t flag_negate_c = 16;  // setp: the third is negated
constexpr std::uint16_t flag_relu = 32;
constexpr std::uint16_t flag_aligned = 64;      // barrier: every lane of a warp comes at once
constexpr std::uint16_t flag_has_count = 128;   // barrier: the number of threads is an operand
constexpr std::uint16_t flag_to_space = 256;    // cvta.to
constexpr std::uint16_t flag_weak_shift = 512;  // bfind.shiftamt
constexpr std::uint16_t flag_shift_wraps = 1024;
constexpr std::uint16_t flag_atomic = 2048;  // ld, st: .relaxed, .acquire, .release
constexpr std::uint16_t flag_beyond = 4096;  // ld.param: not all within the parameter that it names

constexpr std::uint32_t no_operand = 0xffffffffU;

struct Instruction {
    LaneFunction run = nullptr;
    std::uint32_t d = no_operand;  // places in the frame, in words
    std::uint32_t d2 = no_operand;
    std::uint32_t a = no_operand;
    std::uint32_t b = no_operand;
    std::uint32_t c = no_operand;
    std::uint32_t e = no_operand;      // a fourth source
    std::uint32_t guard = no_operand;  // a predicate
    std::uint32_t line = 0;
    std::uint32_t extra = 0;     // a branch's target, a row of a table of the program's
    std::int64_t immediate = 0;  // added to an address; lop3's table
    Handler handler = Handler::refused;
    Kind kind = Kind::special;
    Type type = Type::none;
    Type type2 = Type::none;
    std::uint16_t flags = 0;
    Space space = Space::generic;
    Rounding rounding = Rounding::nearest;
    std::uint8_t vector = 1;   // elements of ld, st
    std::uint8_t width_d = 4;  // bytes of the destination register: 2, 4 or 8
    std::uint8_t width_a = 4;  // bytes of the address register, or of the source's
    std::uint8_t op = 0;       // which, where one handler or function has several
    std::uint8_t op2 = 0;
    bool guard_negated = false;
};

// A range of a space that a variable takes.
struct Extent {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

// Registers that hold the same value for all of a launch, block or warp: %tid and so on, filled in by name.
enum class Special : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_smem_size,
    total_smem_size,
    smid,
    nsmid,
    gridid,
};

struct Constant {
    std::uint64_t value = 0;
    std::uint32_t place = 0;
    bool wide = false;
    enum class Relative : std::uint8_t {
        no,
        entry_shared,
        dynamic_shared,
        local,
        global
    } relative = Relative::no;
    std::uint32_t variable = 0;  // of global: which
};

struct Function {
    std::string name;
    std::uint32_t line = 0;
    bool is_entry = false;
    bool is_defined = false;
    std::uint32_t begin = 0;  // instructions
    std::uint32_t end = 0;
    std::uint32_t frame_words = 0;
    std::uint32_t true_place = 0;                             // a predicate that is always set
    std::vector<Constant> constants;                          // kept in the frame
    std::vector<std::pair<Special, std::uint32_t>> specials;  // and their places
    std::uint32_t param_bytes = 0;                            // of a lane's function parameters
    std::vector<Extent> local;                                // variables, from the activation's base on
    std::uint32_t local_bytes = 0;
    std::vector<Extent> shared;  // static variables of the function itself, from the module's end on
    std::uint32_t shared_bytes = 0;
    std::uint32_t shared_used_bytes = 0;  // without guards
    bool dynamic_shared = false;
    std::map<std::uint32_t, std::uint32_t> module_shared;  // variables of the module it names: offset, bytes
    std::size_t info = 0;                                  // entries: in Program::entries
    bool refused = false;
    std::uint32_t refused_at = 0;  // in Program::refused

    // Says where the body of a .func finds its formal parameters.
    struct Formal {
        bool in_register = false;
        std::uint32_t place = 0;  // in the frame, or in the lane's parameters
        std::uint32_t bytes = 0;
    };
    std::vector<Formal> results;
    std::vector<Formal> arguments;
};

struct CallSite {
    std::uint32_t function = 0;
    std::vector<Function::Formal> results;  // places of the caller's
    std::vector<Function::Formal> arguments;
};

struct GlobalVariable {
    std::string name;
    std::uint32_t bytes = 0;
    std::uint32_t alignment = 0;
    std::vector<std::byte> initial;  // empty: zeros
    struct Address {                 // of another variable, written at `offset`
        std::uint32_t offset = 0;
        std::uint32_t variable = 0;
        std::int64_t added = 0;
        Space space = Space::global;
        bool generic = false;
    };
    std::vector<Address> addresses;
};

struct VectorPlaces {
    std::array<std::uint32_t, 8> place;
    std::array<std::uint8_t, 8> width;
};

struct Program {
    std::uint64_t serial = 0;  // no other program of the process has it, not even one read later
    std::string text;
    std::string version;
    std::string target;
    std::vector<Instruction> code;
    std::vector<std::uint32_t> source_lines;  // of each instruction; 0: not known
    std::vector<Function> functions;
    std::vector<CallSite> calls;
    std::vector<std::vector<std::uint32_t>> branch_tables;
    std::vector<VectorPlaces> vectors;
    std::vector<std::byte> constants;  // the .const space
    std::vector<Extent> constant_extents;
    std::vector<GlobalVariable::Address> constant_addresses;
    std::vector<GlobalVariable> globals;
    std::vector<Extent> shared;  // static variables of the module
    std::uint32_t shared_bytes = 0;
    std::uint32_t shared_used_bytes = 0;
    std::vector<EntryInfo> entries;
    std::map<std::string, std::uint64_t> opcodes;
    std::vector<RefusedOpcode> refused;
};

// Generic addresses: global ones are themselves, the other spaces lie in windows that no host's memory is in.
constexpr std::uint64_t window_mask = 0xffULL << 56U;
constexpr std::uint64_t shared_window = 0xA1ULL << 56U;
constexpr std::uint64_t local_window = 0xA2ULL << 56U;
constexpr std::uint64_t constant_window = 0xA3ULL << 56U;
constexpr std::uint64_t param_window = 0xA4ULL << 56U;
// In the space of parameters those of functions lie beyond the kernel's.
constexpr std::uint64_t function_parameters = 1ULL << 24U;

}  // namespace workbench::ptx
