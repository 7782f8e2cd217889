// SPDX-License-Identifier: MIT
// What the stand-in driver is asked to be, read anew at every call from the environment variable FAKE_CUDA:
// "name=value" with commas between. Names not given have their defaults.
//
//   devices=1          how many GPUs there are
//   hidden=0           how many GPUs before the first are hidden from the driver, not from NVML
//   driver=13000       the CUDA version the driver supports
//   capability=90      of every GPU, times ten
//   pools=1            0: no GPU has stream-ordered memory
//   missing=NAME       a driver function that this driver does not have
//   init=0             what cuInit answers
//   load=0  kernel=0   what cuLibraryLoadData and cuLibraryGetKernel answer
//   alloc=0            the allocation, counted from 1, that finds no memory
//   launch=0           the launch, counted from 1, that faults
//   launch_code=700    what it answers, and every call after it
//   reset=0            what resetting a device answers: 101 of one that was removed
//   graphs=1           0: no stream can be captured
//   pinned=1           0: no host memory can be pinned
//   queued=0           1: work waits in its stream until somebody waits for it
//   nvml=1             0: the management library does not start
//   nvml_pci=1         0: it knows GPUs by their UUID alone
//   nvml_deprecated=1  0: it has no deprecated function any more
//   nvml_lacks=WORDS   values it does not have: any of clock, temperature, power, throttle ("clock+power")
//   mig=0              1: its GPUs are divided
//   throttle=4         what holds the clocks back, in NVML's bits
//   kernels=source     what runs: the kernels' source as C++, or the file of a PTX text, in the executor of
//   core/ptx;
//                      a finding there is a failed launch, with its sentence on stderr
//   counts=FILE        with a text: where each launch adds a line of JSON, what was counted of it
//   checks=all         with a text: bounds leaves out races and reads of what nobody wrote, for large images
//   folds_nan=0        1: in a text of a program's own, setp.ge.f32 is true of NaN too, unless the driver is
//                      asked not to optimise; 2: then as well
//   drift=0            MHz by which the SM clock is lower each time it is asked for
#pragma once

#include <cstdint>
#include <string>

namespace fake_cuda {

std::string setting(const std::string& name, const std::string& otherwise);
int number(const std::string& name, int otherwise);

// What the stand-in has seen of the process so far; it exports fake_cuda_counts(Counts*).
struct Counts {
    int allocations = 0;
    int launches = 0;  // of kernels and of graphs
    int graph_launches = 0;
    int graphs_held = 0;  // recorded or made ready to launch, now
    std::int64_t uploaded_bytes = 0;
    std::int64_t downloaded_bytes = 0;
    std::int64_t held_bytes = 0;  // of device memory, now
};

}  // namespace fake_cuda
