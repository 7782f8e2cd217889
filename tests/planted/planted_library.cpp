// SPDX-License-Identifier: MIT
// A libiir2d that does what its file name says, for duels: it opens the real library, which
// IIR2D_PLANTED_REAL names, and passes calls on.
//   ..._plain   nothing else
//   ..._slower  repeats a part of the plane after each call, IIR2D_PLANTED_ROWS rows (default: a tenth) of
//               IIR2D_PLANTED_COLUMNS samples (default: all): a slowdown that scales with the machine as a
//               real one does
//   ..._wrong   adds 1 to one sample        ..._near  moves one sample by one unit in the last place
//   ..._crash   writes to address 0         ..._hang  never returns
//   ..._refuse  fails with a sentence         ..._meddle  changes its input
//   ..._trap    crashes while it is opened     ..._stall  never ends being opened
//   ..._child   starts a process that sleeps, and writes its number into the file IIR2D_PLANTED_CHILD
//   ..._uneven  takes 2 ms longer in every eighth call, and keeps a thread, which sleeps
//   ..._starts  starts a thread in every call, which ends with it
//   ..._places  adds its process, its processor, how many it may use, and 1 if no file is mapped to its
//               code, to the file IIR2D_PLANTED_PLACES
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "iir2d/iir2d_core.h"
#include "iir2d/iir2d_pool.h"
#include "tests/mapping_of.h"

namespace {

using Forward = int (*)(const void*, void*, const IIR2D_Params*);
using PoolForward = int (*)(const void*, void*, std::int64_t*, const IIR2D_PoolParams*);

std::string own_kind() {
    Dl_info info{};
    static const int here = 0;
    if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
    std::string name = info.dli_fname;
    name.erase(0, name.rfind('/') + 1);
    name.erase(name.rfind('.'));
    return name.substr(name.rfind('_') + 1);
}

struct Planted {
    std::string kind = own_kind();
    Forward real = nullptr;
    PoolForward real_pool = nullptr;
    int rows = -1;  // of what is repeated; below 0: the default
    int columns = -1;
    std::vector<double> scratch;
    int calls = 0;

    Planted() {
        const char* path = std::getenv("IIR2D_PLANTED_REAL");
        void* handle = path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (handle != nullptr) real = reinterpret_cast<Forward>(dlsym(handle, "iir2d_forward_cpu"));
        if (handle != nullptr)
            real_pool = reinterpret_cast<PoolForward>(dlsym(handle, "iir2d_pool_forward_cpu"));
        if (const char* text = std::getenv("IIR2D_PLANTED_ROWS")) rows = std::atoi(text);
        if (const char* text = std::getenv("IIR2D_PLANTED_COLUMNS")) columns = std::atoi(text);
    }
};

Planted& planted() {
    static Planted one;
    return one;
}

__attribute__((constructor)) void when_opened() {
    const std::string kind = own_kind();
    if (kind == "trap") std::abort();
    while (kind == "stall") usleep(1000);
}

void change_one_sample(void* out, const IIR2D_Params& p, bool a_lot) {
    if (p.precision == IIR2D_PRECISION_F64) {
        auto* sample = static_cast<double*>(out);
        *sample = a_lot ? *sample + 1 : std::nextafter(*sample, 10.0);
    } else {
        auto* sample = static_cast<float*>(out);
        *sample = a_lot ? *sample + 1 : std::nextafterf(*sample, 10.0F);
    }
}

int repeat_some(Planted& p, const void* in, const IIR2D_Params& params) {
    IIR2D_Params part = params;
    part.height = p.rows >= 0 ? p.rows : (params.height + 5) / 10;
    if (p.columns >= 0) part.width = p.columns;
    if (part.height == 0 || part.width == 0) return IIR2D_STATUS_OK;
    const auto samples = static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height);
    if (p.scratch.size() < samples) p.scratch.resize(samples);
    return p.real(in, p.scratch.data(), &part);
}

bool start_child() {
    const char* file = std::getenv("IIR2D_PLANTED_CHILD");
    const int child = file != nullptr ? fork() : -1;
    if (child == 0) {
        for (;;) pause();
    }
    if (child > 0) std::ofstream(file, std::ios::app) << child << '\n';
    return child > 0;
}

bool is_without_file(const void* address) {
    const Mapping mapping = mapping_of(address);
    return !mapping.access.empty() && mapping.file == 0;
}

void write_place() {
    const char* file = std::getenv("IIR2D_PLANTED_PLACES");
    cpu_set_t set;
    if (file == nullptr || sched_getaffinity(0, sizeof set, &set) != 0) return;
    const int processor = sched_getcpu();
    std::ofstream(file, std::ios::app)
        << getpid() << ' ' << processor << ' ' << CPU_COUNT(&set) << ' '
        << is_without_file(reinterpret_cast<const void*>(&write_place)) << '\n';
}

}  // namespace

extern "C" {

IIR2D_API int iir2d_api_version_major(void) {
    return 1;
}
IIR2D_API int iir2d_api_version_minor(void) {
    return 0;
}
IIR2D_API const char* iir2d_build_fingerprint(void) {
    return "planted";
}
IIR2D_API const char* iir2d_last_error(void) {
    return planted().kind == "refuse" ? "the plane is not to the library's taste" : "";
}

IIR2D_API int iir2d_forward_cpu(const void* in, void* out, const IIR2D_Params* params) {
    Planted& p = planted();
    if (p.real == nullptr || p.kind == "refuse") return IIR2D_STATUS_INVALID_ARGUMENT;
    if (p.kind == "crash") *static_cast<volatile int*>(nullptr) = 1;
    while (p.kind == "hang") usleep(1000);
    if (p.kind == "meddle") *static_cast<volatile char*>(const_cast<void*>(in)) = 1;
    if (p.kind == "child") [[maybe_unused]]
        static const bool started = start_child();
    if (const int status = p.real(in, out, params); status != IIR2D_STATUS_OK) return status;
    if (p.kind == "slower") return repeat_some(p, in, *params);
    if (p.kind == "uneven") {
        if (p.calls == 0) std::thread([] { pause(); }).detach();
        if (++p.calls % 8 == 0) usleep(2000);
    }
    if (p.kind == "places") write_place();
    if (p.kind == "starts") std::thread([&] { p.real(in, out, params); }).join();
    if (p.kind == "wrong" || p.kind == "near") change_one_sample(out, *params, p.kind == "wrong");
    return IIR2D_STATUS_OK;
}

#if defined(IIR2D_PLANTED_POOLS)  // without it the C interface is that of 1.0
static int pool(const void* x, void* y, const IIR2D_PoolParams* params) {
    Planted& p = planted();
    if (p.real_pool == nullptr) return IIR2D_STATUS_INVALID_ARGUMENT;
    if (const int status = p.real_pool(x, y, nullptr, params); status != IIR2D_STATUS_OK) return status;
    if (p.kind != "slower") return IIR2D_STATUS_OK;
    IIR2D_PoolParams part = *params;
    part.height = (p.rows >= 0 ? p.rows : params->height / 10) / 2 * 2;
    if (p.columns >= 0) part.width = p.columns / 2 * 2;
    if (part.height == 0 || part.width == 0) return IIR2D_STATUS_OK;
    const auto samples = static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height);
    if (p.scratch.size() < samples) p.scratch.resize(samples);
    return p.real_pool(x, p.scratch.data(), nullptr, &part);
}

IIR2D_API int iir2d_pool_forward_cpu(const void* x, void* y, std::int64_t*, const IIR2D_PoolParams* params) {
    return pool(x, y, params);
}
#endif
}
