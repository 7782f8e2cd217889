// SPDX-License-Identifier: MIT
// The part of the CUDA driver's interface that is used, declared here so that a machine without a toolkit
// builds it. Names, values and layouts are the driver's own (CUDA Driver API reference, 12.0 and newer).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_WIN32)
#define IIR2D_CUDA_CALL __stdcall
#else
#define IIR2D_CUDA_CALL
#endif

namespace iir2d::cuda {

using DevicePointer = std::uint64_t;  // CUdeviceptr
using DeviceHandle = int;             // CUdevice
using ContextHandle = struct CUctx_st*;
using StreamHandle = struct CUstream_st*;  // null: the legacy default stream
using EventHandle = struct CUevent_st*;
using LibraryHandle = struct CUlib_st*;
using KernelHandle = struct CUkern_st*;  // taken by cuLaunchKernel in a function's place
using ModuleHandle = struct CUmod_st*;
using PoolHandle = struct CUmemPoolHandle_st*;
using GraphHandle = struct CUgraph_st*;
using GraphExecHandle = struct CUgraphExec_st*;

struct Uuid {
    char bytes[16];
};

// Values of CUresult that the library tells apart.
enum DriverCode : int {
    success = 0,
    out_of_memory = 2,
    stub_library = 34,
    device_unavailable = 46,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    no_binary_for_gpu = 209,
    ecc_uncorrectable = 214,
    invalid_ptx = 218,
    unsupported_ptx_version = 222,
    not_found = 500,
    illegal_address = 700,
    launch_timeout = 702,
    context_is_destroyed = 709,
    assert_failed = 710,
    hardware_stack_error = 714,
    illegal_instruction = 715,
    misaligned_address = 716,
    invalid_address_space = 717,
    invalid_pc = 718,
    launch_failed = 719,
    system_driver_mismatch = 803,
    capture_unsupported = 900,
    unknown_error = 999,
};

// CUdevice_attribute.
enum DeviceAttribute : int {
    clock_rate_khz = 13,
    multiprocessor_count = 16,
    integrated = 18,
    ecc_enabled = 32,
    memory_clock_rate_khz = 36,
    memory_bus_width_bits = 37,
    l2_cache_bytes = 38,
    capability_major = 75,
    capability_minor = 76,
    shared_memory_per_block_optin = 97,
    memory_pools_supported = 115,
};

enum PointerAttribute : int { pointer_memory_type = 2, pointer_device_ordinal = 9 };
enum MemoryType : unsigned { device_memory = 2 };
enum EventFlags : unsigned { event_default = 0 };
enum StreamFlags : unsigned { stream_non_blocking = 1 };
// CUstreamCaptureMode: what other threads do is none of the capture's business.
enum CaptureMode : int { capture_thread_local = 1 };
enum HostRegisterFlags : unsigned { host_register_portable = 1 };
enum PoolAttribute : int { pool_release_threshold = 4 };
enum KernelAttribute : int { max_dynamic_shared_bytes = 8 };
enum JitOption : int { jit_error_log = 5, jit_error_log_bytes = 6, jit_optimisation_level = 7 };
// Of cuLaunchKernel's `extra`: parameters as one piece, and its size.
inline void* const launch_parameters = reinterpret_cast<void*>(1);
inline void* const launch_parameters_bytes = reinterpret_cast<void*>(2);

}  // namespace iir2d::cuda
