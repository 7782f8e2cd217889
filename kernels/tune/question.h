// SPDX-License-Identifier: MIT
// Describes what a decision is asked for: a problem on a device with its configs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "kernels/tune/features.h"
#include "kernels/tune/machine.h"

namespace iir2d::tune {

class Question {
  public:
    virtual ~Question() = default;
    virtual Purpose purpose() const = 0;
    virtual std::string key() const = 0;
    virtual Facts facts() const = 0;
    // Returns the candidates. `other_bits`: also those that change bits.
    virtual std::vector<Config> candidates(bool other_bits) const = 0;
    virtual Result<void> check(const Config& config) const = 0;
    // Returns every knob's value as it will be. Precondition: check() accepts the config.
    virtual Config resolve(const Config& config) const = 0;
    // Ids of what computes; the CPU's where nothing else is said.
    virtual std::string machine() const;
    virtual std::string kernels() const;
    // Returns whether runs that a user asks for may take turns: their times must depend on the config.
    virtual bool is_timed_in_use() const { return true; }
    // Returns whether there is a purpose for it.
    virtual bool has_models() const { return true; }
};

// Asks about a problem on a GPU: holds what does not depend on the operation.
class GpuQuestion : public Question {
  public:
    std::string machine() const override { return m_host.machine; }
    std::string kernels() const override;
    bool is_timed_in_use() const override { return false; }

  protected:
    explicit GpuQuestion(GpuHost host) : m_host(std::move(host)) {}
    // Returns the key that begins as that of the same problem on the CPU.
    std::string key_of(const std::string& beginning) const;
    // Returns the facts of the same problem on the CPU, with this GPU's in place of the CPU's.
    Facts on_gpu(Facts facts) const;

  private:
    GpuHost m_host;
};

// Returns the features of the problem by a config, which may be invalid, then that error.
Result<std::vector<float>> features_of(const Question& question, const Config& config);

}  // namespace iir2d::tune
