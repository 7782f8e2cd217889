// SPDX-License-Identifier: MIT
// Before Highway's headers: what is compiled for. The baseline's 128-bit vectors, AVX2, AVX-512, NEON; others
// would only repeat one of these, or have vectors whose length is not known here.
#pragma once

#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLED_TARGETS \
    (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
