// SPDX-License-Identifier: MIT
#include "core/tune/use.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "core/recipe/seen.h"
#include "core/support/atomic_file.h"
#include "core/support/file_lock.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/registry.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_seen = 4096;

std::atomic<bool> use_began{false};
std::atomic<bool> use_counts{false};  // from begin_use() to end_use()
std::mutex use_mutex;                 // held while models are loaded or files are changed

// What was counted and met and could not be written yet.
struct Unkept {
    iir2d::TuneStatistics counted;
    std::vector<SeenOperation> met;
};
Unkept unkept;
std::mutex unkept_mutex;  // of that alone, and never held while files are read or written

struct NamedCounter {
    const char* name;
    std::uint64_t iir2d::TuneStatistics::*value;
};
constexpr std::array<NamedCounter, 7> counters_beside{{{"cached", &iir2d::TuneStatistics::cached},
                                                       {"filtered", &iir2d::TuneStatistics::filtered},
                                                       {"explored", &iir2d::TuneStatistics::explored},
                                                       {"settled", &iir2d::TuneStatistics::settled},
                                                       {"vetoed", &iir2d::TuneStatistics::vetoed},
                                                       {"evicted", &iir2d::TuneStatistics::evicted},
                                                       {"bad_lines", &iir2d::TuneStatistics::bad_lines}}};

void add_to(iir2d::TuneStatistics& all, const iir2d::TuneStatistics& more) {
    all.calls += more.calls;
    for (std::size_t i = 0; i < all.reasons.size(); ++i) all.reasons[i] += more.reasons[i];
    for (const NamedCounter& one : counters_beside) all.*one.value += more.*one.value;
}

bool is_zero(const iir2d::TuneStatistics& said) {
    return std::ranges::all_of(counters_of(said), [](const auto& one) { return one.second == 0; });
}

fs::path use_folder() {
    return config_directory() / "tune";
}
fs::path learned_file() {
    return use_folder() / "learned.txt";
}
fs::path statistics_file() {
    return use_folder() / "stats.json";
}

// Without a flush to the disk: a count that a power cut loses is no loss, and every command writes one.
bool replace_file(const fs::path& path, const std::string& content) {
    const fs::path temporary = temporary_sibling(path);
    std::ofstream file(temporary, std::ios::binary);
    file << content;
    file.close();
    std::error_code error;
    if (file) fs::rename(temporary, path, error);
    if (file && !error) return true;
    fs::remove(temporary, error);
    return false;
}

Result<void> under_lock(const std::function<Result<void>()>& change) {
    std::error_code error;
    fs::create_directories(use_folder(), error);
    IIR2D_TRY(const auto lock, FileLock::acquire(use_folder() / "lock", std::chrono::seconds(2)));
    return change();
}

std::string spec_of_seen(const SeenOperation& seen) {
    return spec_of({.operation = seen.operation,
                    .element = seen.element,
                    .pass = seen.backward ? PoolPass::backward : PoolPass::forward,
                    .places = seen.places,
                    .width = seen.shape.w,
                    .height = seen.shape.h,
                    .planes = seen.shape.n * seen.shape.c});
}

std::string json_of(const UseStatistics& statistics) {
    nlohmann::ordered_json json{{"statistics_version", 1}};
    // In the order of the library's, then whatever a newer program wrote.
    auto left = statistics.counters;
    nlohmann::ordered_json counters = nlohmann::ordered_json::object();
    for (const auto& [name, zero] : counters_of({})) {
        counters[name] = left[name];
        left.erase(name);
    }
    for (const auto& [name, value] : left) counters[name] = value;
    json["counters"] = std::move(counters);
    json["seen"] = statistics.seen;
    return json.dump(1) + "\n";
}

// A file that is none of ours counts as none, and is written over.
Result<void> add_statistics(const iir2d::TuneStatistics& said, const std::vector<SeenOperation>& met) {
    UseStatistics all = kept_statistics().value_or(UseStatistics{});
    for (const auto& [name, value] : counters_of(said)) all.counters[name] += value;
    std::vector<std::string> seen;
    std::set<std::string> known;
    const auto add = [&](std::string spec) {
        if (seen.size() < most_seen && known.insert(spec).second) seen.push_back(std::move(spec));
    };
    for (auto one = met.rbegin(); one != met.rend(); ++one) add(spec_of_seen(*one));
    for (std::string& spec : all.seen) add(std::move(spec));
    all.seen = std::move(seen);
    if (!replace_file(statistics_file(), json_of(all)))
        return unwritable(statistics_file(), "it was not written");
    return {};
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && at == text.data() + text.size();
}

std::optional<LearnedEntry> learned_entry(std::string_view line) {
    std::array<std::string_view, 8> fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto tab = line.find('\t');
        if ((tab == std::string_view::npos) != (i + 1 == fields.size())) return std::nullopt;
        fields[i] = line.substr(0, tab);
        line.remove_prefix(std::min(line.size(), fields[i].size() + 1));
    }
    LearnedEntry read{.machine = std::string(fields[1]),
                      .kernels = std::string(fields[2]),
                      .key = std::string(fields[3]),
                      .config = std::string(fields[4]),
                      .utc = std::string(fields[7])};
    if (!read_number(fields[5], read.ratio) || !read_number(fields[6], read.runs)) return std::nullopt;
    return read;
}

// Gives the library what was learned and the models.
void load_all(const fs::path& models) {
    if (const auto learned = text_or_nothing(learned_file())) iir2d::import_learned(*learned);
    const auto host = model_host();
    if (!host) return;
    const auto found = find_models(model_places(models), *host);
    std::set<std::string> held;
    // The first of a purpose that may not decide may propose what is measured.
    for (const bool deciding : {false, true}) {
        for (const RegisteredModel& model : found) {
            const bool is_active = model.status == ModelStatus::active;
            if (is_active != deciding || model.model == nullptr) continue;
            if (!deciding && (model.status == ModelStatus::shadowed || held.contains(model.purpose)))
                continue;
            const auto table = text_or_nothing(model.path / "table.txt");
            auto loaded = iir2d::load_read_model(*model.model, model.is_proven, table.value_or(""));
            if (!loaded) loaded = iir2d::load_read_model(*model.model, model.is_proven);
            if (loaded) held.insert(model.purpose);
        }
    }
}

bool is_off() {
    return iir2d::tune_options().mode == iir2d::TuneMode::off;
}

// Adds to what is unkept what was counted and met since, and returns all of it. `with_off`: also decisions
// that the mode `off` made.
Unkept take_unkept(bool with_off) {
    const std::lock_guard lock(unkept_mutex);
    iir2d::TuneStatistics more = iir2d::statistics(true);
    if (!with_off)
        more.calls -=
            std::exchange(more.reasons[static_cast<std::size_t>(iir2d::TuneReason::off)], std::uint64_t{0});
    add_to(unkept.counted, more);
    std::ranges::move(SeenOperations::of_process().take(), std::back_inserter(unkept.met));
    if (unkept.met.size() > most_seen)
        unkept.met.erase(unkept.met.begin(), unkept.met.end() - std::ptrdiff_t{most_seen});
    return unkept;
}

// Writes what was learned here and is not in the file yet.
Result<void> write_learned() {
    const std::string learned = iir2d::export_learned(iir2d::LearnedPart::here);
    if (learned.empty()) return {};
    IIR2D_TRY(const auto old, text_or_nothing(learned_file()));
    IIR2D_RETURN_IF_ERROR(write_file_atomically(learned_file(), iir2d::merge_learned(old, learned)));
    // Imported, the entries are the file's: one that is forgotten there is not written again.
    iir2d::import_learned(learned);
    return {};
}

// Writes all that is not kept yet; use_mutex is held.
bool write_use(const Unkept& all) {
    if (is_zero(all.counted) && all.met.empty() && iir2d::export_learned(iir2d::LearnedPart::here).empty())
        return true;
    return under_lock([&]() -> Result<void> {
               IIR2D_RETURN_IF_ERROR(write_learned());
               IIR2D_RETURN_IF_ERROR(add_statistics(all.counted, all.met));
               const std::lock_guard lock(unkept_mutex);
               unkept = {};
               return {};
           })
        .has_value();
}

}  // namespace

void begin_use(const fs::path& models) {
    if (is_off()) return;
    const std::lock_guard lock(use_mutex);
    const bool again = use_began.exchange(true);
    try {
        if (again) iir2d::forget_models();
        // What was counted before, or in the mode `off`, is not written.
        if (!use_counts.exchange(true)) iir2d::statistics(true);
        SeenOperations::of_process().begin();
        load_all(models);
    } catch (const std::exception&) {
        iir2d::forget_models();  // there was no memory for all of them: static runs
    }
}

bool keep_use() {
    if (!use_counts || is_off()) return true;
    const std::lock_guard lock(use_mutex);
    try {
        return write_use(take_unkept(true));
    } catch (const std::exception&) {  // a program ends as if there were no statistics
        return false;
    }
}

bool end_use() {
    const std::lock_guard lock(use_mutex);
    if (!use_counts.exchange(false)) return true;
    SeenOperations::of_process().end();
    try {
        return write_use(take_unkept(false));
    } catch (const std::exception&) {  // as above
        return false;
    }
}

iir2d::TuneStatistics unkept_statistics() {
    if (!use_counts) return {};
    const std::lock_guard lock(unkept_mutex);
    iir2d::TuneStatistics all = unkept.counted;
    add_to(all, iir2d::statistics());
    return all;
}

UseKeeper::UseKeeper(std::chrono::milliseconds every) {
    try {
        m_thread = std::jthread([every](const std::stop_token& stop) {
            std::mutex mutex;
            std::condition_variable_any wake;
            std::unique_lock lock(mutex);
            while (!wake.wait_for(lock, stop, every, [&] { return stop.stop_requested(); }))
                if (!stop.stop_requested()) keep_use();
        });
    } catch (const std::system_error&) {
        m_thread = {};  // none is left: what was learned is written at the end
    }
}

std::vector<std::pair<std::string, std::uint64_t>> counters_of(const iir2d::TuneStatistics& said) {
    std::vector<std::pair<std::string, std::uint64_t>> all{{"calls", said.calls}};
    for (std::size_t i = 0; i < said.reasons.size(); ++i)
        all.emplace_back(iir2d::name_of(static_cast<iir2d::TuneReason>(i)), said.reasons[i]);
    for (const NamedCounter& one : counters_beside) all.emplace_back(one.name, said.*one.value);
    return all;
}

Result<iir2d::Explanation> explain(const iir2d::Device& device, const Problem& problem,
                                   const iir2d::TuneOptions& options) {
    return from_kernel(problem.filter() != nullptr
                           ? iir2d::explain(device, filter_desc_of(problem), options)
                           : iir2d::explain(device, pool_desc_of(problem), use_of(problem), options));
}

Result<UseStatistics> kept_statistics() {
    UseStatistics read;
    IIR2D_TRY(const auto text, text_or_nothing(statistics_file()));
    if (text.empty()) return read;
    const auto json = parse_json_strictly(text, settings_json_limits);
    if (!json) return fail(json.error().kind, quoted(statistics_file()) + " " + json.error().message);
    const auto wrong = [&] {
        return fail(ErrorKind::bad_input, quoted(statistics_file()) + " is not a file of statistics");
    };
    if (!json->is_object() || json->value("statistics_version", nlohmann::json()) != 1) return wrong();
    const auto counters = json->find("counters");
    const auto seen = json->find("seen");
    if (counters == json->end() || !counters->is_object() || seen == json->end() || !seen->is_array())
        return wrong();
    for (const auto& [name, value] : counters->items()) {
        if (!value.is_number_unsigned()) return wrong();
        read.counters[name] = value.get<std::uint64_t>();
    }
    for (const auto& spec : *seen) {
        if (!spec.is_string()) return wrong();
        read.seen.push_back(spec.get<std::string>());
    }
    return read;
}

Result<void> reset_statistics() {
    const std::lock_guard lock(use_mutex);
    IIR2D_RETURN_IF_ERROR(under_lock([]() -> Result<void> {
        UseStatistics all = kept_statistics().value_or(UseStatistics{});
        all.counters.clear();
        return write_file_atomically(statistics_file(), json_of(all));
    }));
    const std::lock_guard counts(unkept_mutex);
    unkept.counted = {};
    iir2d::statistics(true);
    return {};
}

Result<std::string> kept_learned() {
    IIR2D_TRY(const auto text, text_or_nothing(learned_file()));
    return iir2d::merge_learned(text, "");
}

std::vector<LearnedEntry> learned_entries(std::string_view lines) {
    std::vector<LearnedEntry> entries;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        if (auto read = learned_entry(line)) entries.push_back(*std::move(read));
    }
    return entries;
}

Result<std::size_t> forget_learned(const std::optional<std::string>& key) {
    const std::lock_guard lock(use_mutex);
    std::size_t gone = 0;
    IIR2D_TRY(const auto machine, from_kernel(iir2d::machine_id()));
    const std::string place =
        key ? "1\t" + machine + "\t" + std::string(iir2d::kernels_id()) + "\t" + *key + "\t" : std::string();
    IIR2D_TRY(const auto before, kept_learned());
    if (before.empty()) return gone;
    IIR2D_RETURN_IF_ERROR(under_lock([&]() -> Result<void> {
        IIR2D_TRY(const std::string text, kept_learned());
        std::string left;
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n') + 1);
            rest.remove_prefix(line.size());
            if (line.starts_with(place)) {
                ++gone;
            } else {
                left += line;
            }
        }
        return write_file_atomically(learned_file(), left);
    }));
    return gone;
}

}  // namespace workbench::tune
