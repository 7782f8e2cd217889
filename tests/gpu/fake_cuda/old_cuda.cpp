// SPDX-License-Identifier: MIT
// A driver from before CUDA 12: its functions can only be looked up under names without a version, and
// cuGetProcAddress has not got its second form.
#define OLD_CUDA extern "C" __attribute__((visibility("default")))

OLD_CUDA int cuInit(unsigned) {
    return 0;
}
OLD_CUDA int cuDriverGetVersion(int* version) {
    *version = 11040;
    return 0;
}
OLD_CUDA int cuGetProcAddress(const char*, void** function, int, unsigned long long) {
    *function = nullptr;
    return 0;
}
