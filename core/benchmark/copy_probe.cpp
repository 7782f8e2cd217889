// SPDX-License-Identifier: MIT
#include "core/benchmark/copy_probe.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__SSE2__) || defined(_M_X64)
#define WORKBENCH_STREAMING_STORES 1
#include <emmintrin.h>
#endif

namespace workbench {

namespace {

constexpr std::size_t line_bytes = 64;

// The part of `bytes` that one of `parts` workers takes: whole cache lines, so that no line is shared.
std::span<const std::byte> part_of(std::span<const std::byte> bytes, std::size_t part, std::size_t parts) {
    const std::size_t lines = (bytes.size() + line_bytes - 1) / line_bytes;
    const std::size_t begin = std::min(lines * part / parts * line_bytes, bytes.size());
    const std::size_t end = std::min(lines * (part + 1) / parts * line_bytes, bytes.size());
    return bytes.subspan(begin, end - begin);
}

std::span<std::byte> part_of(std::span<std::byte> bytes, std::size_t part, std::size_t parts) {
    const std::span<const std::byte> mine = part_of(std::span<const std::byte>(bytes), part, parts);
    return bytes.subspan(static_cast<std::size_t>(mine.data() - bytes.data()), mine.size());
}

#if defined(WORKBENCH_STREAMING_STORES)

// Copies with stores that go past the caches. The two have one size.
void stream_copy(std::span<const std::byte> from, std::span<std::byte> to) {
    if (to.empty()) return;
    std::size_t i = 0;
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to.data()) % 16;
    if (misaligned != 0) {
        i = std::min(16 - misaligned, to.size());
        std::memcpy(to.data(), from.data(), i);
    }
    for (; i + line_bytes <= to.size(); i += line_bytes) {
        const auto* source = reinterpret_cast<const __m128i*>(from.data() + i);
        auto* target = reinterpret_cast<__m128i*>(to.data() + i);
        const __m128i a = _mm_loadu_si128(source);
        const __m128i b = _mm_loadu_si128(source + 1);
        const __m128i c = _mm_loadu_si128(source + 2);
        const __m128i d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    std::memcpy(to.data() + i, from.data() + i, to.size() - i);
    _mm_sfence();
}

// Reads every cache line; the result only keeps the compiler from leaving the loads out.
std::uint64_t read_all(std::span<const std::byte> from) {
    if (from.empty()) return 0;
    __m128i sum = _mm_setzero_si128();
    std::size_t i = 0;
    for (; i + line_bytes <= from.size(); i += line_bytes) {
        const auto* source = reinterpret_cast<const __m128i*>(from.data() + i);
        const __m128i ab = _mm_xor_si128(_mm_loadu_si128(source), _mm_loadu_si128(source + 1));
        const __m128i cd = _mm_xor_si128(_mm_loadu_si128(source + 2), _mm_loadu_si128(source + 3));
        sum = _mm_xor_si128(sum, _mm_xor_si128(ab, cd));
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, from.data() + i, std::min(sizeof rest, from.size() - i));
    std::uint64_t low = 0;
    std::memcpy(&low, &sum, sizeof low);
    return low ^ rest;
}

#else

void stream_copy(std::span<const std::byte> from, std::span<std::byte> to) {
    if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
}

std::uint64_t read_all(std::span<const std::byte> from) {
    if (from.empty()) return 0;
    std::uint64_t sum = 0;
    std::size_t i = 0;
    for (; i + sizeof sum <= from.size(); i += sizeof sum) {
        std::uint64_t value = 0;
        std::memcpy(&value, from.data() + i, sizeof value);
        sum ^= value;
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, from.data() + i, from.size() - i);
    return sum ^ rest;
}

#endif

// Where read_all's results go, so that they are used.
std::atomic<std::uint64_t> read_sink{0};

}  // namespace

void read_once(std::span<const std::byte> from) {
    read_sink.fetch_xor(read_all(from), std::memory_order_relaxed);
}

namespace {

// Unequal sizes: alternates between reading a block and writing its share, so that both directions are busy
// all the time, as they are in an operation that changes the size.
void stream_unequal(std::span<const std::byte> from, std::span<std::byte> to) {
    constexpr std::size_t block = 16384;
    const std::size_t blocks = std::max<std::size_t>(1, std::max(from.size(), to.size()) / block);
    std::uint64_t seen = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::span<const std::byte> source = part_of(from, b, blocks);
        std::span<std::byte> target = part_of(to, b, blocks);
        const std::size_t copied = std::min(source.size(), target.size());
        stream_copy(source.first(copied), target.first(copied));
        seen ^= read_all(source.subspan(copied));
        // A larger output is filled from the same block again and again; there is no more to read.
        for (target = target.subspan(copied); !target.empty() && copied > 0;) {
            const std::size_t again = std::min(copied, target.size());
            stream_copy(source.first(again), target.first(again));
            target = target.subspan(again);
        }
    }
    read_sink.fetch_xor(seen, std::memory_order_relaxed);
}

}  // namespace

std::string_view copy_method(iir2d::Backend backend) {
    if (backend == iir2d::Backend::cuda)
        return "within the GPU's memory (cuMemcpy2DAsync), by the GPU's clock";
#if defined(WORKBENCH_STREAMING_STORES)
    return "non-temporal stores (SSE2)";
#else
    return "memcpy (no non-temporal stores in this build)";
#endif
}

// Workers sleep on `wake` until a measurement is announced, report themselves ready and spin for the few
// microseconds until `go`: then all start together.
struct CopyProbe::Impl {
    using Part = std::function<void(std::size_t part, std::size_t parts)>;

    std::mutex mutex;
    std::condition_variable wake;
    std::uint64_t announced = 0;  // guarded by mutex
    bool closing = false;         // guarded by mutex
    const Part* part = nullptr;   // set before `announced`
    std::atomic<std::size_t> ready{0};
    std::atomic<std::uint64_t> go{0};
    std::atomic<std::size_t> done{0};
    std::size_t count;  // workers, the caller included
    std::vector<std::jthread> workers;

    explicit Impl(int threads) : count(static_cast<std::size_t>(std::max(1, threads))) {
        workers.reserve(count - 1);
        try {
            for (std::size_t i = 1; i < count; ++i) workers.emplace_back([this, i] { work(i); });
        } catch (...) {
            close();  // else those that there are would be waited for in vain
            throw;
        }
    }

    ~Impl() { close(); }

    void close() {
        {
            const std::scoped_lock lock(mutex);
            closing = true;
        }
        wake.notify_all();
    }

    void work(std::size_t index) {
        for (std::uint64_t seen = 0;;) {
            {
                std::unique_lock lock(mutex);
                wake.wait(lock, [&] { return closing || announced != seen; });
                if (closing) return;
                seen = announced;
            }
            ready.fetch_add(1, std::memory_order_release);
            while (go.load(std::memory_order_acquire) != seen) std::this_thread::yield();
            (*part)(index, count);
            done.fetch_add(1, std::memory_order_release);
        }
    }

    double measure(const Part& body) {
        using Clock = std::chrono::steady_clock;
        std::uint64_t round = 0;
        {
            const std::scoped_lock lock(mutex);
            ready.store(0, std::memory_order_relaxed);
            done.store(0, std::memory_order_relaxed);
            part = &body;
            round = ++announced;
        }
        wake.notify_all();
        while (ready.load(std::memory_order_acquire) != count - 1) std::this_thread::yield();

        const auto start = Clock::now();
        go.store(round, std::memory_order_release);
        body(0, count);
        while (done.load(std::memory_order_acquire) != count - 1) std::this_thread::yield();
        const auto end = Clock::now();
        return std::chrono::duration<double, std::milli>(end - start).count();
    }
};

CopyProbe::CopyProbe(int threads) : m_impl(std::make_unique<Impl>(threads)) {}
CopyProbe::~CopyProbe() = default;

double CopyProbe::copy(std::span<const std::byte> from, std::span<std::byte> to) {
    return m_impl->measure([&](std::size_t part, std::size_t parts) {
        const std::span<const std::byte> source = part_of(from, part, parts);
        const std::span<std::byte> target = part_of(to, part, parts);
        if (source.size() == target.size()) {
            stream_copy(source, target);
        } else {
            stream_unequal(source, target);
        }
    });
}

double CopyProbe::plain_memcpy(std::span<const std::byte> from, std::span<std::byte> to) {
    const std::size_t size = std::min(from.size(), to.size());
    return m_impl->measure([&](std::size_t part, std::size_t parts) {
        const std::span<const std::byte> source = part_of(from.first(size), part, parts);
        if (source.empty()) return;
        std::memcpy(part_of(to.first(size), part, parts).data(), source.data(), source.size());
    });
}

}  // namespace workbench
