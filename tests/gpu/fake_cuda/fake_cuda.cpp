// SPDX-License-Identifier: MIT
// The driver's interface over the tests' executor: device memory is the host's, with guards around it;
// kernels are looked up by name among the product's; streams run at once or, when the scenario says so, only
// when they are waited for, which shows a wait that is missing. Scenarios: scenario.h.
// This file has its devices, contexts and launches; fake_memory.cpp and fake_streams.cpp the rest.
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <span>
#include <string>

#include "tests/gpu/executor/executor.h"
#include "tests/gpu/fake_cuda/fake_state.h"
#include "tests/gpu/fake_cuda/ptx_kernels.h"

using namespace iir2d::cuda;  // NOLINT: the driver's own types, in the driver's stand-in

namespace fake {

State& state() {
    static State* s = new State;  // outlives whoever calls at exit
    return *s;
}

std::vector<ContextHandle>& current() {
    thread_local std::vector<ContextHandle> stack;
    return stack;
}

// What a call answers that needs a context in working order.
int ready() {
    if (current().empty()) return invalid_context;
    return state().sticky;
}

namespace {

const gpu_test::KernelEntry* entry_named(const char* name) {
    for (const auto& entry : gpu_test::kernel_entries()) {
        if (std::strcmp(entry.name, name) == 0) return &entry;
    }
    return nullptr;
}

const char* name_of_code(int code) {
    switch (code) {
        case out_of_memory:
            return "CUDA_ERROR_OUT_OF_MEMORY";
        case no_device:
            return "CUDA_ERROR_NO_DEVICE";
        case invalid_device:
            return "CUDA_ERROR_INVALID_DEVICE";
        case invalid_context:
            return "CUDA_ERROR_INVALID_CONTEXT";
        case illegal_address:
            return "CUDA_ERROR_ILLEGAL_ADDRESS";
        case launch_failed:
            return "CUDA_ERROR_LAUNCH_FAILED";
        case invalid_ptx:
            return "CUDA_ERROR_INVALID_PTX";
        case not_found:
            return "CUDA_ERROR_NOT_FOUND";
        case unknown_error:
            return "CUDA_ERROR_UNKNOWN";
        default:
            return nullptr;
    }
}

// Returns the text with its ordered >= of f32 made unordered, which NaN makes true.
std::string nan_folded(std::string text) {
    const std::string ordered = "setp.ge.f32", unordered = "setp.geu.f32";
    for (std::size_t at = 0; (at = text.find(ordered, at)) != std::string::npos; at += unordered.size())
        text.replace(at, ordered.size(), unordered);
    return text;
}

}  // namespace

int cuInit(unsigned) {
    return number("devices", 1) == 0 ? no_device : number("init", 0);
}
int cuDriverGetVersion(int* version) {
    *version = number("driver", 13000);
    return success;
}
int cuGetErrorName(int code, const char** name) {
    *name = name_of_code(code);
    return *name != nullptr ? success : 1;
}
int cuGetErrorString(int code, const char** text) {
    *text = code == out_of_memory ? "out of memory" : "as the scenario asked";
    return success;
}
int cuDeviceGetCount(int* count) {
    *count = number("devices", 1);
    return success;
}
int cuDeviceGet(DeviceHandle* device, int index) {
    *device = index;
    return index >= 0 && index < number("devices", 1) ? success : invalid_device;
}
int cuDeviceGetName(char* name, int size, DeviceHandle device) {
    std::snprintf(name, static_cast<std::size_t>(size), "Stand-in GPU %d", device);
    return success;
}
int cuDeviceGetUuid(Uuid* uuid, DeviceHandle device) {
    for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(16 * device + i);
    return success;
}
int cuDeviceGetAttribute(int* value, int attribute, DeviceHandle) {
    switch (attribute) {
        case multiprocessor_count:
            *value = 4;
            break;
        case capability_major:
            *value = number("capability", 90) / 10;
            break;
        case capability_minor:
            *value = number("capability", 90) % 10;
            break;
        case l2_cache_bytes:
            *value = 4 << 20;
            break;
        case shared_memory_per_block_optin:
            *value = 99 << 10;
            break;
        case clock_rate_khz:
            *value = 1'500'000;
            break;
        case memory_clock_rate_khz:
            *value = 2'000'000;
            break;
        case memory_bus_width_bits:
            *value = 1024;
            break;
        case memory_pools_supported:
            *value = number("pools", 1);
            break;
        default:
            *value = 0;
            break;
    }
    return success;
}
int cuDeviceTotalMem(std::size_t* bytes, DeviceHandle) {
    *bytes = memory_bytes;
    return success;
}
int cuDeviceGetPCIBusId(char* id, int size, DeviceHandle device) {
    std::snprintf(id, static_cast<std::size_t>(size), "0000:%02d:00.0", device + 1 + number("hidden", 0));
    return success;
}
int cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle device) {
    const std::lock_guard lock(state().mutex);
    if (state().sticky != 0) return state().sticky;
    auto& made = state().contexts[device];
    made.device = device;
    *context = &made;
    return success;
}
int cuDevicePrimaryCtxRelease(DeviceHandle) {
    return success;
}
int cuDevicePrimaryCtxReset(DeviceHandle) {
    const std::lock_guard lock(state().mutex);
    if (const int code = number("reset", 0); code != success) return code;
    state().sticky = 0;
    for (const auto& [address, allocation] : state().memory) ptx_detach(address);
    state().memory.clear();
    state().pool.clear();
    state().pinned.clear();
    state().graphs.clear();
    state().graph_execs.clear();
    return success;
}
int cuCtxPushCurrent(ContextHandle context) {
    if (context == nullptr) return invalid_context;
    current().push_back(context);
    return success;
}
int cuCtxPopCurrent(ContextHandle* context) {
    if (current().empty()) return invalid_context;
    *context = current().back();
    current().pop_back();
    return success;
}
int cuCtxGetCurrent(ContextHandle* context) {
    *context = current().empty() ? nullptr : current().back();
    return success;
}
int cuCtxGetDevice(DeviceHandle* device) {
    if (current().empty()) return invalid_context;
    *device = current().back()->device;
    return success;
}
int cuLibraryLoadData(LibraryHandle* library, const void*, int*, void**, unsigned, int*, void**, unsigned) {
    static char loaded;
    *library = reinterpret_cast<LibraryHandle>(&loaded);
    return number("load", 0);
}
int cuLibraryUnload(LibraryHandle) {
    return success;
}
int cuLibraryGetKernel(KernelHandle* kernel, LibraryHandle, const char* name) {
    if (const int code = number("kernel", 0); code != 0) return code;
    const auto* entry = entry_named(name);
    if (runs_ptx() && !ptx_has(name)) return not_found;
    *kernel = reinterpret_cast<KernelHandle>(const_cast<gpu_test::KernelEntry*>(entry));
    return entry != nullptr ? success : not_found;
}
int cuKernelSetAttribute(int attribute, int value, KernelHandle kernel, DeviceHandle) {
    const std::lock_guard lock(state().mutex);
    if (attribute == max_dynamic_shared_bytes) state().shared_limit[kernel] = static_cast<unsigned>(value);
    return success;
}
int cuModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned count, int* options, void** values) {
    const std::lock_guard lock(state().mutex);
    if (const int code = ready(); code != success) return code;
    char* buffer = nullptr;
    std::size_t bytes = 0;
    std::uintptr_t level = 4;
    for (unsigned k = 0; k < count; ++k) {
        if (options[k] == jit_error_log) buffer = static_cast<char*>(values[k]);
        if (options[k] == jit_error_log_bytes) bytes = reinterpret_cast<std::uintptr_t>(values[k]);
        if (options[k] == jit_optimisation_level) level = reinterpret_cast<std::uintptr_t>(values[k]);
    }
    std::string text = static_cast<const char*>(image), log;
    if (number("folds_nan", 0) > (level == 0 ? 1 : 0)) text = nan_folded(std::move(text));
    GivenModule* const made = give_module(text, log);
    if (made == nullptr && buffer != nullptr && bytes > 0) std::snprintf(buffer, bytes, "%s", log.c_str());
    *module = reinterpret_cast<ModuleHandle>(made);
    return made != nullptr ? success : invalid_ptx;
}
int cuModuleUnload(ModuleHandle module) {
    const std::lock_guard lock(state().mutex);
    take_module(reinterpret_cast<GivenModule*>(module));
    return success;
}
int cuModuleGetFunction(KernelHandle* kernel, ModuleHandle module, const char* name) {
    const std::lock_guard lock(state().mutex);
    *kernel = reinterpret_cast<KernelHandle>(kernel_of(reinterpret_cast<GivenModule*>(module), name));
    return *kernel != nullptr ? success : not_found;
}
int cuLaunchKernel(KernelHandle kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream,
                   void** parameters, void** extra) {
    const std::lock_guard lock(state().mutex);
    State& s = state();
    if (const int code = ready(); code != success) return code;
    if (!is_capturing(stream) && ++s.launches == number("launch", 0))
        return s.sticky = number("launch_code", illegal_address);
    const auto* entry = reinterpret_cast<const gpu_test::KernelEntry*>(kernel);
    const auto limit = s.shared_limit.contains(kernel) ? s.shared_limit[kernel] : 48U << 10;
    if (grid_x == 0 || grid_x > 0x7fffffffU || grid_y == 0 || grid_y > 65535 || grid_z == 0 ||
        grid_z > 65535 || block_x == 0 || block_x * block_y * block_z > 1024 || shared_bytes > limit)
        return 1;
    const gpu_test::LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
    if (const GivenKernel* const given = given_kernel(kernel)) {
        const std::byte* bytes = nullptr;
        std::size_t count = 0;
        for (void** at = extra; at != nullptr && *at != nullptr; at += 2) {
            if (at[0] == launch_parameters) bytes = static_cast<const std::byte*>(at[1]);
            if (at[0] == launch_parameters_bytes) count = *static_cast<const std::size_t*>(at[1]);
        }
        if (count != parameter_bytes(*given)) return 1;
        enqueue(stream, [given, shape, limit, held = std::vector<std::byte>(bytes, bytes + count)] {
            try {
                run_given(*given, shape, limit, held, gpu_test::options_from_environment().seed);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "stand-in driver: %s: %s\n", name_of(*given).c_str(), error.what());
                state().sticky = launch_failed;
            }
        });
        return s.sticky;
    }
    const auto* from = static_cast<const unsigned char*>(parameters[0]);
    // Aligned as any parameter struct may ask for.
    auto copy = std::make_shared<std::vector<std::max_align_t>>(
        entry->parameter_bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(copy->data(), from, entry->parameter_bytes);
    enqueue(stream, [entry, copy, shape, limit] {
        try {
            const auto options = gpu_test::options_from_environment();
            if (runs_ptx())
                run_ptx(entry->name, shape, limit, std::as_bytes(std::span(*copy)), options.seed);
            else
                entry->run(shape, copy->data(), options);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "stand-in driver: %s: %s\n", entry->name, error.what());
            state().sticky = launch_failed;
        }
    });
    return success;
}

}  // namespace fake

extern "C" __attribute__((visibility("default"))) int cuGetProcAddress_v2(const char* symbol, void** function,
                                                                          int, std::uint64_t, int*) {
    static const std::map<std::string, void*> table{
#define FAKE_CUDA_ROW(name, version, parameters) \
    {#name, reinterpret_cast<void*>(static_cast<int(*) parameters>(&fake::name))},
        IIR2D_CUDA_CALLS(FAKE_CUDA_ROW)
#undef FAKE_CUDA_ROW
    };
    const auto found = table.find(symbol);
    if (found == table.end() || fake::setting("missing", "") == symbol) return not_found;
    *function = found->second;
    return success;
}

extern "C" __attribute__((visibility("default"))) void fake_cuda_counts(fake_cuda::Counts* counts) {
    const std::lock_guard lock(fake::state().mutex);
    const fake::State& s = fake::state();
    *counts = {.allocations = s.allocations,
               .launches = s.launches,
               .graph_launches = s.graph_launches,
               .graphs_held = static_cast<int>(s.graphs.size() + s.graph_execs.size()),
               .uploaded_bytes = s.uploaded_bytes,
               .downloaded_bytes = s.downloaded_bytes};
    for (const auto& [address, allocation] : s.memory)
        counts->held_bytes += static_cast<std::int64_t>(allocation.size);
}
