// SPDX-License-Identifier: MIT
// Every driver call that is used, once: X(name, the CUDA version whose signature is meant, parameters). The
// table of pointers, the loader and the tests' stand-in for the driver are made of it. Symbols are asked for
// by version through cuGetProcAddress, never looked up by their bare names, whose signatures are older ones.
#pragma once

#include "kernels/device/cuda/driver_types.h"

#define IIR2D_CUDA_CALLS(X)                                                                                 \
    X(cuInit, 2000, (unsigned flags))                                                                       \
    X(cuDriverGetVersion, 2020, (int* version))                                                             \
    X(cuGetErrorName, 6000, (int code, const char** name))                                                  \
    X(cuGetErrorString, 6000, (int code, const char** text))                                                \
    X(cuDeviceGetCount, 2000, (int* count))                                                                 \
    X(cuDeviceGet, 2000, (DeviceHandle * device, int index))                                                \
    X(cuDeviceGetName, 2000, (char* name, int size, DeviceHandle device))                                   \
    X(cuDeviceGetUuid, 11040, (Uuid * uuid, DeviceHandle device))                                           \
    X(cuDeviceGetAttribute, 2000, (int* value, int attribute, DeviceHandle device))                         \
    X(cuDeviceTotalMem, 3020, (std::size_t * bytes, DeviceHandle device))                                   \
    X(cuDeviceGetPCIBusId, 4010, (char* id, int size, DeviceHandle device))                                 \
    X(cuDevicePrimaryCtxRetain, 7000, (ContextHandle * context, DeviceHandle device))                       \
    X(cuDevicePrimaryCtxRelease, 11000, (DeviceHandle device))                                              \
    X(cuDevicePrimaryCtxReset, 11000, (DeviceHandle device))                                                \
    X(cuCtxPushCurrent, 4000, (ContextHandle context))                                                      \
    X(cuCtxPopCurrent, 4000, (ContextHandle * context))                                                     \
    X(cuCtxGetCurrent, 4000, (ContextHandle * context))                                                     \
    X(cuCtxGetDevice, 2000, (DeviceHandle * device))                                                        \
    X(cuLibraryLoadData, 12000,                                                                             \
      (LibraryHandle * library, const void* image, int* jit_options, void** jit_values, unsigned jit_count, \
       int* options, void** values, unsigned count))                                                        \
    X(cuLibraryUnload, 12000, (LibraryHandle library))                                                      \
    X(cuLibraryGetKernel, 12000, (KernelHandle * kernel, LibraryHandle library, const char* name))          \
    X(cuKernelSetAttribute, 12000, (int attribute, int value, KernelHandle kernel, DeviceHandle device))    \
    X(cuModuleLoadDataEx, 2010,                                                                             \
      (ModuleHandle * module, const void* image, unsigned count, int* options, void** values))              \
    X(cuModuleUnload, 2000, (ModuleHandle module))                                                          \
    X(cuModuleGetFunction, 2000, (KernelHandle * kernel, ModuleHandle module, const char* name))            \
    X(cuLaunchKernel, 7000,                                                                                 \
      (KernelHandle kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,            \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** parameters,   \
       void** extra))                                                                                       \
    X(cuMemGetInfo, 3020, (std::size_t * free, std::size_t * total))                                        \
    X(cuMemAlloc, 3020, (DevicePointer * pointer, std::size_t bytes))                                       \
    X(cuMemFree, 3020, (DevicePointer pointer))                                                             \
    X(cuMemAllocAsync, 11020, (DevicePointer * pointer, std::size_t bytes, StreamHandle stream))            \
    X(cuMemFreeAsync, 11020, (DevicePointer pointer, StreamHandle stream))                                  \
    X(cuDeviceGetDefaultMemPool, 11020, (PoolHandle * pool, DeviceHandle device))                           \
    X(cuMemPoolSetAttribute, 11020, (PoolHandle pool, int attribute, void* value))                          \
    X(cuMemPoolTrimTo, 11020, (PoolHandle pool, std::size_t bytes))                                         \
    X(cuMemHostRegister, 6050, (void* pointer, std::size_t bytes, unsigned flags))                          \
    X(cuMemHostUnregister, 4000, (void* pointer))                                                           \
    X(cuMemcpyHtoDAsync, 3020, (DevicePointer to, const void* from, std::size_t size, StreamHandle in))     \
    X(cuMemcpyDtoHAsync, 3020, (void* to, DevicePointer from, std::size_t size, StreamHandle in))           \
    X(cuMemcpyDtoDAsync, 3020, (DevicePointer to, DevicePointer from, std::size_t size, StreamHandle in))   \
    X(cuPointerGetAttribute, 4000, (void* value, int attribute, DevicePointer pointer))                     \
    X(cuStreamCreate, 2000, (StreamHandle * stream, unsigned flags))                                        \
    X(cuStreamDestroy, 4000, (StreamHandle stream))                                                         \
    X(cuStreamGetCtx, 9020, (StreamHandle stream, ContextHandle * context))                                 \
    X(cuStreamSynchronize, 7000, (StreamHandle stream))                                                     \
    X(cuStreamBeginCapture, 10010, (StreamHandle stream, int mode))                                         \
    X(cuStreamEndCapture, 10000, (StreamHandle stream, GraphHandle * graph))                                \
    X(cuGraphInstantiateWithFlags, 11040,                                                                   \
      (GraphExecHandle * exec, GraphHandle graph, unsigned long long flags))                                \
    X(cuGraphLaunch, 10000, (GraphExecHandle exec, StreamHandle stream))                                    \
    X(cuGraphDestroy, 10000, (GraphHandle graph))                                                           \
    X(cuGraphExecDestroy, 10000, (GraphExecHandle exec))                                                    \
    X(cuStreamWaitEvent, 7000, (StreamHandle stream, EventHandle event, unsigned flags))                    \
    X(cuEventCreate, 2000, (EventHandle * event, unsigned flags))                                           \
    X(cuEventDestroy, 4000, (EventHandle event))                                                            \
    X(cuEventRecord, 7000, (EventHandle event, StreamHandle stream))                                        \
    X(cuEventSynchronize, 2000, (EventHandle event))                                                        \
    X(cuEventElapsedTime, 2000, (float* milliseconds, EventHandle start, EventHandle end))
