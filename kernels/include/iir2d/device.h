// SPDX-License-Identifier: MIT
// Describes devices, on which plans run, and how a run is controlled. Thread-safe: a Device is an immutable
// value; the free functions may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "iir2d/error.h"
#include "iir2d/export.h"

namespace iir2d {

enum class Backend { cpu, cuda };

// Holds one fact about a device. `value` is absent where it is not known; `reason` then says why.
struct DeviceProperty {
    std::string key;    // stable, lower_snake, e.g. "compute_capability"
    std::string label;  // for a person, e.g. "Compute capability"
    std::optional<std::string> value;
    std::string unit;  // "" when there is none
    std::string reason;
};

struct DeviceInfo {
    std::string id;    // "cpu", "cuda:0"
    std::string name;  // the processor's or GPU's own name
    Backend backend = Backend::cpu;
    bool usable = false;
    std::string why_not;  // one sentence when not usable
    std::vector<DeviceProperty> properties;
};

class IIR2D_API Device {
  public:
    // Returns the CPU with at most `threads` threads, and never more than the process may use; 0 means all of
    // those. Without oneTBB it is always one.
    static Result<Device> cpu(int threads = 0);
    // Returns GPU N as the NVIDIA driver counts them. The error says in one sentence why it cannot be used.
    static Result<Device> cuda(int index = 0);

    Backend backend() const { return m_backend; }
    int index() const { return m_index; }      // N of cuda:N; 0 on the CPU
    int threads() const { return m_threads; }  // of the CPU backend; 1 for CUDA
    std::string id() const;                    // "cpu", "cuda:0"
    std::string name() const;                  // "AMD EPYC 7763", ...

  private:
    Device(Backend backend, int index, int threads)
        : m_backend(backend), m_index(index), m_threads(threads) {}
    Backend m_backend;
    int m_index;
    int m_threads;
};

// Returns the milliseconds, by the GPU's own clock, of copying `bytes` from one place of its memory to
// another: the yardstick of a latency on a GPU. An error for a device that is no GPU.
IIR2D_API Result<double> time_device_copy(const Device& device, std::size_t bytes);

// The state of a GPU at one moment, from NVIDIA's management library (NVML). A value that is not available is
// absent, and `reason` says why.
struct DeviceState {
    std::optional<unsigned> sm_clock_mhz;
    std::optional<unsigned> temperature_c;
    std::optional<double> power_w;                  // of the board; newer GPUs average over a second
    std::optional<std::uint64_t> throttle_reasons;  // bits that throttle_words() names; 0: nothing
    std::string reason;                             // "" when every value is there
};

// Samples the state of a GPU by four queries of the host's driver: nothing is enqueued on the GPU and no
// context is made. The GPU is found by its PCI address, so that CUDA_VISIBLE_DEVICES does not matter; a MIG
// instance has the values of the whole GPU it is a part of. All values are absent for the CPU. Never throws.
IIR2D_API DeviceState sample_device(const Device& device) noexcept;

// Names the reasons that throttle the clocks, in NVML's words, lowest bit first: "power cap", "thermal,
// hardware". "idle" is among them: a GPU that has nothing to do. Empty for 0.
IIR2D_API std::vector<std::string> throttle_words(std::uint64_t reasons);

struct DeviceChoice {
    Device device;
    std::string reason;  // why this one, to be shown wherever the choice is shown
};

// Chooses a device: `spec` is "auto" (the first usable GPU, else the CPU), "cpu", "cuda" or "cuda:N". An
// error names what is not usable and why; "auto" never fails. `threads` as for Device::cpu.
IIR2D_API Result<DeviceChoice> choose_device(std::string_view spec, int threads = 0);

// Lists every device the library knows of, usable or not, the CPU first. A machine without CUDA still gets
// one row "cuda" that says why.
IIR2D_API std::vector<DeviceInfo> list_devices();

// Returns the list as JSON text with a line's end, as `iir2d devices --json` prints it: UTF-8, indented by
// two, no control character but line ends.
IIR2D_API std::string describe_devices();

// Holds where the time of one run on a GPU went, by the GPU's own clock. Uploading and downloading include
// the host's packing and unpacking of the planes, piece by piece, for which the copies may wait.
struct RunTimes {
    double upload_ms = 0.0;
    double compute_ms = 0.0;
    double download_ms = 0.0;
    std::int64_t uploaded_bytes = 0;
    std::int64_t downloaded_bytes = 0;

    // Adds the times of a run that followed.
    RunTimes& operator+=(const RunTimes& next) {
        upload_ms += next.upload_ms;
        compute_ms += next.compute_ms;
        download_ms += next.download_ms;
        uploaded_bytes += next.uploaded_bytes;
        downloaded_bytes += next.downloaded_bytes;
        return *this;
    }
};

// Controls one run. run() blocks, looks at `stop` at least every few milliseconds (on the CPU between tiles
// and passes, on a GPU between pieces of the transfers), and calls `progress` with a fraction in [0, 1] from
// the calling thread. `times`, when not null, is filled in by a successful run on a GPU.
struct RunControl {
    std::stop_token stop = {};
    std::function<void(double)> progress = {};
    RunTimes* times = nullptr;
};

}  // namespace iir2d
