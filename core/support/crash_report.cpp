// SPDX-License-Identifier: MIT
#include "core/support/crash_report.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <system_error>

#include "core/support/event_log.h"

// Sanitizers have handlers of their own, which say more. GCC has macros for them, Clang features.
#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define WORKBENCH_REPORTS_CRASHES
#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <mutex>
#endif

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view report_start = "crash-";
constexpr std::string_view report_end = ".txt";
constexpr std::string_view shown_end = "-shown.txt";
constexpr std::size_t most_shown = 10;

}  // namespace

#ifdef WORKBENCH_REPORTS_CRASHES
namespace {

// Everything that the handler uses is here before anything goes wrong.
struct Module {
    std::uintptr_t base = 0;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::array<char, 160> name{};
};
struct ModuleTable {
    int count = 0;
    std::array<Module, 512> modules;
};

std::array<char, 401> folder{};
std::array<char, 2001> heading{};
std::array<char, 401> reason{};  // of std::terminate
std::array<ModuleTable, 2> tables;
std::atomic<const ModuleTable*> modules = nullptr;  // one of the two
std::mutex noting;
unsigned long long noted_loads = 0;
std::atomic<pid_t> reporting = 0;  // the thread that writes the report
alignas(64) std::array<char, std::size_t{1} << 16> other_stack;
constexpr std::array reported{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

const char* name_of(int signal) {
    switch (signal) {
        case SIGSEGV:
            return "SIGSEGV";
        case SIGABRT:
            return "SIGABRT";
        case SIGBUS:
            return "SIGBUS";
        case SIGFPE:
            return "SIGFPE";
        case SIGILL:
            return "SIGILL";
        default:
            return "";
    }
}

// Writes to the report, with nothing but write().
int out = -1;
void put(const char* text, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(out, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text += written;
        size -= static_cast<std::size_t>(written);
    }
}
void put(const char* text) {
    put(text, std::strlen(text));
}
std::size_t digits_of(std::uint64_t value, unsigned base, unsigned least, char* text) {
    std::array<char, 24> reversed{};
    std::size_t size = 0;
    do {
        reversed[size++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0 || size < least);
    for (std::size_t i = 0; i < size; ++i) text[i] = reversed[size - 1 - i];
    return size;
}
void put_number(std::uint64_t value, unsigned base = 10, unsigned least = 1) {
    std::array<char, 24> text{};
    put(text.data(), digits_of(value, base, least, text.data()));
}
void put_address(std::uintptr_t address) {
    put("0x");
    put_number(address, 16);
}

// "20261123T120501Z", of the seconds since 1970: gmtime() may take a lock. The days by Howard Hinnant's
// civil_from_days.
void write_time(std::int64_t seconds, char* text) {
    const std::int64_t days = seconds / 86400 + 719468;
    const auto of_day = static_cast<std::uint64_t>(seconds % 86400);
    const std::int64_t era = days / 146097;
    const auto day_of_era = static_cast<std::uint64_t>(days - era * 146097);
    const std::uint64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const std::uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::uint64_t shifted = (5 * day_of_year + 2) / 153;
    const std::uint64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    const std::uint64_t year = year_of_era + static_cast<std::uint64_t>(era) * 400 + (month <= 2 ? 1 : 0);
    digits_of(year, 10, 4, text);
    digits_of(month, 10, 2, text + 4);
    digits_of(day_of_year - (153 * shifted + 2) / 5 + 1, 10, 2, text + 6);
    text[8] = 'T';
    digits_of(of_day / 3600, 10, 2, text + 9);
    digits_of(of_day / 60 % 60, 10, 2, text + 11);
    digits_of(of_day % 60, 10, 2, text + 13);
    text[15] = 'Z';
    text[16] = '\0';
}

void make_folders() {
    std::array<char, folder.size()> path = folder;
    for (std::size_t i = 1; path[i] != '\0'; ++i) {
        if (path[i] != '/') continue;
        path[i] = '\0';
        ::mkdir(path.data(), 0700);
        path[i] = '/';
    }
    ::mkdir(path.data(), 0700);
}

// A second crash of the same second has another name: crash-UTC-2.txt.
bool open_report(const char* time) {
    std::array<char, folder.size() + 64> path{};
    for (unsigned number = 1; number < 100; ++number) {
        std::size_t size = std::strlen(folder.data());
        std::memcpy(path.data(), folder.data(), size);
        std::memcpy(path.data() + size, "/crash-", 7);
        std::memcpy(path.data() + size + 7, time, 16);
        size += 23;
        if (number > 1) {
            path[size++] = '-';
            size += digits_of(number, 10, 1, path.data() + size);
        }
        std::memcpy(path.data() + size, ".txt", 5);
        out = ::open(path.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (out >= 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

const Module* module_of(std::uintptr_t address) {
    const ModuleTable* table = modules.load(std::memory_order_acquire);
    for (int i = 0; table != nullptr && i < table->count; ++i) {
        const Module& module = table->modules[static_cast<std::size_t>(i)];
        if (address >= module.begin && address < module.end) return &module;
    }
    return nullptr;
}

void put_stack() {
    std::array<void*, 100> frames{};
    const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    for (int i = 0; i < count; ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]);
        put("  ");
        put_address(address);
        put("  ");
        if (const Module* module = module_of(address)) {
            put(module->name.data());
            put(" + ");
            put_address(address - module->base);
        } else {
            put("in no module that was known");
        }
        put("\n");
    }
}

void put_modules() {
    const ModuleTable* table = modules.load(std::memory_order_acquire);
    for (int i = 0; table != nullptr && i < table->count; ++i) {
        const Module& module = table->modules[static_cast<std::size_t>(i)];
        put("  ");
        put_address(module.begin);
        put(" to ");
        put_address(module.end);
        put("  ");
        put(module.name.data());
        put("\n");
    }
}

void put_line(const char* text, std::size_t size) {
    put("  ");
    put(text, size);
    put("\n");
}

void write_report(int signal, const siginfo_t* info) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    std::array<char, 17> time{};
    write_time(now.tv_sec, time.data());
    make_folders();
    if (!open_report(time.data())) return;
    put(heading.data());
    put("\ntime: ");
    put(time.data());
    put("\nsignal: ");
    put_number(static_cast<std::uint64_t>(signal));
    put(" ");
    put(name_of(signal));
    const bool is_fault = signal != SIGABRT && info != nullptr && info->si_code > 0;
    if (is_fault) {
        put(", at address ");
        put_address(reinterpret_cast<std::uintptr_t>(info->si_addr));
    } else if (info != nullptr && info->si_code <= 0 && info->si_pid != ::getpid()) {
        put(", sent by process ");
        put_number(static_cast<std::uint64_t>(info->si_pid));
    }
    put("\nthread: ");
    put(::getpid() == static_cast<pid_t>(::syscall(SYS_gettid)) ? "the first" : "another than the first");
    if (reason[0] != '\0') {
        put("\nstd::terminate: ");
        put(reason.data());
    }
    put("\n\nLast lines of the log (UTC):\n");
    event_log::visit_in_signal_handler(put_line);
    put("\nStack, the innermost first:\n");
    put_stack();
    put("\nModules:\n");
    put_modules();
    ::close(out);
}

// Only what is safe in a signal handler; backtrace() is, once it was called before (report_crashes()).
void handle(int signal, siginfo_t* info, void* /*context*/) {
    const auto thread = static_cast<pid_t>(::syscall(SYS_gettid));
    pid_t none = 0;
    if (reporting.compare_exchange_strong(none, thread)) {
        write_report(signal, info);
    } else if (none != thread) {
        for (;;) ::pause();  // another thread writes, and ends the program
    }
    std::signal(signal, SIG_DFL);
    ::raise(signal);  // comes when this returns
}

void copy_text(std::string_view text, char* to, std::size_t room) {
    const std::size_t size = std::min(text.size(), room - 1);
    std::memcpy(to, text.data(), size);
    to[size] = '\0';
}

// Says why, and goes on to SIGABRT. Runs in the thread that threw, outside any signal handler.
[[noreturn]] void terminated() {
    std::string why = "called without an exception";
    if (const std::type_info* type = abi::__cxa_current_exception_type()) {
        try {
            throw;
        } catch (const std::exception& exception) {
            why = std::string(type->name()) + ": " + exception.what();
        } catch (...) {
            why = type->name();
        }
    }
    copy_text(why, reason.data(), reason.size());
    std::abort();
}

int take_module(dl_phdr_info* info, std::size_t /*size*/, void* into) {
    auto& table = *static_cast<ModuleTable*>(into);
    if (table.count == static_cast<int>(table.modules.size())) return 1;
    Module& module = table.modules[static_cast<std::size_t>(table.count)];
    module = {.base = info->dlpi_addr, .begin = UINTPTR_MAX, .end = 0, .name = {}};
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
        module.begin = std::min(module.begin, begin);
        module.end = std::max(module.end, begin + segment.p_memsz);
    }
    if (module.end == 0) return 0;
    std::string_view name = info->dlpi_name != nullptr ? info->dlpi_name : "";
    std::array<char, 4096> program{};
    if (name.empty()) {  // the program itself
        const ssize_t size = ::readlink("/proc/self/exe", program.data(), program.size());
        name = {program.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    }
    // Names of folders may say who one is; that of the file is enough.
    copy_text(name.substr(name.rfind('/') + 1), module.name.data(), module.name.size());
    ++table.count;
    return 0;
}

int read_loads(dl_phdr_info* info, std::size_t /*size*/, void* into) {
    *static_cast<unsigned long long*>(into) = info->dlpi_adds;
    return 1;
}

}  // namespace

void note_modules() {
    const std::scoped_lock lock(noting);
    unsigned long long loads = 0;
    ::dl_iterate_phdr(read_loads, &loads);
    if (loads == noted_loads) return;
    noted_loads = loads;
    ModuleTable& next = modules.load() == tables.data() ? tables[1] : tables[0];
    next.count = 0;
    ::dl_iterate_phdr(take_module, &next);
    modules.store(&next, std::memory_order_release);
}

bool report_crashes(const CrashReportPlan& plan) {
    if (plan.folder.native().size() >= folder.size() || plan.heading.size() >= heading.size() ||
        !plan.folder.is_absolute())
        return false;
    copy_text(plan.folder.native(), folder.data(), folder.size());
    copy_text(plan.heading, heading.data(), heading.size());
    std::array<void*, 4> frames{};
    ::backtrace(frames.data(), static_cast<int>(frames.size()));  // opens what it needs, now
    note_modules();
    stack_t stack{};
    stack.ss_sp = other_stack.data();
    stack.ss_size = other_stack.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    for (const int signal : reported) ::sigaction(signal, &action, nullptr);
    std::set_terminate(terminated);
    return true;
}
#else
bool report_crashes(const CrashReportPlan& /*plan*/) {
    return false;
}
void note_modules() {}
#endif

std::vector<fs::path> claim_crash_reports(const fs::path& folder_of_reports) {
    std::vector<fs::path> found;
    std::vector<fs::path> shown;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_of_reports, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(report_start) || !name.ends_with(report_end) || !entry.is_regular_file(error))
            continue;
        (name.ends_with(shown_end) ? shown : found).push_back(entry.path());
    }
    std::ranges::sort(found, std::ranges::greater());
    std::vector<fs::path> claimed;
    for (const fs::path& path : found) {
        fs::path mine = path;
        mine.replace_filename(path.stem().string() + std::string(shown_end));
        fs::rename(path, mine, error);
        if (!error) claimed.push_back(mine);  // else another program was first
    }
    std::ranges::sort(shown, std::ranges::greater());
    const std::size_t kept = most_shown - std::min(most_shown, claimed.size());
    for (std::size_t i = kept; i < shown.size(); ++i) fs::remove(shown[i], error);
    return claimed;
}

}  // namespace workbench
