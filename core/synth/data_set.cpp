// SPDX-License-Identifier: MIT
#include "core/synth/data_set.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_set>

#include "core/support/atomic_file.h"
#include "core/support/file_lock.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/batches.h"
#include "core/synth/data_set_files.h"
#include "core/synth/record_shape.h"
#include "core/synth/shards.h"

namespace workbench::synth {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Candidate j's category: the wanted ones in turn, more often those of which more are wanted.
std::vector<Category> turn_of(const std::map<Category, std::uint64_t>& quotas) {
    std::vector<Category> made;
    std::uint64_t least = 0;
    for (const auto& [category, count] : quotas)
        least = count && (least == 0 || count < least) ? count : least;
    for (const auto& [category, count] : quotas) {
        if (count == 0) continue;
        const std::uint64_t times = std::clamp<std::uint64_t>((count + least / 2) / least, 1, 20);
        made.insert(made.end(), times, category);
    }
    return made;
}

class Run {
  public:
    Run(const GenerateOptions& options, const MakeToolchain& make,
        const std::function<void(const GenerateProgress&)>& report, const std::stop_token& stop)
        : m_options(options),
          m_make(make),
          m_report(report),
          m_stop(stop),
          m_quotas(quotas_of(options)),
          m_turn(turn_of(m_quotas)),
          m_run{.seed = options.seed,
                .count = options.count,
                .quotas = m_quotas,
                .targets = options.judge.targets,
                .backward = options.judge.backward,
                .levels = options.judge.levels,
                .shard = options.shard,
                .unavailable = options.unavailable} {}

    Result<GenerateProgress> run() {
        IIR2D_RETURN_IF_ERROR(begin());
        if (m_progress.was_complete) return m_progress;
        if (const std::error_code made = make_folder())
            return fail(ErrorKind::unwritable_output, m_options.folder.string() + ": " + made.message());
        while (!is_full()) {
            if (m_stop.stop_requested()) return cancelled();
            if (has_too_many_mismatches()) {
                // They are what is to be reported.
                if (!m_rejected.empty()) IIR2D_RETURN_IF_ERROR(flush());
                return fail(ErrorKind::check_failed, std::to_string(most_mismatches) +
                                                         " kernels disagree: it stops, and they are among "
                                                         "the rejected");
            }
            // A compiler that is asked to stop does so in the middle of a batch.
            if (auto taken = next_batch(); !taken)
                return taken.error().kind == ErrorKind::cancelled ? cancelled()
                                                                  : std::unexpected(taken.error());
            if (m_report) m_report(m_progress);
        }
        if (!m_records.empty()) IIR2D_RETURN_IF_ERROR(flush());
        IIR2D_RETURN_IF_ERROR(finish_files(m_options.folder, m_run));
        return m_progress;
    }

  private:
    static std::unexpected<Error> cancelled() {
        return fail(ErrorKind::cancelled, "cancelled: whole shards are kept");
    }

    std::error_code make_folder() {
        std::error_code failed;
        fs::create_directories(m_options.folder / "shards", failed);
        return failed;
    }

    // Reads what is there, and writes run.json where nothing is.
    Result<void> begin() {
        const fs::path run = m_options.folder / "run.json";
        const std::string wanted = run_text(m_run);
        std::error_code ignored;
        const auto is_empty = [&] {
            return !fs::exists(m_options.folder, ignored) || fs::is_empty(m_options.folder, ignored);
        };
        const auto is_taken = [&] {
            return fail(ErrorKind::bad_argument,
                        m_options.folder.string() + " is not empty: give another folder, or --resume");
        };
        if (!is_empty() && !m_options.resume) return is_taken();
        if (is_empty()) {
            std::error_code failed;
            fs::create_directories(m_options.folder, failed);
            if (failed)
                return fail(ErrorKind::unwritable_output,
                            m_options.folder.string() + ": " + failed.message());
        }
        // Two at a time would remove and write each other's files.
        IIR2D_TRY(m_lock, FileLock::of_folder(m_options.folder));
        if (is_empty()) {
            // Nothing comes before run.json: a run that is killed here is begun anew, or resumed.
            return write_file_atomically(run, wanted);
        }
        if (!m_options.resume) return is_taken();
        // What a killed run was writing.
        remove_leftovers(m_options.folder);
        remove_leftovers(m_options.folder / "shards");
        if (!fs::exists(run, ignored) && fs::is_empty(m_options.folder, ignored))
            return write_file_atomically(run, wanted);
        IIR2D_TRY(const std::string found, read_file(run));
        if (const auto json = read_json(found); !json || !json->is_object())
            return fail(ErrorKind::bad_input, run.string() + " is damaged: take another folder");
        // Whatever else is not a run's differs below.
        if (auto begun = read_run(m_options.folder)) m_run.unavailable = std::move(begun->unavailable);
        if (const std::string going_on = run_text(m_run); found != going_on)
            return fail(ErrorKind::bad_argument,
                        run.string() + " was begun with other " + first_difference(found, going_on));
        return take_shards();
    }

    Result<void> take_shards() {
        std::uint64_t behind = 0;
        for (;; ++m_shard) {
            const fs::path path = shard_path(m_options.folder, m_shard, false);
            const fs::path rejected = shard_path(m_options.folder, m_shard, true);
            std::error_code ignored;
            // The rejected are written first: a shard is whole when both are there.
            if (!fs::exists(path, ignored) || !fs::exists(rejected, ignored)) break;
            IIR2D_RETURN_IF_ERROR(for_each_line(path, [&](std::string&& line) -> Result<void> {
                const auto record = read_record(line);
                if (!record)
                    return fail(ErrorKind::bad_input,
                                path.string() + " has a line that " + record.error().message);
                const auto damaged = [&](const std::string& what) {
                    return fail(ErrorKind::bad_input, path.string() + " has a record that " + what);
                };
                const auto index = (*record)["index"].get<std::uint64_t>();
                if (index < behind) return damaged("does not come after the one before");
                const auto canonical_of = [&](std::uint64_t j) {
                    return synth::generate(category_of(j), m_options.seed, j).canonical;
                };
                std::string canonical = canonical_of(index);
                if (canonical != (*record)["canonical"].get<std::string>())
                    return damaged("is not the kernel of its index");
                take_record(*record);
                for (; behind < index; ++behind) {
                    if (m_stop.stop_requested()) return cancelled();
                    m_seen.insert(canonical_of(behind));
                }
                m_seen.insert(std::move(canonical));
                ++behind;
                return {};
            }));
            IIR2D_RETURN_IF_ERROR(for_each_line(rejected, [&](std::string&& line) -> Result<void> {
                const auto one = read_rejected(line);
                if (!one)
                    return fail(ErrorKind::bad_input,
                                rejected.string() + " has a line that " + one.error().message);
                ++m_progress.rejected[(*one)["reason"].get<std::string>()];
                return {};
            }));
        }
        m_next_drawn = behind / kernels_of_batch * kernels_of_batch;
        m_behind = behind;
        m_progress.skeletons = m_skeletons.size();
        m_progress.found_kernels = m_progress.kernels;
        m_progress.found_pairs = m_progress.pairs;
        m_progress.was_complete = is_full() && fs::exists(m_options.folder / "manifest.json");
        return {};
    }

    void take_record(const Json& record) {
        ++m_kept[*category_from_name(record["category"].get<std::string>())];
        m_skeletons.insert(record["skeleton"].get<std::string>());
        ++m_progress.kernels;
        m_progress.pairs += record["ir"].size();
        if (!record["ir"].empty())
            m_texts.insert(
                text_hash(record["ir"][0]["text"].get<std::string>(), record["name"].get<std::string>()));
    }

    bool has_too_many_mismatches() const {
        const auto found = m_progress.rejected.find("mismatch");
        return found != m_progress.rejected.end() && found->second >= most_mismatches;
    }
    Category category_of(std::uint64_t j) const { return m_turn[j % m_turn.size()]; }
    bool is_full(Category category) const {
        const auto kept = m_kept.find(category);
        return (kept == m_kept.end() ? 0 : kept->second) >= m_quotas.at(category);
    }
    bool is_full() const {
        return std::all_of(m_turn.begin(), m_turn.end(),
                           [&](Category category) { return is_full(category); });
    }

    std::vector<Judged> draw(std::uint64_t from) const {
        std::vector<Judged> made;
        std::set<std::string> names;
        for (std::uint64_t j = from; j < from + kernels_of_batch; ++j) {
            Judged one{.index = j, .candidate = synth::generate(category_of(j), m_options.seed, j)};
            if (!names.insert(one.candidate.canonical).second) one.reason = "duplicate";
            // What is known already is not compiled again.
            if (one.reason.empty() && m_seen.contains(one.candidate.canonical)) one.reason = "duplicate";
            if (is_full(one.candidate.category) || j < m_behind) one.reason = "not asked for";
            made.push_back(std::move(one));
        }
        return made;
    }

    std::size_t batches_wanted() const {
        const std::uint64_t kernels = m_options.count - std::min(m_options.count, m_progress.kernels);
        return static_cast<std::size_t>((kernels + kernels_of_batch - 1) / kernels_of_batch);
    }

    // Keeps every job busy, and takes the batches in their order: which threads judged them, and when, does
    // not matter.
    Result<void> next_batch() {
        if (!m_batches) {
            std::vector<std::unique_ptr<Toolchain>> toolchains(
                std::clamp<std::size_t>(batches_wanted(), 1, std::max(1U, m_options.jobs)));
            for (auto& one : toolchains) {
                IIR2D_TRY(one, m_make());
            }
            m_batches.emplace(m_options.judge, std::move(toolchains));
        }
        // No more than can be wanted; and some wait, so that a job goes on while a slow batch holds up
        // others.
        const std::size_t most = std::clamp<std::size_t>(batches_wanted(), 1, 2 * m_batches->threads());
        while (m_batches->waiting() < most) {
            m_batches->put(draw(m_next_drawn));
            m_next_drawn += kernels_of_batch;
        }
        IIR2D_TRY(auto batch, m_batches->take());
        for (Judged& one : batch) {
            if (one.index >= m_behind && !is_full()) IIR2D_RETURN_IF_ERROR(take(one));
        }
        return {};
    }

    Result<void> take(Judged& one) {
        const bool is_new = m_seen.insert(one.candidate.canonical).second;
        if (is_full(one.candidate.category)) return {};
        if (!is_new) one.reason = "duplicate";
        if (one.reason.empty() && !one.texts.empty() &&
            !m_texts.insert(text_hash(one.texts[0].text, one.candidate.tree.kernel.name)).second)
            one.reason = "duplicate_ir";
        if (!one.reason.empty()) {
            if (one.reason == "duplicate" || one.reason == "duplicate_ir") one.detail.clear();
            m_rejected.push_back(rejected_line(one, m_options.judge));
            ++m_progress.rejected[one.reason];
            // A compiler that does not work would have kernels drawn without end.
            const bool is_uncompiled = one.reason == "compiler_error" || one.reason == "compiler_died";
            if (is_uncompiled && ++m_uncompiled == most_uncompiled)
                return fail(ErrorKind::device_failure,
                            std::to_string(most_uncompiled) +
                                " kernels in a row could not be compiled, the last by " +
                                one.detail.substr(0, one.detail.find('\n')));
            return {};
        }
        m_uncompiled = 0;
        m_records.push_back(record_line(one, m_options.judge));
        ++m_kept[one.candidate.category];
        m_skeletons.insert(one.candidate.skeleton);
        ++m_progress.kernels;
        m_progress.pairs += one.texts.size();
        m_progress.skeletons = m_skeletons.size();
        return m_records.size() == m_options.shard ? flush() : Result<void>{};
    }

    Result<void> flush() {
        IIR2D_TRY(const std::string rejected, compressed_lines(m_rejected));
        IIR2D_TRY(const std::string records, compressed_lines(m_records));
        IIR2D_RETURN_IF_ERROR(write_file_atomically(shard_path(m_options.folder, m_shard, true), rejected));
        IIR2D_RETURN_IF_ERROR(write_file_atomically(shard_path(m_options.folder, m_shard, false), records));
        ++m_shard;
        m_records.clear();
        m_rejected.clear();
        return {};
    }

    const GenerateOptions& m_options;
    const MakeToolchain& m_make;
    const std::function<void(const GenerateProgress&)>& m_report;
    const std::stop_token& m_stop;
    std::map<Category, std::uint64_t> m_quotas;
    std::vector<Category> m_turn;
    RunFacts m_run;
    std::map<Category, std::uint64_t> m_kept;
    std::unordered_set<std::string> m_seen, m_texts, m_skeletons;
    std::vector<std::string> m_records, m_rejected;
    GenerateProgress m_progress;
    std::optional<FileLock> m_lock;
    std::uint64_t m_next_drawn = 0;  // the first candidate of the next batch
    std::uint64_t m_behind = 0;      // candidates before it are in whole shards
    std::size_t m_shard = 0;
    int m_uncompiled = 0;              // rejected by a compiler since the last that was kept
    std::optional<Batches> m_batches;  // ended first
};

}  // namespace

std::string text_hash(const std::string& text, const std::string& name) {
    return sha256_hex(with_name(text, name, "k"));
}

std::string with_name(std::string_view text, std::string_view name, std::string_view other) {
    std::string made;
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name)) {
        made += text.substr(0, at);
        made += other;
        text.remove_prefix(at + name.size());
    }
    return made += text;
}

std::map<Category, std::uint64_t> quotas_of(const GenerateOptions& options) {
    std::vector<Category> list = options.categories;
    if (list.empty()) {
        for (int k = 0; k < categories; ++k) list.push_back(static_cast<Category>(k));
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    double total = 0;
    const auto weight = [&](Category category) {
        if (options.weights.empty()) return 1.0;
        const auto found = options.weights.find(category);
        return found == options.weights.end() ? 0.0 : found->second;
    };
    for (const Category category : list) total += weight(category);
    std::map<Category, std::uint64_t> made;
    std::uint64_t given = 0;
    std::vector<std::pair<double, Category>> rest;
    for (const Category category : list) {
        const double share = total > 0 ? static_cast<double>(options.count) * weight(category) / total : 0;
        made[category] = static_cast<std::uint64_t>(share);
        given += made[category];
        rest.emplace_back(share - std::floor(share), category);
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first + 1e-9; });
    for (std::size_t k = 0; given < options.count && !rest.empty(); ++k, ++given)
        ++made[rest[k % rest.size()].second];
    return made;
}

Result<GenerateProgress> generate_data_set(const GenerateOptions& options, const MakeToolchain& make,
                                           const std::function<void(const GenerateProgress&)>& report,
                                           const std::stop_token& stop) {
    return Run(options, make, report, stop).run();
}

}  // namespace workbench::synth
