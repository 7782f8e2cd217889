/* SPDX-License-Identifier: MIT
 *
 * The stable C interface of libiir2d. No enum value or struct field is renumbered or reordered within a
 * major version. Every function is safe to call from several threads at once on distinct output buffers.
 *
 * All forward functions here take one plane of width x height elements, contiguous rows, row-major: float for
 * IIR2D_PRECISION_F32 and IIR2D_PRECISION_MIXED, double for IIR2D_PRECISION_F64. `in` may equal `out`;
 * otherwise the two must not overlap. The filter runs along every row, then along every column of the
 * result, with its default coefficients and the truncated start (docs/filters.md has the mathematics).
 * iir2d_filter.h has batches, strides, parameters, other element types and gradients.
 *
 * Checks, in this order: null pointers, dimensions, filter id, border mode, precision. When one fails,
 * nothing is written to `out`.
 */
#ifndef IIR2D_CORE_H
#define IIR2D_CORE_H

#include <stddef.h>

#include "iir2d/export.h"

#define IIR2D_API_VERSION_MAJOR 1
#define IIR2D_API_VERSION_MINOR 2
#define IIR2D_API_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef enum IIR2D_Status {
    IIR2D_STATUS_OK = 0,
    IIR2D_STATUS_INVALID_ARGUMENT = -1,
    IIR2D_STATUS_INVALID_DIMENSION = -2,
    IIR2D_STATUS_INVALID_FILTER_ID = -3,
    IIR2D_STATUS_INVALID_BORDER_MODE = -4,
    IIR2D_STATUS_INVALID_PRECISION = -5,
    IIR2D_STATUS_NULL_POINTER = -6,
    IIR2D_STATUS_WORKSPACE_ERROR = -7,
    IIR2D_STATUS_CUDA_ERROR = -8,
    IIR2D_STATUS_CANCELLED = -100 /* the caller's poll asked; what was to be written is unspecified */
} IIR2D_Status;

typedef enum IIR2D_BorderMode {
    IIR2D_BORDER_CLAMP = 0,
    IIR2D_BORDER_MIRROR = 1,
    IIR2D_BORDER_WRAP = 2,
    IIR2D_BORDER_CONSTANT = 3
} IIR2D_BorderMode;

typedef enum IIR2D_Precision {
    IIR2D_PRECISION_F32 = 0,
    IIR2D_PRECISION_MIXED = 1,
    IIR2D_PRECISION_F64 = 2
} IIR2D_Precision;

/* Says how a line begins: from a few border samples, or in the state that an infinite run over the border's
 * extension would have left. */
typedef enum IIR2D_Start { IIR2D_START_TRUNCATED = 0, IIR2D_START_STEADY = 1 } IIR2D_Start;

typedef enum IIR2D_ElementType {
    IIR2D_ELEMENT_F32 = 0,
    IIR2D_ELEMENT_F64 = 1,
    IIR2D_ELEMENT_F16 = 2, /* IEEE 754 binary16 */
    IIR2D_ELEMENT_BF16 = 3 /* the upper half of a binary32 */
} IIR2D_ElementType;

typedef struct IIR2D_Params {
    int width;          /* columns, at least 1 */
    int height;         /* rows, at least 1 */
    int filter_id;      /* of the filter table, from 1 */
    int border_mode;    /* IIR2D_BorderMode */
    float border_const; /* read outside the plane under IIR2D_BORDER_CONSTANT */
    int precision;      /* IIR2D_Precision */
} IIR2D_Params;

/* Filters host memory on the CPU. Blocks until done. */
IIR2D_API int iir2d_forward_cpu(const void* in, void* out, const IIR2D_Params* params);

/* Filters device memory of the caller's current CUDA context, on its legacy default stream. Blocks until
 * done. IIR2D_STATUS_CUDA_ERROR where CUDA cannot be used, and in builds without CUDA kernels; the process
 * stays healthy. */
IIR2D_API int iir2d_forward_cuda(const void* in, void* out, const IIR2D_Params* params);

/* Does the same, asynchronously on `stream` (a CUstream or cudaStream_t; null is the legacy default stream):
 * returns when the work is enqueued. Filter 6's workspace is allocated and freed in the stream's order. */
IIR2D_API int iir2d_forward_cuda_stream(const void* in, void* out, const IIR2D_Params* params, void* stream);

/* Returns "ok", "invalid_argument", ...; "unknown_status" for any number that is not an IIR2D_Status. Never
 * null. */
IIR2D_API const char* iir2d_status_string(int status);

/* Returns one sentence about why the calling thread's last call failed, which names the field and its value;
 * "" when it succeeded. Every function that returns a status sets it, others leave it as it is. Never null;
 * the text stays as it is until the thread's next call. UTF-8. */
IIR2D_API const char* iir2d_last_error(void);

/* Copies `bytes` of device memory to the host, in the order of `stream` and in its context (null is as for
 * iir2d_filter_forward_cuda), and waits for them. */
IIR2D_API int iir2d_copy_to_host_cuda(void* to, const void* from, size_t bytes, void* stream);

/* Writes to `json` what `iir2d devices --json` prints, as UTF-8 with a zero behind it: every device that the
 * library knows of, usable or not, and what it knows about it. `needed` takes the bytes, the zero among them.
 * With less capacity nothing is written to `json`: IIR2D_STATUS_OK where the capacity is 0, which only asks
 * for the size and lets `json` be null, and else IIR2D_STATUS_WORKSPACE_ERROR. */
IIR2D_API int iir2d_describe_devices(char* json, size_t capacity, size_t* needed);

IIR2D_API int iir2d_api_version_major(void);
IIR2D_API int iir2d_api_version_minor(void);
IIR2D_API int iir2d_api_version_patch(void);
/* Returns major * 10000 + minor * 100 + patch. */
IIR2D_API int iir2d_api_version_packed(void);

/* Returns version, commit, compiler, CUDA toolkit and architectures, on one line. Never null. */
IIR2D_API const char* iir2d_build_fingerprint(void);

#ifdef __cplusplus
}
#endif

#endif
