/* SPDX-License-Identifier: MIT
 * A line for each case of filters and pooling, with a hash of the result's bits: the same program on two
 * systems prints the same lines. usage: bits [THREADS [FILE]]
 * FILE gets the results of Lp pooling in f64 with other powers than 1 and 2, as numbers: they are of the
 * system's pow(), whose last bits are its own. */
#include <iir2d/iir2d_filter.h>
#include <iir2d/iir2d_pool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest = 2 * 3 * 67 * 129 };
static double f64[largest], d64[largest], r64[largest], g64[largest];
static float f32[largest], d32[largest], r32[largest], g32[largest];
static int64_t places[largest];

static uint64_t hash_of(const void* data, size_t size) {
    const unsigned char* bytes = data;
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* Samples from -1 to 1, of a generator that is the same everywhere. */
static void draw(uint64_t seed, double* wide, float* narrow) {
    uint64_t state = seed;
    for (size_t i = 0; i < largest; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        wide[i] = (double)(int64_t)(state >> 11) / 4503599627370496.0 - 1.0;
        narrow[i] = (float)wide[i];
    }
}

static int filters(int threads) {
    static const int64_t sizes[][2] = {{1, 1}, {3, 67}, {67, 3}, {64, 128}, {67, 129}};
    for (int filter = 1; filter <= 8; ++filter)
        for (int border = 0; border < 4; ++border)
            for (int precision = 0; precision < 3; ++precision)
                for (int start = 0; start < 2; ++start)
                    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
                        IIR2D_FilterParams p = {0};
                        p.size = sizeof p;
                        p.filter_id = filter;
                        p.border_mode = border;
                        p.precision = precision;
                        const int wide = precision == IIR2D_PRECISION_F64;
                        p.element = wide ? IIR2D_ELEMENT_F64 : IIR2D_ELEMENT_F32;
                        p.start = start;
                        p.border_const = 0.25;
                        p.n = 2;
                        p.c = 3;
                        p.height = sizes[s][0];
                        p.width = sizes[s][1];
                        p.threads = threads;
                        const size_t bytes = (size_t)(6 * p.height * p.width) * (wide ? 8 : 4);
                        void* y = wide ? (void*)r64 : r32;
                        void* dx = wide ? (void*)g64 : g32;
                        double dp[64] = {0};
                        int status = iir2d_filter_forward_cpu(wide ? (void*)f64 : f32, y, &p);
                        printf("filter %d %d %d %d %" PRId64 "x%" PRId64 " %d %016" PRIx64, filter, border,
                               precision, start, p.width, p.height, status, hash_of(y, bytes));
                        status = iir2d_filter_backward_cpu(wide ? (void*)f64 : f32, wide ? (void*)d64 : d32,
                                                           dx, dp, &p);
                        printf(" %d %016" PRIx64 " %016" PRIx64 "\n", status, hash_of(dx, bytes),
                               hash_of(dp, sizeof dp));
                    }
    return 0;
}

static int pools(int threads, FILE* of_pow) {
    static const int64_t windows[][6] = {
        {2, 2, 2, 2, 0, 0}, {3, 3, 1, 1, 1, 1}, {5, 2, 2, 3, 0, 1}, {16, 16, 8, 8, 0, 0}};
    static const double powers[] = {2.0, 1.0, 3.0, 2.5};
    for (int op = 0; op < 5; ++op)
        for (int element = 0; element < 2; ++element)
            for (size_t w = 0; w < sizeof windows / sizeof *windows; ++w)
                for (size_t k = 0; k < (op == IIR2D_POOL_LP ? 4 : 1); ++k) {
                    IIR2D_PoolParams p = {0};
                    p.size = sizeof p;
                    p.op = op;
                    const int wide = element == 1;
                    p.element = wide ? IIR2D_ELEMENT_F64 : IIR2D_ELEMENT_F32;
                    p.n = 2;
                    p.c = 3;
                    p.height = 67;
                    p.width = 129;
                    p.window_h = windows[w][0];
                    p.window_w = windows[w][1];
                    p.stride_h = windows[w][2];
                    p.stride_w = windows[w][3];
                    if (op != IIR2D_POOL_LP) {
                        p.padding_h = windows[w][4];
                        p.padding_w = windows[w][5];
                    }
                    p.output_h = 7 + (int64_t)w;
                    p.output_w = 13;
                    p.p = powers[k];
                    p.threads = threads;
                    int64_t height = 0, width = 0;
                    int status = iir2d_pool_output_size(&p, &height, &width);
                    const size_t count = (size_t)(6 * height * width), each = wide ? 8 : 4;
                    const int has_places = op == IIR2D_POOL_MAX || op == IIR2D_POOL_ADAPTIVE_MAX;
                    void* x = wide ? (void*)f64 : f32;
                    void* y = wide ? (void*)r64 : r32;
                    void* dx = wide ? (void*)g64 : g32;
                    if (status == 0) status = iir2d_pool_forward_cpu(x, y, has_places ? places : NULL, &p);
                    printf("pool %d %d %zu %g %d %016" PRIx64, op, element, w,
                           op == IIR2D_POOL_LP ? powers[k] : 0.0, status, hash_of(y, count * each));
                    if (has_places) printf(" %016" PRIx64, hash_of(places, count * sizeof *places));
                    status = iir2d_pool_backward_cpu(x, y, wide ? (void*)d64 : d32, dx,
                                                     has_places ? places : NULL, &p);
                    printf(" %d %016" PRIx64 "\n", status, hash_of(dx, (size_t)(6 * 67 * 129) * each));
                    if (of_pow && wide && op == IIR2D_POOL_LP && powers[k] > 2.0) {
                        const size_t gradients = 6 * 67 * 129;
                        if (fwrite(y, each, count, of_pow) != count ||
                            fwrite(dx, each, gradients, of_pow) != gradients)
                            return 1;
                    }
                }
    return 0;
}

int main(int count, char** arguments) {
    const int threads = count > 1 ? atoi(arguments[1]) : 1;
    draw(1, f64, f32);
    draw(2, d64, d32);
    FILE* of_pow = count > 2 ? fopen(arguments[2], "wb") : NULL;
    if (count > 2 && !of_pow) return 1;
    int status = filters(threads) | pools(threads, of_pow);
    if (of_pow && fclose(of_pow) != 0) status = 1;
    return status;
}
