// SPDX-License-Identifier: MIT
#include "tests/gpu/executor/block_runner.h"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/sanitized.h"

#if IIR2D_ADDRESS_SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace gpu_test {

namespace {

namespace context = boost::context;
using iir2d::gpu::Block;
using iir2d::gpu::warp_lanes;

constexpr std::size_t stack_bytes = 256 * 1024;
// What every GPU of the product lets a block have without asking for more.
constexpr unsigned most_shared_bytes = 48 * 1024;
// As floats, doubles and indices alike this stands out: a NaN, and no index of anything.
constexpr unsigned char poison = 0xff;
constexpr std::size_t red_zone = 256;

// A block's shared memory with poison in it and a zone behind it that nobody may touch.
class SharedMemory {
  public:
    explicit SharedMemory(std::size_t bytes)
        : m_bytes(bytes), m_memory(new Chunk[(bytes + red_zone) / 16 + 1]) {
        std::memset(data() + m_bytes, poison, red_zone);
#if IIR2D_ADDRESS_SANITIZED
        __asan_poison_memory_region(data() + m_bytes, red_zone);
#endif
    }
    ~SharedMemory() {
        unpoison();
    }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    unsigned char* data() {
        return m_memory[0].bytes;
    }
    void start_block() {
        std::memset(data(), poison, m_bytes);
    }
    void check() {
        unpoison();
        const unsigned char* zone = data() + m_bytes;
        if (std::any_of(zone, zone + red_zone, [](unsigned char c) { return c != poison; })) {
            throw std::runtime_error("a kernel wrote beyond its shared memory of " + std::to_string(m_bytes) +
                                     " bytes");
        }
    }

  private:
    struct alignas(16) Chunk {
        unsigned char bytes[16];
    };
    void unpoison() {
#if IIR2D_ADDRESS_SANITIZED
        __asan_unpoison_memory_region(data() + m_bytes, red_zone);
#endif
    }
    std::size_t m_bytes;
    std::unique_ptr<Chunk[]> m_memory;
};

// Tells AddressSanitizer that execution is about to move to another stack, and that it has.
void before_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                   [[maybe_unused]] std::size_t bytes) {
#if IIR2D_ADDRESS_SANITIZED
    __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
#endif
}
void after_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** bottom,
                  [[maybe_unused]] std::size_t* bytes) {
#if IIR2D_ADDRESS_SANITIZED
    __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
#endif
}

// A stack that outlives its fiber, to be used by the next block's.
class Stack {
  public:
    Stack() : m_memory(new unsigned char[stack_bytes]) {}
    const void* bottom() const { return m_memory.get(); }
    // As Boost.Context asks of an allocator of stacks.
    struct Lender {
        unsigned char* memory;
        context::stack_context allocate() {
            context::stack_context stack;
            stack.size = stack_bytes;
            stack.sp = memory + stack_bytes;
            return stack;
        }
        void deallocate(context::stack_context&) {}
    };
    Lender lend() { return {m_memory.get()}; }

  private:
    std::unique_ptr<unsigned char[]> m_memory;
};

// Thrown in a warp whose block has failed elsewhere.
struct Abandoned {};

// The warps of a block. Each runs until it waits at a barrier or ends; a round is over when all have.
class Warps {
  public:
    Warps(std::size_t count, std::mt19937_64* engine) : m_engine(engine), m_warps(count), m_order(count) {
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    }

    void run_block(const std::function<void(int warp)>& body) {
        m_abandon = false;
        for (std::size_t w = 0; w < m_warps.size(); ++w) start(w, body);
        for (;;) {
            if (m_engine != nullptr) std::shuffle(m_order.begin(), m_order.end(), *m_engine);
            for (const std::size_t w : m_order) resume(m_warps[w]);
            const auto done = static_cast<std::size_t>(std::ranges::count_if(m_warps, &Warp::done));
            if (m_failure) {
                abandon();
                std::rethrow_exception(std::exchange(m_failure, nullptr));
            }
            if (done == m_warps.size()) return;
            if (done != 0) {
                abandon();
                throw std::runtime_error("a warp left the kernel while others wait at a barrier");
            }
        }
    }

    // Called by the warp itself.
    static void wait(void* self, int w) {
        auto& warps = *static_cast<Warps*>(self);
        Warp& warp = warps.m_warps[static_cast<std::size_t>(w)];
        before_switch(&warp.fake_stack, warps.m_home_bottom, warps.m_home_bytes);
        warp.home = std::move(warp.home).resume();
        after_switch(warp.fake_stack, &warps.m_home_bottom, &warps.m_home_bytes);
        if (warps.m_abandon) throw Abandoned{};
    }

  private:
    struct Warp {
        Stack stack;
        context::fiber fiber;
        context::fiber home;  // whoever resumed this one
        bool done = true;
        void* fake_stack = nullptr;
    };

    void start(std::size_t w, const std::function<void(int warp)>& body) {
        Warp& warp = m_warps[w];
        warp.done = false;
        warp.fiber = context::fiber(std::allocator_arg, warp.stack.lend(),
                                    [this, &warp, w, &body](context::fiber&& home) {
                                        after_switch(nullptr, &m_home_bottom, &m_home_bytes);
                                        warp.home = std::move(home);
                                        run_warp(w, body);
                                        warp.done = true;
                                        before_switch(nullptr, m_home_bottom, m_home_bytes);
                                        return std::move(warp.home);
                                    });
    }

    void run_warp(std::size_t w, const std::function<void(int warp)>& body) {
        if (m_abandon) return;
        try {
            body(static_cast<int>(w));
        } catch (const Abandoned&) {
        } catch (...) {
            m_failure = std::current_exception();
        }
    }

    void resume(Warp& warp) {
        void* fake_stack = nullptr;
        before_switch(&fake_stack, warp.stack.bottom(), stack_bytes);
        warp.fiber = std::move(warp.fiber).resume();
        after_switch(fake_stack, nullptr, nullptr);
    }

    void abandon() {
        m_abandon = true;
        for (Warp& warp : m_warps) {
            if (!warp.done) resume(warp);
        }
    }

    std::mt19937_64* m_engine;
    std::exception_ptr m_failure;
    bool m_abandon = false;
    const void* m_home_bottom = nullptr;
    std::size_t m_home_bytes = 0;
    std::vector<Warp> m_warps;
    std::vector<std::size_t> m_order;
};

void check_shape(const LaunchShape& shape, unsigned most_threads) {
    const auto refuse = [](const std::string& why) {
        throw std::runtime_error("a GPU would refuse this launch: " + why);
    };
    const auto& [grid, block, shared] = shape;
    if (grid[1] != 1 || grid[2] != 1 || block[1] != 1 || block[2] != 1) refuse("it is not one-dimensional");
    if (grid[0] == 0 || grid[0] > 0x7fffffffU) refuse("it has " + std::to_string(grid[0]) + " blocks");
    if (block[0] == 0 || block[0] % warp_lanes != 0 || block[0] > most_threads) {
        refuse("blocks of " + std::to_string(block[0]) + " threads, of at most " +
               std::to_string(most_threads) + " in whole warps");
    }
    if (shared > most_shared_bytes) refuse(std::to_string(shared) + " bytes of shared memory");
}

// Where i comes in a shuffled order of `count`, without a list of them: a walk by a step that shares no
// factor.
class BlockOrder {
  public:
    BlockOrder(std::uint64_t count, std::mt19937_64* engine) : m_count(count) {
        if (engine == nullptr) return;
        m_first = (*engine)() % count;
        do {
            m_step = (*engine)() % count + 1;
        } while (std::gcd(m_step, count) != 1);
    }
    std::int64_t operator[](std::uint64_t i) const {
        return static_cast<std::int64_t>((m_first + i * m_step) % m_count);
    }

  private:
    std::uint64_t m_count;
    std::uint64_t m_first = 0;
    std::uint64_t m_step = 1;
};

}  // namespace

ExecutorOptions options_from_environment() {
    const char* seed = std::getenv("IIR2D_EXECUTOR_SEED");
    return {.seed = seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0};
}

void run_blocks(const LaunchShape& shape, unsigned most_threads, const ExecutorOptions& options,
                const std::function<void(const Block&)>& body) {
    check_shape(shape, most_threads);
    const int warps = static_cast<int>(shape.block[0] / warp_lanes);
    std::mt19937_64 engine(options.seed);
    std::mt19937_64* shuffle = options.seed != 0 ? &engine : nullptr;
    SharedMemory shared(shape.shared_bytes);
    Warps fibers(warps > 1 ? static_cast<std::size_t>(warps) : 0, shuffle);
    const BlockOrder order(shape.grid[0], shuffle);
    for (std::uint64_t i = 0; i < shape.grid[0]; ++i) {
        shared.start_block();
        if (warps == 1) {  // waits for nobody
            body(Block(
                order[i], 0, 1, shared.data(), [](void*, int) {}, nullptr));
            continue;
        }
        fibers.run_block(
            [&](int w) { body(Block(order[i], w, warps, shared.data(), Warps::wait, &fibers)); });
    }
    shared.check();
}

}  // namespace gpu_test
