// SPDX-License-Identifier: MIT
// The process's decisions: options, models, what was learned, what is being measured, and what was decided.
// Thread-safe: a decision that was made before is read under a shared lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "iir2d/tune.h"
#include "kernels/tune/choose.h"
#include "kernels/tune/held_model.h"
#include "kernels/tune/learned.h"

namespace iir2d::tune {

class Decider {
  public:
    static Decider& of_process();

    void set_options(const TuneOptions& options);
    TuneOptions options() const;
    void set_chooser(std::shared_ptr<const Chooser> chooser);
    // Puts a model to those that it replaces, or leaves it where another may decide and it may not.
    void hold(std::shared_ptr<const HeldModel> held);
    void forget_models();

    std::size_t import_learned(std::string_view lines);
    std::string export_learned(LearnedPart part) const;
    void forget_learned(std::optional<std::string_view> key);

    // Returns why static is the choice where nothing has to be asked about the problem; counts nothing.
    // `own`: a plan's own options; null: the process's.
    std::optional<TuneReason> static_at_once(Purpose purpose, const TuneOptions* own) const;
    Decision choose(const Question& question, const TuneOptions* own);
    Explanation explain(const Question& question, const TuneOptions& options) const;
    void add_run(const Turn& turn, std::size_t index, double milliseconds);

    void count(TuneReason reason);
    void count_veto() { ++m_vetoed; }
    TuneStatistics statistics(bool reset);

  private:
    void hold_embedded();
    // Holds the models of one purpose.
    struct Models {
        std::shared_ptr<const HeldModel> active;
        std::shared_ptr<const HeldModel> other;  // that may not decide
    };
    struct Snapshot {
        TuneOptions options;
        Models models;
        std::shared_ptr<const Chooser> chooser;
        std::uint64_t state = 0;
    };
    struct Kept {
        Choice choice;
        std::atomic<std::uint64_t> used{0};
    };

    Decider();
    Snapshot snapshot(Purpose purpose, const TuneOptions* own) const;
    // Returns why options decide nothing: they are out of their ranges, or the mode is off.
    std::optional<TuneReason> silence(const TuneOptions* own) const;
    // Returns what was learned and is valid for the problem. `other_bits`: also where it changes bits.
    std::optional<Choice> from_learned(const Question& question, const std::string& key,
                                       bool other_bits) const;
    Choice from_models(const Snapshot& now, const Question& question, std::size_t& filtered) const;
    std::optional<Decision> exploring(const Snapshot& now, const Question& question, const std::string& key);
    std::vector<Config> proposed(const Snapshot& now, const Question& question) const;
    std::optional<Choice> from_chooser(const Chooser& chooser, const Question& question,
                                       const std::string& key, bool other_bits) const;
    void keep(const std::string& id, const Choice& choice, std::uint64_t state);
    static LearnedPlace place_of(const Question& question, const std::string& key);

    mutable std::shared_mutex m_mutex;
    TuneOptions m_options;
    bool m_is_error = false;
    std::array<Models, purpose_count> m_models;
    std::shared_ptr<const Chooser> m_chooser;
    Learned m_learned;
    std::unordered_map<std::string, std::shared_ptr<Exploration>> m_explorations;
    std::unordered_map<std::string, Kept> m_decisions;
    // Rises when what decisions are made of changes: those that were being made meanwhile are not kept.
    std::uint64_t m_state = 0;
    std::atomic<std::uint64_t> m_clock{0};

    std::array<std::atomic<std::uint64_t>, tune_reason_count> m_reasons{};
    std::atomic<std::uint64_t> m_cached{0};
    std::atomic<std::uint64_t> m_filtered{0};
    std::atomic<std::uint64_t> m_explored{0};
    std::atomic<std::uint64_t> m_settled{0};
    std::atomic<std::uint64_t> m_vetoed{0};
    std::atomic<std::uint64_t> m_evicted{0};
    std::atomic<std::uint64_t> m_bad_lines{0};
};

}  // namespace iir2d::tune
