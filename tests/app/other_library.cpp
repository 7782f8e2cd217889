// SPDX-License-Identifier: MIT
// What may lie where the image module should: a library without its function, or one of another build.
#include "core/image/codec.h"

#if defined(IIR2D_OTHER_MODULE)

extern "C" __attribute__((visibility("default"))) const workbench::ImagesModule* iir2d_images_module() {
    static constexpr workbench::ImagesModule table{.fingerprint = "iir2d images 0, of another build",
                                                   .open = nullptr,
                                                   .names = nullptr,
                                                   .create = nullptr,
                                                   .formats = nullptr,
                                                   .version = nullptr};
    return &table;
}

#else

extern "C" __attribute__((visibility("default"))) int iir2d_nothing() {
    return 0;
}

#endif
