// SPDX-License-Identifier: MIT
#include "core/duel/run_participant.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/benchmark/copy_probe.h"
#include "core/benchmark/preemption.h"
#include "core/benchmark/statistics.h"
#include "core/duel/own_pages.h"
#include "core/duel/page.h"

namespace workbench::duel {

namespace {

using Clock = std::chrono::steady_clock;

// Returns why there is none; empty: there is one, in `function`.
template <class Function>
std::string find_symbol(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr ? std::string() : std::string("it has no ") + name;
}

double seconds_on(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns whether the calling thread is the process's only one, as far as the system says.
bool is_only_thread() {
    std::error_code failed;
    int threads = 0;
    std::filesystem::directory_iterator thread("/proc/self/task", failed);
    for (; !failed && thread != std::filesystem::directory_iterator(); thread.increment(failed)) ++threads;
    return !failed && threads == 1;
}

// Finds threads beside the calling one: kept ones, and those that have computed since construction.
class OtherThreads {
  public:
    bool are_there() const {
        if (!is_only_thread()) return true;
        const double own = seconds_on(CLOCK_THREAD_CPUTIME_ID) - m_own;
        // The two clocks are read one after the other.
        return seconds_of_others() - m_others > 5e-6 + 0.02 * own;
    }

  private:
    static double seconds_of_others() {
        const double own = seconds_on(CLOCK_THREAD_CPUTIME_ID);
        return seconds_on(CLOCK_PROCESS_CPUTIME_ID) - own;
    }
    double m_own = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    double m_others = seconds_of_others();
};

void put(char* to, std::size_t size, std::string_view text) {
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

// A library opened by its path, and what is asked of it.
class Library {
  public:
    // Returns why it cannot be used at all; empty: it can.
    std::string open(const char* path, Page& page) {
        const auto known = loaded_objects();
        m_handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (m_handle == nullptr) {
            const char* why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): one thread
            return why != nullptr ? std::string("it could not be opened: ") + why : "it could not be opened";
        }
        // Where that cannot be, it is measured all the same, in the pages of its file.
        if (is_only_thread()) copy_to_own_pages(known);
        if (auto wrong = read_identity(page); !wrong.empty()) return wrong;
        m_last_error = reinterpret_cast<const char* (*)()>(::dlsym(m_handle, "iir2d_last_error"));
        m_status_string = reinterpret_cast<const char* (*)(int)>(::dlsym(m_handle, "iir2d_status_string"));
        return {};
    }

    // Returns why a call cannot be made; empty: it can.
    std::string find(const Call& call) {
        const std::string old = "; its C interface is " + m_version;
        switch (call.kind) {
            case CallKind::filter:
                if (auto no = find_symbol(m_handle, "iir2d_forward_cpu", m_filter); !no.empty())
                    return no + ", which filters on the CPU" + old;
                break;
            case CallKind::pool_forward:
                if (auto no = find_symbol(m_handle, "iir2d_pool_forward_cpu", m_pool_forward); !no.empty())
                    return no + old;
                break;
            case CallKind::pool_backward:
                if (auto no = find_symbol(m_handle, "iir2d_pool_backward_cpu", m_pool_backward); !no.empty())
                    return no + old;
                break;
            default:
                break;
        }
        return {};
    }

    int call(const Call& c, std::byte* memory) const {
        const std::byte* input = memory + c.input_at;
        std::byte* output = memory + c.output_at;
        const auto extra = [memory](std::uint64_t at, std::uint64_t bytes) -> const std::byte* {
            return bytes == 0 ? nullptr : memory + at;
        };
        switch (c.kind) {
            case CallKind::filter:
                return m_filter(input, output, &c.filter);
            case CallKind::pool_forward:
                return m_pool_forward(input, output, nullptr, &c.pool);
            case CallKind::pool_backward:
                return m_pool_backward(
                    input, extra(c.pooled_at, c.pooled_bytes), extra(c.upstream_at, c.upstream_bytes), output,
                    reinterpret_cast<const std::int64_t*>(extra(c.argmax_at, c.argmax_bytes)), &c.pool);
            default:
                return IIR2D_STATUS_OK;
        }
    }

    std::string why(int status) const {
        if (m_last_error != nullptr) {
            if (const char* text = m_last_error(); text != nullptr && *text != '\0') return text;
        }
        const char* text = m_status_string != nullptr ? m_status_string(status) : nullptr;
        return "the call failed with status " + std::to_string(status) +
               (text != nullptr ? std::string(" (") + text + ")" : "");
    }

  private:
    std::string read_identity(Page& page) {
        using Number = int (*)();
        Number major = nullptr;
        Number minor = nullptr;
        Number patch = nullptr;
        if (auto no = find_symbol(m_handle, "iir2d_api_version_major", major); !no.empty())
            return no + ": it is not a libiir2d with the C interface of 1.0 or newer";
        page.version[0] = major();
        page.version[1] = find_symbol(m_handle, "iir2d_api_version_minor", minor).empty() ? minor() : 0;
        page.version[2] = find_symbol(m_handle, "iir2d_api_version_patch", patch).empty() ? patch() : 0;
        m_version = std::to_string(page.version[0]) + "." + std::to_string(page.version[1]);
        if (page.version[0] != 1) return "its C interface is " + m_version + ", and 1.0 to 1.x can be called";
        const char* (*fingerprint)() = nullptr;
        if (find_symbol(m_handle, "iir2d_build_fingerprint", fingerprint).empty()) {
            if (const char* text = fingerprint(); text != nullptr) put(page.fingerprint, text_bytes, text);
        }
        return {};
    }

    void* m_handle = nullptr;
    std::string m_version;
    const char* (*m_last_error)() = nullptr;
    const char* (*m_status_string)(int) = nullptr;
    int (*m_filter)(const void*, void*, const IIR2D_Params*) = nullptr;
    int (*m_pool_forward)(const void*, void*, std::int64_t*, const IIR2D_PoolParams*) = nullptr;
    int (*m_pool_backward)(const void*, const void*, const void*, void*, const std::int64_t*,
                           const IIR2D_PoolParams*) = nullptr;
};

class Participant {
  public:
    Participant(Page& page, std::byte* memory, std::size_t bytes)
        : m_page(page), m_memory(memory), m_bytes(bytes) {}

    // Takes turns for good: the program ends the process.
    void serve() {
        for (std::uint32_t seen = 0;;) {
            while (m_page.asked.load(std::memory_order_acquire) == seen)
                sleep_while(m_page.asked, seen, std::chrono::seconds(1));
            seen = m_page.asked.load(std::memory_order_acquire);
            m_page.answer = Answer::case_failed;
            std::string wrong = m_page.command == Command::load ? load() : call();
            if (wrong.empty() && m_page.command == Command::load && !protect())
                wrong = "the memory of the others could not be closed to it";
            if (wrong.empty()) m_page.answer = Answer::done;
            put(m_page.text, text_bytes, wrong);
            m_page.answered.store(seen, std::memory_order_release);
            wake(m_page.answered);
        }
    }

  private:
    std::string load() {
        keep_to_processors();
        m_call = m_page.call;
        if (m_call.kind == CallKind::copy) {
            m_copy = std::make_unique<CopyProbe>(m_page.threads);
            return {};
        }
        if (auto wrong = m_library.open(m_page.library, m_page); !wrong.empty()) {
            m_page.answer = Answer::library_failed;
            return wrong;
        }
        return m_library.find(m_call);
    }

    // Closes to the library what is not its: the inputs may be read, the other participants' pages and
    // results may not be touched. A library that does so crashes, rather than change what the others compute.
    bool protect() {
        const auto allow = [this](std::uint64_t at, std::uint64_t bytes, int what) {
            if (bytes == 0) return true;
            const std::uint64_t first = at / plane_step * plane_step;
            const std::uint64_t end = (at + bytes + plane_step - 1) / plane_step * plane_step;
            return ::mprotect(m_memory + first, end - first, what) == 0;
        };
        // Larger pages of the system would hold planes of several.
        if (::sysconf(_SC_PAGESIZE) > static_cast<long>(plane_step)) return true;
        const auto own = static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&m_page) - m_memory);
        return allow(0, own, PROT_NONE) && allow(own + page_bytes, m_bytes - own - page_bytes, PROT_NONE) &&
               allow(m_call.input_at, m_call.input_bytes, PROT_READ) &&
               allow(m_call.upstream_at, m_call.upstream_bytes, PROT_READ) &&
               allow(m_call.pooled_at, m_call.pooled_bytes, PROT_READ) &&
               allow(m_call.argmax_at, m_call.argmax_bytes, PROT_READ) &&
               allow(m_call.output_at, m_call.output_bytes, PROT_READ | PROT_WRITE);
    }

    // Before the library is opened: it has as many threads as there are processors.
    void keep_to_processors() {
        CPU_ZERO(&m_processors);
        for (std::size_t i = 0; i < std::min<std::size_t>(most_processors, CPU_SETSIZE); ++i) {
            if ((m_page.processors[i / 64] >> (i % 64) & 1U) != 0) CPU_SET(i, &m_processors);
        }
        CPU_ZERO(&m_begin);
        if (m_page.begins_on >= 0) CPU_SET(static_cast<std::size_t>(m_page.begins_on), &m_begin);
        if (CPU_COUNT(&m_processors) > 0) ::sched_setaffinity(0, sizeof m_processors, &m_processors);
    }

    // Moves the calling thread to the processor on which samples begin. The thread may leave it: a library
    // that asks is told of all processors, and gives all of them to threads that it starts. Returns why the
    // thread cannot leave it; empty: it can.
    std::string go_to_begin() const {
        if (CPU_COUNT(&m_processors) < 2) return {};
        if (::sched_setaffinity(0, sizeof m_begin, &m_begin) != 0) return {};
        if (::sched_setaffinity(0, sizeof m_processors, &m_processors) == 0) return {};
        return "its thread was kept on one of its processors";
    }

    std::string call() {
        if (auto wrong = go_to_begin(); !wrong.empty()) return wrong;
        const OtherThreads others;
        for (int i = 0; i < m_page.untimed; ++i) {
            if (auto wrong = once(nullptr); !wrong.empty()) return wrong;
        }
        const auto before = involuntary_switches(PreemptionScope::process);
        m_times.resize(static_cast<std::size_t>(std::max(1, m_page.timed)));
        for (double& milliseconds : m_times) {
            if (auto wrong = once(&milliseconds); !wrong.empty()) return wrong;
        }
        const auto after = involuntary_switches(PreemptionScope::process);
        m_page.milliseconds = median_in_place(m_times);
        m_page.preempted = before && after && *after > *before ? 1 : 0;
        m_page.has_threads = m_page.looks_for_threads != 0 && others.are_there() ? 1 : 0;
        return {};
    }

    std::string once(double* milliseconds) {
        if (m_copy) {
            const double taken =
                m_copy->copy(std::span<const std::byte>(m_memory + m_call.input_at, m_call.input_bytes),
                             std::span(m_memory + m_call.output_at, m_call.output_bytes));
            if (milliseconds != nullptr) *milliseconds = taken;
            return {};
        }
        const auto start = Clock::now();
        const int status = m_library.call(m_call, m_memory);
        const auto end = Clock::now();
        if (status != IIR2D_STATUS_OK) return m_library.why(status);
        if (milliseconds != nullptr)
            *milliseconds = std::chrono::duration<double, std::milli>(end - start).count();
        return {};
    }

    Page& m_page;
    std::byte* m_memory;
    std::size_t m_bytes;
    Call m_call;
    Library m_library;
    std::unique_ptr<CopyProbe> m_copy;
    cpu_set_t m_processors{};
    cpu_set_t m_begin{};  // one of them
    std::vector<double> m_times;
};

template <class T>
bool read_number(std::string_view text, T& number) {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const auto [at, error] = std::from_chars(begin, end, number);
    return error == std::errc() && at == end;
}

}  // namespace

int run_participant(int argc, char** argv) {
    constexpr int bad_argument = 2;
    constexpr int lost = 1;
    std::size_t index = 0;
    std::size_t bytes = 0;
    int parent = 0;
    if (argc != 5 || !read_number(argv[2], index) || !read_number(argv[3], bytes) ||
        !read_number(argv[4], parent) || index > 64 || bytes < (index + 1) * page_bytes) {
        return bad_argument;
    }
    // Nothing of it outlives the program, which may have ended before the system was told.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) return lost;
    const rlimit no_core_file{1, 1};  // 0 would let a program that collects them start
    ::setrlimit(RLIMIT_CORE, &no_core_file);
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared_descriptor, 0);
    if (memory == MAP_FAILED) return lost;
    ::close(shared_descriptor);  // or programs that a library starts would keep the memory
    auto* first = static_cast<std::byte*>(memory);
    Participant participant(*reinterpret_cast<Page*>(first + index * page_bytes), first, bytes);
    participant.serve();
    return 0;
}

}  // namespace workbench::duel
