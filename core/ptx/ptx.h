// SPDX-License-Identifier: MIT
// Runs PTX, the text that CUDA's compilers make, on the CPU: a module is read once, its kernels run on memory
// that is given to them, and what a GPU would pass over in silence is found (races, reads of what nobody
// wrote, accesses beyond an allocation). Traffic is counted from executed instructions; nothing here is a
// time. docs/ptx.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace workbench::ptx {

struct Program;

struct ParameterInfo {
    std::string name;
    std::string type;  // as written: "u64", or "b8" of an array
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t alignment = 0;
};

struct EntryInfo {
    std::string name;
    std::uint32_t line = 0;
    std::vector<ParameterInfo> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t predicates = 0;  // registers declared, by width
    std::uint32_t registers_16 = 0;
    std::uint32_t registers_32 = 0;
    std::uint32_t registers_64 = 0;
    std::uint32_t shared_bytes = 0;  // static
    bool dynamic_shared = false;
    std::uint32_t local_bytes = 0;
    std::uint32_t instructions = 0;
    std::uint32_t most_threads = 0;               // of .maxntid; 0: no limit
    std::array<std::uint32_t, 3> required_block;  // of .reqntid; 0: none
};

struct RefusedOpcode {
    std::string name;
    std::uint32_t line = 0;
};

// A text that was read. Immutable and cheap to copy; may be used by several threads.
class Module {
  public:
    // Reads a text of at most 256 MiB. An error is bad_input and names the line. An opcode that is not
    // executed is no error here: refused() has it, and run() refuses its kernel.
    static Result<Module> parse(std::string text);

    const std::string& version() const;  // "8.7"
    const std::string& target() const;   // "sm_75"
    const std::vector<EntryInfo>& entries() const;
    const EntryInfo* entry(std::string_view name) const;          // null where there is none
    const std::map<std::string, std::uint64_t>& opcodes() const;  // how often each is in the text
    const std::vector<RefusedOpcode>& refused() const;            // in the order of the text
    std::uint64_t instructions() const;

    const Program& program() const { return *m_program; }

  private:
    std::shared_ptr<const Program> m_program;
};

// Lists every typed opcode that is executed, sorted: the lines of resources/ptx/opcodes.txt.
std::vector<std::string> executed_opcodes();

class MemoryState;

// The global memory of a device: allocations, and for each what is known of its bytes. Not thread-safe.
class Memory {
  public:
    Memory();
    ~Memory();
    Memory(Memory&&) noexcept;
    Memory& operator=(Memory&&) noexcept;

    // Makes an allocation of its own, aligned to 256 bytes, with nothing behind it, whose bytes nobody has
    // written.
    std::uint64_t allocate(std::uint64_t bytes);
    // Lets kernels reach bytes of the caller's at an address of the caller's. `written`: they hold values.
    void attach(std::uint64_t address, std::span<std::byte> bytes, bool written);
    void detach(std::uint64_t address);
    // Returns the bytes at an address, which must lie in one allocation; empty where they do not.
    std::span<std::byte> bytes(std::uint64_t address, std::uint64_t count);
    // Says that bytes were written from outside, so that reading them is no finding.
    void mark_written(std::uint64_t address, std::uint64_t count);
    // Forgets whether bytes were written, as of fresh memory.
    void mark_fresh(std::uint64_t address, std::uint64_t count);

    MemoryState& state() { return *m_state; }

  private:
    std::unique_ptr<MemoryState> m_state;
};

enum class FindingKind : std::uint8_t {
    out_of_bounds,
    misaligned,
    uninitialised,
    race,
    barrier,
    deadlock,
    bad_mask,
    divide_by_zero,
    shared_limit,
    no_end,
    trap,
};
std::string_view name_of(FindingKind kind);

struct Finding {
    FindingKind kind = FindingKind::trap;
    std::string kernel;
    std::uint32_t line = 0;         // in the PTX
    std::uint32_t source_line = 0;  // by .loc; 0: not known
    std::array<std::uint32_t, 3> block{};
    std::array<std::uint32_t, 3> thread{};
    std::string space;  // of the address; empty where there is none
    std::uint64_t address = 0;
    std::string message;  // one sentence that names the kernel, the line and the thread
};

// Says what an instruction does, for the counts.
enum class Kind : std::uint8_t {
    integer,
    f32,
    f64,
    half,
    convert,
    compare,
    move,
    memory,
    control,
    sync,
    atomic,
    special,
};
constexpr int kinds = 12;
std::string_view name_of(Kind kind);

struct GlobalTraffic {
    std::uint64_t requests = 0;  // warp instructions
    std::uint64_t sectors = 0;   // of 32 bytes, distinct within an instruction
    std::uint64_t distinct = 0;  // of 32 bytes, distinct within the launch
};

struct Counts {
    std::uint64_t warp_instructions = 0;
    std::uint64_t lane_instructions = 0;
    std::array<std::uint64_t, kinds> by_kind{};  // lane instructions
    GlobalTraffic global_loads;
    GlobalTraffic global_stores;
    std::uint64_t shared_requests = 0;
    std::uint64_t shared_wavefronts = 0;
    std::uint64_t barriers = 0;    // warp instructions, as are the next two
    std::uint64_t warp_syncs = 0;  // bar.warp.sync
    std::uint64_t divergent_branches = 0;
    std::uint64_t atomics = 0;  // lane operations
};

enum class Checks : std::uint8_t {
    bounds,  // all but the next
    all,     // races and reads of what nobody wrote too
};

struct Launch {
    std::string kernel;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint32_t shared_bytes = 0;  // dynamic
    std::span<const std::byte> parameters;
    std::uint64_t seed = 0;              // 0: blocks, warps and diverged lanes in rising order
    std::uint64_t budget = 500'000'000;  // warp instructions, after which a launch is said to have no end
    Checks checks = Checks::all;
    std::uint32_t shared_limit = 48U << 10;  // static and dynamic together
    std::stop_token stop = {};               // looked at between turns of warps
};

constexpr std::size_t most_findings = 100;

struct Outcome {
    std::vector<Finding> findings;  // the first most_findings
    std::uint64_t findings_total = 0;
    bool is_complete = true;  // false: a finding has ended it
    Counts counts;
};

// Runs a kernel to its end, or to a finding after which there is none. bad_argument for a kernel that is not
// there, a shape no GPU takes or parameters of another size; bad_input for a kernel with a refused opcode;
// cancelled where `stop` asked.
Result<Outcome> run(const Module& module, const Launch& launch, Memory& memory);

// Says which loops run: "AVX2" or "baseline". IIR2D_PTX_TARGET=baseline in the environment chooses the
// second.
std::string_view loops_target();

}  // namespace workbench::ptx
