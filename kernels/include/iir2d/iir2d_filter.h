/* SPDX-License-Identifier: MIT
 *
 * The recursive filters in the stable C interface of libiir2d, with everything that iir2d_core.h's plain
 * forward functions leave out: batches [N, C, H, W] with strides, parameters for all planes or for each,
 * 16-bit elements, both starts, progress, the adjoint and the gradients of the parameters. Status codes,
 * enumerations, version and iir2d_last_error are iir2d_core.h's; docs/filters.md has the mathematics. Every
 * function is safe to call from several threads at once on distinct output buffers.
 *
 * Checks, in this order: null pointers, the struct's size, dimensions and strides, filter id, border mode,
 * precision and element, start and flags, parameters (iir2d_last_error names the one and its range), how the
 * memory lies (every tensor at a multiple of its element's size, what is written apart from what is read, or
 * in its place where that is allowed), workspace, device. When one fails, nothing is written.
 * IIR2D_STATUS_WORKSPACE_ERROR also says that there was not enough memory.
 */
#ifndef IIR2D_FILTER_H
#define IIR2D_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "iir2d/export.h"
#include "iir2d/iir2d_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fields are added at the end only; a struct that is shorter than the library's has 0 in those it lacks, a
 * longer one must have 0 in those that the library lacks, and at most 4096 bytes.
 *
 * Element types go with precisions: IIR2D_ELEMENT_F64 with IIR2D_PRECISION_F64, the others with
 * IIR2D_PRECISION_F32 and IIR2D_PRECISION_MIXED. Of 16-bit elements the result has the bits of the filter on
 * the same values in F32, rounded once, to nearest, ties to even. */
typedef struct IIR2D_FilterParams {
    size_t size;                 /* sizeof(IIR2D_FilterParams) of the caller */
    int32_t filter_id;           /* of the filter table, from 1 */
    int32_t border_mode;         /* IIR2D_BorderMode */
    int32_t precision;           /* IIR2D_Precision */
    int32_t element;             /* IIR2D_ElementType, of every tensor */
    int32_t start;               /* IIR2D_Start */
    int32_t normalise_gain;      /* 0 or 1: divide by the gain at frequency zero, each axis on its own */
    int64_t n, c, height, width; /* at least 1 */
    double border_const;         /* read outside the plane under IIR2D_BORDER_CONSTANT; adjoints drop it */
    /* Host memory: `parameter_sets` sets, one after the other, each with all of the filter's parameters in
     * the order of iir2d_filter_parameter. Null: the defaults; a NaN: that parameter's default. */
    const double* parameters;
    int64_t parameter_sets; /* 1: for all planes; n * c: one for each, n-major; 0: as 1 where `parameters` is
                               null */
    /* Elements from one n to the next, from one c to the next, from one row to the next. All three 0: dense.
     * Else a row stride is at least the width, and 0 for n or c repeats a plane, in what is only read. */
    int64_t x_stride[3], y_stride[3], dy_stride[3], dx_stride[3];
    int32_t threads; /* on the CPU at most; 0: all that the process may use */
    /* On the CPU, or null: called by the calling thread every few milliseconds with the share that is done, 0
     * to 1. Where it returns anything but 0, the call ends soon with IIR2D_STATUS_CANCELLED. */
    int (*poll)(void* user, double fraction);
    void* user; /* handed to poll */
} IIR2D_FilterParams;

/* Returns in `parameters` how many parameters a filter has. */
IIR2D_API int iir2d_filter_count(int filter_id, int32_t* parameters);

/* Describes parameter `index` of a filter, from 0: its name, the range of its values, its default, and
 * whether it is a switch (0 or 1), which has no gradient. The name is never freed. */
IIR2D_API int iir2d_filter_parameter(int filter_id, int32_t index, const char** name, double* minimum,
                                     double* maximum, double* initial, int32_t* is_switch);

/* Returns the filter's short name, "ema" of filter 1; null where there is no such filter. */
IIR2D_API const char* iir2d_filter_key(int filter_id);

/* Filters x into y, in host memory: along every row, then along every column of the result. y may be x with
 * the same strides, else the two must not overlap. Blocks until done. */
IIR2D_API int iir2d_filter_forward_cpu(const void* x, void* y, const IIR2D_FilterParams* params);

/* Computes gradients of a loss, from its gradient dy with respect to y = forward(x). dx takes that with
 * respect to x, the filter's adjoint of dy; dp that with respect to the parameters: parameter_sets sets in
 * the order of `parameters`, 0 for switches; a set for all planes has the sum over them. Either may be null:
 * it is not computed then. x is read only for dp and may else be null. dx may be dy with the same strides and
 * overlaps nothing else. Host memory; the same bits on every run and for every number of threads. */
IIR2D_API int iir2d_filter_backward_cpu(const void* x, const void* dy, void* dx, double* dp,
                                        const IIR2D_FilterParams* params);

/* Returns in `bytes` how much device memory a call on a GPU needs as its workspace: forward, or backward with
 * or without dp. Uses no device. */
IIR2D_API int iir2d_filter_workspace_cuda(const IIR2D_FilterParams* params, int32_t backward, int32_t with_dp,
                                          size_t* bytes);

/* Does the same as iir2d_filter_forward_cpu on device memory, asynchronously on `stream` (a CUstream or
 * cudaStream_t) and in its context; null is the legacy default stream of the current context and, in a thread
 * that has none, of the primary context of the device that the data lies on. Allocates nothing and waits for
 * nothing, so it may be captured in a graph. `workspace` has at least the bytes of
 * iir2d_filter_workspace_cuda, at a multiple of 16, until the stream has passed the call; null where that is
 * 0. */
IIR2D_API int iir2d_filter_forward_cuda(const void* x, void* y, const IIR2D_FilterParams* params,
                                        void* workspace, size_t bytes, void* stream);

/* Does the same as iir2d_filter_backward_cpu, likewise; dp is device memory too. For dp the planes are
 * widened to double, all of them where they have few samples, else those of an image or one by one, and a few
 * such planes are the workspace. The same bits on every run. */
IIR2D_API int iir2d_filter_backward_cuda(const void* x, const void* dy, void* dx, double* dp,
                                         const IIR2D_FilterParams* params, void* workspace, size_t bytes,
                                         void* stream);

#ifdef __cplusplus
}
#endif

#endif
