/* SPDX-License-Identifier: MIT
 *
 * Pooling in the stable C interface of libiir2d; status codes, element types, version and iir2d_last_error
 * are iir2d_core.h's. Tensors are planar [N, C, H, W] and row-major; docs/pooling.md has the mathematics, the
 * output's size and the tolerances. Every function is safe to call from several threads at once on distinct
 * output buffers.
 *
 * Checks, in this order: null pointers, the struct's size, every field, how the memory lies (every tensor
 * at a multiple of its element's size, what is written apart from what is read), then the device. A backward
 * pass looks for the pointers that its op reads once the size has been. When a check fails, nothing is
 * written. IIR2D_STATUS_WORKSPACE_ERROR says that there was not enough memory.
 */
#ifndef IIR2D_POOL_H
#define IIR2D_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "iir2d/export.h"
#include "iir2d/iir2d_core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum IIR2D_PoolOp {
    IIR2D_POOL_MAX = 0,
    IIR2D_POOL_AVG = 1,
    IIR2D_POOL_LP = 2,
    IIR2D_POOL_ADAPTIVE_MAX = 3,
    IIR2D_POOL_ADAPTIVE_AVG = 4
} IIR2D_PoolOp;

/* Fields are added at the end only; a struct that is shorter than the library's has 0 in those it lacks, a
 * longer one must have 0 in those that the library lacks, and at most 4096 bytes. */
typedef struct IIR2D_PoolParams {
    size_t size;                    /* sizeof(IIR2D_PoolParams) of the caller */
    int32_t op;                     /* IIR2D_PoolOp */
    int32_t element;                /* IIR2D_ElementType, of every tensor */
    int64_t n, c, height, width;    /* of the input, at least 1 */
    int64_t window_h, window_w;     /* at least 1; adaptive ops read neither these nor the next three pairs */
    int64_t stride_h, stride_w;     /* at least 1; both 0: the window */
    int64_t padding_h, padding_w;   /* 0 to half the window; 0 of lp */
    int64_t dilation_h, dilation_w; /* at least 1; both 0: 1 */
    int64_t output_h, output_w;     /* of adaptive ops, at least 1; others do not read it */
    int64_t divisor_override;       /* of avg; 0: none */
    double p;                       /* of lp: finite, above 0 */
    int32_t ceil_mode;              /* 0 or 1 */
    int32_t count_include_pad;      /* of avg: 0 or 1 */
    /* Since 1.2. Elements from one n to the next, from one c to the next, from one row to the next, of x, y,
     * dy (which has y's shape) and dx. All three 0: dense. Else a row stride is at least the tensor's width,
     * and 0 for n or c repeats a plane, in what is only read. argmax is dense. */
    int64_t x_stride[3], y_stride[3], dy_stride[3], dx_stride[3];
    int32_t threads; /* on the CPU at most; 0: all that the process may use */
    /* On the CPU, or null: called by the calling thread every few milliseconds with the share that is done, 0
     * to 1. Where it returns anything but 0, the call ends soon with IIR2D_STATUS_CANCELLED. */
    int (*poll)(void* user, double fraction);
    void* user; /* handed to poll */
} IIR2D_PoolParams;

/* Returns the output's height and width. */
IIR2D_API int iir2d_pool_output_size(const IIR2D_PoolParams* params, int64_t* height, int64_t* width);

/* Pools x into y, in host memory. `argmax` is null or, of max and adaptive max alone, has as many elements as
 * y, apart from x and y, and takes the row-major index into the input plane of each window's first maximum.
 * Blocks until done. */
IIR2D_API int iir2d_pool_forward_cpu(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params);

/* Does the same on device memory, asynchronously on `stream` (a CUstream or cudaStream_t) and in its context;
 * null is the legacy default stream of the current context and, in a thread that has none, of the primary
 * context of the device that the data lies on. Allocates nothing. */
IIR2D_API int iir2d_pool_forward_cuda(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params,
                                      void* stream);

/* Computes the gradient dx with respect to x, from dy with respect to y: every element of dx is written, the
 * same bits on every run. lp reads x and y. max reads the argmax that forward gave; without one it finds it
 * again from x. What an op does not read may be null, and its strides are not looked at. dx lies apart from
 * all that is read, argmax included. Host memory; blocks until done. */
IIR2D_API int iir2d_pool_backward_cpu(const void* x, const void* y, const void* dy, void* dx,
                                      const int64_t* argmax, const IIR2D_PoolParams* params);

/* Does the same on device memory, as iir2d_pool_forward_cuda; max needs the argmax. */
IIR2D_API int iir2d_pool_backward_cuda(const void* x, const void* y, const void* dy, void* dx,
                                       const int64_t* argmax, const IIR2D_PoolParams* params, void* stream);

#ifdef __cplusplus
}
#endif

#endif
