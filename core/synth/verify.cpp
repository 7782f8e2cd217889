// SPDX-License-Identifier: MIT
#include "core/synth/verify.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/check.h"
#include "core/synth/data_set.h"
#include "core/synth/mutants.h"
#include "core/synth/parse.h"
#include "core/synth/record_shape.h"
#include "core/synth/shards.h"

namespace workbench::synth {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Verifying {
  public:
    Verifying(const VerifyOptions& options, const std::function<void(const Fault&)>& found,
              const TaskControl& control)
        : m_options(options), m_found(found), m_control(control) {}

    Result<Verified> run(const MakeToolchain& make) {
        IIR2D_TRY(m_run, read_run(m_options.folder));
        for (unsigned k = 0; k < std::max(1U, m_options.jobs); ++k) {
            IIR2D_TRY(auto toolchain, make());
            m_toolchains.push_back(std::move(toolchain));
        }
        look_for_files();
        for (std::size_t k = 0; k < m_shards; ++k) {
            for (const bool rejected : {false, true}) IIR2D_RETURN_IF_ERROR(read_shard(k, rejected));
        }
        compare_files();
        if (m_options.mutants) IIR2D_RETURN_IF_ERROR(try_mutants());
        return std::move(m_made);
    }

  private:
    void fault(Fault one) {
        if (m_found) m_found(one);
        m_made.faults.push_back(std::move(one));
    }
    void file_fault(const std::string& file, const std::string& what) { fault({file, "files", what}); }

    // What is there that is none of a data set's, and how many shards there are.
    void look_for_files() {
        std::error_code ignored;
        const std::set<std::string> wanted{"run.json", "manifest.json", "stats.json",
                                           "stats.md", "SHA256SUMS",    "shards"};
        for (const auto& entry : fs::directory_iterator(m_options.folder, ignored)) {
            const std::string name = entry.path().filename().string();
            if (!wanted.contains(name)) file_fault(escaped(name), "it is not a file of a data set");
        }
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(m_options.folder / "shards", ignored))
            names.insert(entry.path().filename().string());
        for (const std::string& name : names) {
            std::size_t number = 0;
            const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
            const bool is_shard = error == std::errc() && number < most_shards &&
                                  (shard_path("", number, false).filename() == name ||
                                   shard_path("", number, true).filename() == name);
            if (is_shard)
                m_shards = std::max(m_shards, number + 1);
            else
                file_fault("shards/" + escaped(name), "it is not a file of a data set");
        }
    }

    Result<void> read_shard(std::size_t number, bool rejected) {
        const fs::path path = shard_path(m_options.folder, number, rejected);
        ShardFacts facts{.file = "shards/" + path.filename().string()};
        std::error_code failed;
        facts.bytes = fs::file_size(path, failed);
        const auto sum = sha256_of_file(path, m_control.stop);
        if (failed || !sum) {
            if (m_control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
            file_fault(facts.file, "it is missing");
            m_has_all = false;
            return {};
        }
        facts.sha256 = *sum;
        bool is_stopped = false;
        const auto read = for_each_line(path, [&](std::string&& line) -> Result<void> {
            ++facts.records;
            if (rejected) {
                look_at_rejected(facts, line);
                return {};
            }
            const std::uint64_t k = m_made.records++;
            const std::uint64_t all = std::max<std::uint64_t>(1, m_run.count), sample = m_options.sample;
            m_lines.push_back({.line = std::move(line),
                               .place = facts.file + ", line " + std::to_string(facts.records),
                               .is_looked_into = sample == 0 || (k + 1) * sample / all > k * sample / all});
            if (m_lines.size() < kernels_of_batch * m_toolchains.size()) return {};
            auto checked = check();
            is_stopped = !checked;
            return checked;
        });
        if (is_stopped) return read;
        if (!read) {
            file_fault(facts.file, read.error().message);
            m_has_all = false;
        }
        IIR2D_RETURN_IF_ERROR(check());
        m_files.push_back(std::move(facts));
        return {};
    }

    void look_at_rejected(const ShardFacts& facts, const std::string& line) {
        const auto one = read_rejected(line);
        const std::string place = facts.file + ", line " + std::to_string(facts.records);
        if (!one) {
            fault({place, "schema", one.error().message});
            m_has_all = false;
            return;
        }
        if (const auto tree = parse((*one)["source"].get<std::string>()); !tree)
            fault({place, "record", "source is outside of the language: " + tree.error().message});
        m_statistics.add_rejected(*one);
    }

    // Checks the lines that wait, as many batches at a time as there are jobs.
    Result<void> check() {
        if (m_control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
        const std::size_t jobs = m_toolchains.size();
        std::vector<std::vector<Checked>> batches(jobs);
        for (std::size_t k = 0; k < m_lines.size(); ++k)
            batches[k * jobs / m_lines.size()].push_back(std::move(m_lines[k]));
        m_lines.clear();
        IIR2D_RETURN_IF_ERROR(check_batches(batches, m_made.checked));
        for (auto& batch : batches) {
            for (Checked& one : batch) take(one);
        }
        m_control.report(std::min(1.0, static_cast<double>(m_made.records) /
                                           static_cast<double>(std::max<std::uint64_t>(1, m_run.count))),
                         counted(m_made.records, "record") + ", " + counted(m_made.faults.size(), "fault"));
        return {};
    }

    Result<void> check_batches(std::vector<std::vector<Checked>>& batches,
                               std::map<std::string, std::uint64_t>& counts) {
        const CheckOptions options{.run = &m_run, .verify = &m_options};
        std::vector<std::map<std::string, std::uint64_t>> all(batches.size());
        std::vector<Result<void>> done(batches.size());
        {
            std::vector<std::jthread> threads;
            for (std::size_t k = 0; k < batches.size(); ++k)
                threads.emplace_back(
                    [&, k] { done[k] = check_lines(batches[k], options, *m_toolchains[k], all[k]); });
        }
        for (auto& one : done) IIR2D_RETURN_IF_ERROR(std::move(one));
        for (const auto& one : all) {
            for (const auto& [level, count] : one) counts[level] += count;
        }
        return {};
    }

    void take(Checked& one) {
        if (one.record.is_null()) {
            m_has_all = false;
        } else {
            look_for_duplicates(one.record, one.faults);
            m_statistics.add(one.record);
            const auto index = one.record["index"].get<std::uint64_t>();
            if (m_next_index > index)
                one.faults.push_back(
                    {one.record["id"].get<std::string>(), "unique", "index is not above the one before"});
            m_next_index = index + 1;
        }
        for (Fault& each : one.faults) fault(std::move(each));
    }

    // Two records of one tree, one text or one id; a skeleton in two splits.
    void look_for_duplicates(const Json& record, std::vector<Fault>& faults) {
        const auto id = record["id"].get<std::string>();
        const auto unique = [&](const std::string& what, const std::string& key) {
            const auto [at, is_new] = m_seen.try_emplace(key, id);
            if (!is_new) faults.push_back({id, "unique", what + " is that of " + at->second});
        };
        unique("canonical", "canonical " + record["canonical"].get<std::string>());
        unique("id", "id " + id);
        if (!record["ir"].empty())
            unique("the text for the first target",
                   "text " + text_hash(record["ir"][0]["text"].get<std::string>(),
                                       record["name"].get<std::string>()));
        const auto split = record["split"].get<std::string>();
        const auto [at, is_new] = m_splits.try_emplace(record["skeleton"].get<std::string>(), split);
        if (at->second != split)
            faults.push_back({id, "unique", "skeleton is in " + at->second + " and in " + split});
    }

    void compare_files() {
        const auto text_of = [&](const char* name) -> std::optional<std::string> {
            std::error_code ignored;
            if (!fs::exists(m_options.folder / name, ignored)) {
                file_fault(name, "it is missing");
                return std::nullopt;
            }
            auto text = read_file(m_options.folder / name, longest_line);
            if (!text) file_fault(name, text.error().message);
            return text ? std::optional(*std::move(text)) : std::nullopt;
        };
        const auto manifest = text_of("manifest.json"), stats = text_of("stats.json"),
                   table = text_of("stats.md"), sums = text_of("SHA256SUMS");
        std::string libm;
        const auto json = manifest ? read_json(*manifest) : Result<Json>(Json());
        if (!json) {
            file_fault("manifest.json", json.error().message);
        } else if (manifest) {
            try {
                libm = json->at("libm").get<std::string>();
            } catch (const nlohmann::json::exception&) {
                file_fault("manifest.json", "it has not the members that it is written with");
            }
            look_for_shards(*json);
        }
        if (!m_has_all) return;  // what is missing is said; figures of the rest say nothing
        const FileTexts wanted = file_texts(m_run, m_statistics, m_files, libm);
        if (json && manifest && *manifest != wanted.manifest)
            file_fault("manifest.json", first_difference(*manifest, wanted.manifest));
        if (stats && *stats != wanted.stats) file_fault("stats.json", first_difference(*stats, wanted.stats));
        if (table && *table != wanted.table) file_fault("stats.md", "it is not what the records give");
        if (sums) compare_sums(*sums, wanted.sums);
        if (m_statistics.all().records != m_run.count)
            file_fault("manifest.json", "there are " + std::to_string(m_statistics.all().records) +
                                            " records, not " + std::to_string(m_run.count));
    }

    void look_for_shards(const Json& manifest) {
        const auto shards = manifest.find("shards");
        if (shards == manifest.end() || !shards->is_array()) return;
        for (const Json& shard : *shards) {
            const auto file = shard.is_object() ? shard.find("file") : shard.end();
            if (!shard.is_object() || file == shard.end() || !file->is_string()) continue;
            if (std::ranges::find(m_files, file->get<std::string>(), &ShardFacts::file) == m_files.end()) {
                // Those between others were missed already.
                if (m_has_all) file_fault(escaped(file->get<std::string>()), "it is missing");
            }
        }
    }

    void compare_sums(std::string_view found, std::string_view wanted) {
        if (found == wanted) return;
        const auto lines = [](std::string_view text) {
            std::map<std::string, std::string> made;  // by file
            while (!text.empty()) {
                const std::string_view line = text.substr(0, text.find('\n'));
                text.remove_prefix(std::min(text.size(), line.size() + 1));
                constexpr std::size_t digits = 64;
                if (line.size() > digits + 2)
                    made[std::string(line.substr(digits + 2))] = line.substr(0, digits);
            }
            return made;
        };
        const auto have = lines(found), want = lines(wanted);
        const std::size_t before = m_made.faults.size();
        for (const auto& [file, sum] : want) {
            const auto at = have.find(file);
            if (at == have.end())
                file_fault("SHA256SUMS", "it has no line of " + file);
            else if (at->second != sum)
                file_fault(file, "its SHA-256 is not the one that SHA256SUMS has");
        }
        for (const auto& [file, sum] : have) {
            if (!want.contains(file)) file_fault("SHA256SUMS", "it has a line of " + escaped(file));
        }
        if (m_made.faults.size() == before) file_fault("SHA256SUMS", "it is not as it is written");
    }

    // ---- Mutants

    Result<void> try_mutants() {
        Mutation mutation{.run = &m_run, .count = m_options.mutants, .records = m_statistics.all().records};
        std::vector<Mutant> waiting;
        // A few batches for each job, since some take longer than others.
        const std::size_t together = 4 * mutants_of_batch * m_toolchains.size();
        for (const ShardFacts& shard : m_files) {
            if (shard.file.find("rejected") != std::string::npos) continue;
            IIR2D_RETURN_IF_ERROR(
                for_each_line(m_options.folder / shard.file, [&](std::string&& line) -> Result<void> {
                    if (m_control.cancelled()) return fail(ErrorKind::cancelled, "cancelled");
                    const auto record = read_record(line);
                    if (!record) return {};
                    for (Mutant& one : mutation.of(*record)) waiting.push_back(std::move(one));
                    return waiting.size() < together ? Result<void>{} : judge_mutants(waiting);
                }));
        }
        IIR2D_RETURN_IF_ERROR(judge_mutants(waiting));
        const MutantCounts& counts = m_made.mutants;
        if (4 * counts.equivalent > counts.made)
            fault({"mutants", "mutant",
                   std::to_string(counts.equivalent) + " of " + std::to_string(counts.made) +
                       " mutants are equivalent, more than a quarter"});
        return {};
    }

    // Mutants that are checked together. Those of one record have one name: not in one batch.
    struct MutantBatch {
        std::vector<Mutant> mutants;
        std::vector<Checked> lines;
        std::set<std::string> names;
        std::vector<bool> are_equivalent;
        Result<void> done;
    };

    static std::vector<MutantBatch> batches_of(std::vector<Mutant> mutants) {
        std::vector<MutantBatch> made;
        for (Mutant& one : mutants) {
            auto batch = std::ranges::find_if(made, [&](const MutantBatch& open) {
                return open.mutants.size() < mutants_of_batch && !open.names.contains(one.name);
            });
            if (batch == made.end()) batch = made.emplace(made.end());
            batch->names.insert(one.name);
            batch->lines.push_back({.line = one.line, .place = one.id});
            batch->mutants.push_back(std::move(one));
        }
        return made;
    }

    Result<void> judge(MutantBatch& batch, Toolchain& toolchain) const {
        const CheckOptions options{.run = &m_run, .verify = &m_options, .is_drawn = false};
        std::map<std::string, std::uint64_t> ignored;
        IIR2D_RETURN_IF_ERROR(check_lines(batch.lines, options, toolchain, ignored));
        for (std::size_t k = 0; k < batch.mutants.size(); ++k) {
            IIR2D_TRY(const bool is_same, is_equivalent(batch.mutants[k], batch.lines[k], m_run, toolchain));
            batch.are_equivalent.push_back(is_same);
        }
        return {};
    }

    Result<void> judge_mutants(std::vector<Mutant>& waiting) {
        std::vector<MutantBatch> batches = batches_of(std::exchange(waiting, {}));
        std::atomic<std::size_t> next = 0;
        {
            std::vector<std::jthread> threads;
            for (const auto& toolchain : m_toolchains)
                threads.emplace_back([&] {
                    for (std::size_t k = next++; k < batches.size(); k = next++)
                        batches[k].done = judge(batches[k], *toolchain);
                });
        }
        for (MutantBatch& batch : batches) {
            IIR2D_RETURN_IF_ERROR(std::move(batch.done));
            for (std::size_t k = 0; k < batch.mutants.size(); ++k)
                take_mutant(batch.mutants[k], batch.lines[k], batch.are_equivalent[k]);
        }
        m_control.report(
            std::min(1.0, static_cast<double>(m_made.mutants.made) / static_cast<double>(m_options.mutants)),
            counted(m_made.mutants.made, "mutant") + ", " + std::to_string(m_made.mutants.passed) +
                " passed");
        return {};
    }

    void take_mutant(const Mutant& mutant, Checked& checked, bool is_equivalent) {
        MutantCounts& counts = m_made.mutants;
        ++counts.made;
        if (is_equivalent) {
            ++counts.equivalent;
            return;
        }
        ++counts.by_kind[mutant.kind];
        if (!checked.record.is_null()) {
            // Beside the others, in the place of its own record or, where it was added, as one more.
            const auto is_other = [&](const std::string& key) {
                const auto seen = m_seen.find(key);
                return seen != m_seen.end() && (mutant.is_added || seen->second != mutant.id);
            };
            if (is_other("canonical " + checked.record["canonical"].get<std::string>()))
                checked.faults.push_back({mutant.id, "unique", "canonical is another's"});
            const auto split = m_splits.find(checked.record["skeleton"].get<std::string>());
            if (split != m_splits.end() && split->second != checked.record["split"].get<std::string>())
                checked.faults.push_back({mutant.id, "unique", "skeleton is in two splits"});
        }
        if (!checked.faults.empty()) {
            ++counts.rejected;
            return;
        }
        ++counts.passed;
        fault({mutant.id, "mutant", mutant.kind + " passes: " + mutant.what});
    }

    static constexpr std::size_t most_shards = 1'000'000;
    static constexpr std::size_t mutants_of_batch = 25;

    const VerifyOptions& m_options;
    const std::function<void(const Fault&)>& m_found;
    const TaskControl& m_control;
    RunFacts m_run;
    std::vector<std::unique_ptr<Toolchain>> m_toolchains;
    std::vector<Checked> m_lines;
    std::vector<ShardFacts> m_files;
    Statistics m_statistics;
    std::unordered_map<std::string, std::string> m_seen;    // what is one record's -> its id
    std::unordered_map<std::string, std::string> m_splits;  // by skeleton
    Verified m_made;
    std::size_t m_shards = 0;
    std::uint64_t m_next_index = 0;
    bool m_has_all = true;  // every line of every shard was read
};

}  // namespace

Result<Verified> verify_data_set(const VerifyOptions& options, const MakeToolchain& make,
                                 const std::function<void(const Fault&)>& found, const TaskControl& control) {
    return Verifying(options, found, control).run(make);
}

}  // namespace workbench::synth
