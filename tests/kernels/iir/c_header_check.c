/* SPDX-License-Identifier: MIT */
/* Compiled as C: the headers are C, and their numbers are the contract's. */
#include "iir2d/iir2d_core.h"
#include "iir2d/iir2d_filter.h"

int iir2d_c_header_check(void);

_Static_assert(IIR2D_STATUS_CUDA_ERROR == -8, "status numbers are fixed");
_Static_assert(IIR2D_BORDER_CONSTANT == 3, "border numbers are fixed");
_Static_assert(IIR2D_PRECISION_F64 == 2, "precision numbers are fixed");
_Static_assert(sizeof(IIR2D_Params) == 24, "the struct's layout is fixed");

_Static_assert(IIR2D_STATUS_CANCELLED == -100, "status numbers are fixed");
_Static_assert(IIR2D_START_STEADY == 1, "start numbers are fixed");
_Static_assert(offsetof(IIR2D_FilterParams, size) == 0, "a struct that may grow begins with its size");
_Static_assert(sizeof(void*) != 8 || sizeof(IIR2D_FilterParams) == 208, "the struct's layout is fixed");

int iir2d_c_header_check(void) {
    return iir2d_api_version_packed();
}
