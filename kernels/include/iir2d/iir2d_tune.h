/* SPDX-License-Identifier: MIT
 *
 * How calls are executed, in the stable C interface of libiir2d: the functions of iir2d_core.h and
 * iir2d_pool.h with a config that is given, configs as texts, and how the library chooses where none is. A
 * config changes the time of a result, and none of its bits but by `warps` and `carry` on a GPU. What is
 * valid where: docs/tuning.md. Since version 1.2.0. Every function is safe to call from several threads at
 * once on distinct output buffers.
 */
#ifndef IIR2D_TUNE_H
#define IIR2D_TUNE_H

#include <stddef.h>
#include <stdint.h>

#include "iir2d/export.h"
#include "iir2d/iir2d_core.h"
#include "iir2d/iir2d_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum IIR2D_Stores {
    IIR2D_STORES_THROUGH = 1, /* through the caches */
    IIR2D_STORES_PAST = 2     /* past them */
} IIR2D_Stores;

typedef enum IIR2D_Share {
    IIR2D_SHARE_PLANES = 1, /* a plane for each thread */
    IIR2D_SHARE_ROWS = 2    /* all threads in one plane, or a few small ones */
} IIR2D_Share;

/* Names the order in which maxima are found; of two words the first is along y, the second along x. */
typedef enum IIR2D_Way {
    IIR2D_WAY_WINDOWS = 1,
    IIR2D_WAY_SEQUENCE_SEQUENCE = 2,
    IIR2D_WAY_SEQUENCE_PARTS = 3,
    IIR2D_WAY_SEQUENCE_CLIMB = 4,
    IIR2D_WAY_PARTS_SEQUENCE = 5,
    IIR2D_WAY_PARTS_PARTS = 6,
    IIR2D_WAY_PARTS_CLIMB = 7,
    IIR2D_WAY_CLIMB_SEQUENCE = 8,
    IIR2D_WAY_CLIMB_PARTS = 9,
    IIR2D_WAY_CLIMB_CLIMB = 10
} IIR2D_Way;

/* Holds one field for each knob; 0 is "auto", the library's own rule. Fields are added at the end only; a
 * struct that is shorter than the library's has 0 in those it lacks, a longer one must have 0 in those that
 * the library lacks, and at most 4096 bytes. */
typedef struct IIR2D_Config {
    size_t size;     /* sizeof(IIR2D_Config) of the caller */
    int32_t threads; /* 1 to those that the process may use */
    int32_t stores;  /* IIR2D_Stores */
    int32_t share;   /* IIR2D_Share, of filters */
    int32_t part;    /* of filters: a multiple of 32 */
    int32_t strip;   /* of filters: a multiple of 64 */
    int32_t way;     /* IIR2D_Way, of max pooling */
    int32_t task;    /* of pooling: a power of two */
    /* For GPUs; on the CPU 0. */
    int32_t block;    /* of pooling: 64, 128 or 256 */
    int32_t steps;    /* of pooling: from 1 to 64 */
    int32_t pairs;    /* of pooling 2x2: 1 off, 2 on */
    int32_t graph;    /* of filters: 1 off, 2 on */
    int32_t warps;    /* of filters: a power of two to 16; other bits, within the precision's bound */
    int32_t carry;    /* of filters: 1 warm-up, 2 exact; likewise */
    int32_t reserved; /* 0: the next field's place, so that no struct ends in bytes that nobody wrote */
} IIR2D_Config;

/* Reads "threads:1 stores:past" into *config, whose size is set before, or "static". An unknown or repeated
 * knob or value is IIR2D_STATUS_INVALID_ARGUMENT. */
IIR2D_API int iir2d_config_parse(const char* text, IIR2D_Config* config);

/* Writes the config's text with a closing zero; `needed` gets its bytes. With a capacity of 0 nothing is
 * written; one that is too small is IIR2D_STATUS_WORKSPACE_ERROR. */
IIR2D_API int iir2d_config_text(const IIR2D_Config* config, char* text, size_t capacity, size_t* needed);

/* Do the same as iir2d_forward_cpu, iir2d_pool_forward_cpu and iir2d_pool_backward_cpu, by a config. One that
 * is not valid for the call is IIR2D_STATUS_INVALID_ARGUMENT, after all other checks of fields;
 * iir2d_last_error names the knob, its value and what is valid. A null config is a null pointer. */
IIR2D_API int iir2d_forward_cpu_with(const void* in, void* out, const IIR2D_Params* params,
                                     const IIR2D_Config* config);
IIR2D_API int iir2d_pool_forward_cpu_with(const void* x, void* y, int64_t* argmax,
                                          const IIR2D_PoolParams* params, const IIR2D_Config* config);
IIR2D_API int iir2d_pool_backward_cpu_with(const void* x, const void* y, const void* dy, void* dx,
                                           const int64_t* argmax, const IIR2D_PoolParams* params,
                                           const IIR2D_Config* config);

/* Says what decides how a call without a config is executed, in this process from now on. Before the first
 * call the environment's IIR2D_TUNE says it ("off", "auto", "model", "measure"). */
typedef enum IIR2D_TuneMode {
    IIR2D_TUNE_OFF = 0,    /* the library's own rules alone */
    IIR2D_TUNE_AUTO = 1,   /* learned entries, then the models */
    IIR2D_TUNE_MODEL = 2,  /* the models */
    IIR2D_TUNE_MEASURE = 3 /* as AUTO, and calls measure in turn what models propose */
} IIR2D_TuneMode;
IIR2D_API int iir2d_tune_set_mode(int mode);

/* Chooses a config for the caller: gets the problem's key and its candidates and returns an index, or -1 to
 * leave it to the library. Any other index is an error, and the library's own rules apply. Called from any
 * thread, several at a time, unless the mode is off; must not throw, and may take its time: only its own call
 * waits. A null function removes it; one that is being called meanwhile ends its call. */
typedef int64_t (*IIR2D_TuneChooser)(void* user, const char* key, const IIR2D_Config* candidates,
                                     size_t count);
IIR2D_API int iir2d_tune_set_chooser(IIR2D_TuneChooser chooser, void* user);

/* Reads a file model.trees; its path is UTF-8. A model of another machine or of other kernels is loaded and
 * does not decide. A file that cannot be read or is not a model is IIR2D_STATUS_INVALID_ARGUMENT, and
 * everything stays as it was. */
IIR2D_API int iir2d_tune_load_model(const char* path);

/* Read and write learned entries as text, a line each, which a program may keep anywhere. Import adds lines,
 * of which the newest of a problem counts; malformed lines are skipped and counted as bad_lines. Export works
 * as iir2d_config_text(). */
IIR2D_API int iir2d_tune_import(const char* text);
IIR2D_API int iir2d_tune_export(char* text, size_t capacity, size_t* needed);

/* Counts decisions by their reason, and other events. Fields are added at the end only, as in
 * IIR2D_Config. */
typedef struct IIR2D_TuneStats {
    size_t size;    /* sizeof(IIR2D_TuneStats) of the caller */
    uint64_t calls; /* decisions: the sum of the reasons, which follow */
    uint64_t pinned;
    uint64_t off;
    uint64_t chooser;
    uint64_t learned;
    uint64_t exploring;
    uint64_t model;
    uint64_t static_as_good;
    uint64_t table;
    uint64_t no_model;
    uint64_t foreign_machine;
    uint64_t stale_kernels;
    uint64_t unproven;
    uint64_t wrong_space;
    uint64_t wrong_features;
    uint64_t unsupported_op;
    uint64_t empty;
    uint64_t error;
    uint64_t cached;    /* decisions that had been made before */
    uint64_t filtered;  /* candidates that threshold and k cut */
    uint64_t explored;  /* runs that were measured and counted */
    uint64_t settled;   /* problems that became learned */
    uint64_t vetoed;    /* runs whose rows do not lie as their stores ask */
    uint64_t evicted;   /* decisions forgotten for others */
    uint64_t bad_lines; /* of learned entries */
} IIR2D_TuneStats;
/* Fills *stats, whose size is set before; where reset is not 0 it then sets the counts to 0. */
IIR2D_API int iir2d_tune_stats(IIR2D_TuneStats* stats, int reset);

#ifdef __cplusplus
}
#endif

#endif
