/* SPDX-License-Identifier: MIT */
/* Compiled as C: the header is one, and its numbers are the contract's. */
#include "iir2d/iir2d_core.h"

int iir2d_c_header_check(void);

_Static_assert(IIR2D_STATUS_CUDA_ERROR == -8, "status numbers are fixed");
_Static_assert(IIR2D_BORDER_CONSTANT == 3, "border numbers are fixed");
_Static_assert(IIR2D_PRECISION_F64 == 2, "precision numbers are fixed");
_Static_assert(sizeof(IIR2D_Params) == 24, "the struct's layout is fixed");

int iir2d_c_header_check(void) {
    return iir2d_api_version_packed();
}
