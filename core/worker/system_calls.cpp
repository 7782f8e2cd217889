// SPDX-License-Identifier: MIT
#include "core/worker/system_calls.h"

#if defined(IIR2D_HAVE_SECCOMP)

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "core/support/file_handle.h"

namespace workbench::worker {

namespace {

// Stands in the filter for the child's own process id, which is known only when it is installed.
constexpr std::uint32_t own_process = 0x7ffffff1;

// By name, so that one list serves every processor: a call that one does not have is left out.
constexpr std::array allowed{
    // memory of its own
    "brk", "munmap", "mremap", "madvise", "membarrier", "mincore",
    // threads
    "futex", "set_robust_list", "rseq", "set_tid_address", "gettid", "sched_yield", "sched_getaffinity",
    "sched_getparam", "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min", "getcpu",
    // files that are open, or that may be opened for reading
    "read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2",
    "lseek", "_llseek", "close", "close_range", "fstat", "fstat64", "stat", "stat64", "lstat", "lstat64",
    "newfstatat", "fstatat64", "statx", "statfs", "statfs64", "fstatfs", "fstatfs64", "access", "faccessat",
    "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "fadvise64", "readahead", "ftruncate",
    "ftruncate64", "fallocate", "fsync", "fdatasync", "dup", "dup2", "dup3",
    // the connection to the program; no other socket can be had
    "recvmsg", "recvfrom", "sendmsg", "sendto", "poll", "ppoll", "select", "pselect6",
    // time, chance, and what it is
    "clock_gettime", "clock_gettime64", "clock_getres", "gettimeofday", "time", "times", "nanosleep",
    "clock_nanosleep", "getrandom", "getrusage", "sysinfo", "uname", "getpid", "getppid", "getuid", "geteuid",
    "getgid", "getegid", "getrlimit", "ugetrlimit",
    // signals to itself, and the end
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall", "exit", "exit_group"};

struct FreeContext {
    void operator()(void* context) const { ::seccomp_release(context); }
};
using Context = std::unique_ptr<void, FreeContext>;

// Collects whether every rule was taken.
class Rules {
  public:
    explicit Rules(scmp_filter_ctx context) : m_context(context) {}

    void allow(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) {
        add(SCMP_ACT_ALLOW, name, conditions);
    }
    void answer(const char* name, int error) {
        add(SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), name, {});
    }
    bool complete() const { return m_complete; }

  private:
    void add(std::uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
        const int call = ::seccomp_syscall_resolve_name(name);
        if (call == __NR_SCMP_ERROR || call < 0) return;  // not on this processor
        m_complete =
            ::seccomp_rule_add_array(m_context, action, call, static_cast<unsigned>(conditions.size()),
                                     conditions.begin()) == 0 &&
            m_complete;
    }

    scmp_filter_ctx m_context;
    bool m_complete = true;
};

scmp_arg_cmp equals(unsigned argument, std::uint64_t value) {
    return {argument, SCMP_CMP_EQ, value, 0};
}
scmp_arg_cmp bits_are(unsigned argument, std::uint64_t mask, std::uint64_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

void add_rules(Rules& rules) {
    for (const char* name : allowed) rules.allow(name);

    // Reading only: any flag that could make, empty or write a file is refused.
    constexpr std::uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    rules.allow("open", {bits_are(1, writing, O_RDONLY)});
    rules.allow("openat", {bits_are(2, writing, O_RDONLY)});
    // Its flags lie in memory, where a filter cannot look; callers fall back to openat.
    rules.answer("openat2", ENOSYS);

    // Memory that is new and shared, or that grows like a stack, is not counted by the limit of memory.
    constexpr std::uint64_t uncounted = MAP_GROWSDOWN;
    for (const char* map : {"mmap", "mmap2"}) {
        rules.allow(map, {bits_are(2, PROT_EXEC, 0), bits_are(3, MAP_SHARED | uncounted, 0)});
        rules.allow(map, {bits_are(2, PROT_EXEC, 0), bits_are(3, MAP_ANONYMOUS | uncounted, 0)});
    }
    rules.allow("mprotect", {bits_are(2, PROT_EXEC | PROT_GROWSDOWN | PROT_GROWSUP, 0)});

    // Threads, not processes. clone3 has its flags in memory; the C library falls back to clone.
    rules.allow("clone", {bits_are(0, CLONE_THREAD | CLONE_VM, CLONE_THREAD | CLONE_VM)});
    rules.answer("clone3", ENOSYS);

    // abort() signals its own process; no other may be.
    rules.allow("tgkill", {equals(0, own_process)});

    // No owner of a file, which would be signalled; no seals.
    for (const char* control : {"fcntl", "fcntl64"}) {
        for (const int command :
             {F_GETFL, F_GETFD, F_SETFD, F_DUPFD, F_DUPFD_CLOEXEC, F_GETLK, F_SETLK, F_SETLKW, F_GET_SEALS})
            rules.allow(control, {equals(1, static_cast<std::uint64_t>(command))});
    }
    rules.allow("prctl", {equals(0, PR_SET_NAME)});
    rules.allow("prctl", {equals(0, PR_GET_NAME)});
    rules.allow("prlimit64", {equals(2, 0)});  // reading limits, not setting them
}

}  // namespace

Result<SystemCallFilter> SystemCallFilter::make() {
    const auto refused = [] {
        return fail(ErrorKind::device_failure, "the filter of system calls could not be made");
    };
    const Context context(::seccomp_init(SCMP_ACT_ERRNO(EPERM)));
    if (!context) return refused();
    Rules rules(context.get());
    add_rules(rules);
    // Many calls, most often one of a few: a tree instead of a list.
    static_cast<void>(::seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
    const FileHandle file(::memfd_create("filter", MFD_CLOEXEC));
    if (!rules.complete() || !file || ::seccomp_export_bpf(context.get(), file.get()) != 0) return refused();
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    static_assert(sizeof(Instruction) == sizeof(sock_filter));
    SystemCallFilter filter;
    filter.m_program.resize(static_cast<std::size_t>(size) / sizeof(Instruction));
    if (filter.m_program.empty() ||
        ::pread(file.get(), filter.m_program.data(), static_cast<std::size_t>(size), 0) != size)
        return refused();
    return filter;
}

bool SystemCallFilter::install() const {
    std::vector<Instruction> program = m_program;
    for (Instruction& step : program) {
        if (step.constant == own_process) step.constant = static_cast<std::uint32_t>(::getpid());
    }
    const sock_fprog all{static_cast<unsigned short>(program.size()),
                         reinterpret_cast<sock_filter*>(program.data())};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

}  // namespace workbench::worker

#else

namespace workbench::worker {

Result<SystemCallFilter> SystemCallFilter::make() {
    return fail(ErrorKind::device_failure, "system calls are not filtered: built without libseccomp");
}

bool SystemCallFilter::install() const {
    return false;
}

}  // namespace workbench::worker

#endif
