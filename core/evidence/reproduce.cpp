// SPDX-License-Identifier: MIT
#include "core/evidence/reproduce.h"

#include <algorithm>
#include <map>

#include "core/image/image_io.h"
#include "core/record/record_json.h"
#include "core/record/record_matrix.h"
#include "core/record/verified_record.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/text.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The record's image, by its pixels and not by its name.
Result<void> add_image(const json& record, const std::string& elsewhere, BenchmarkMatrix& matrix,
                       const TaskControl& control) {
    const json& image = value_of(record.at("matrix").at("image"));
    if (image.is_null()) return {};
    const std::string path = elsewhere.empty() ? cell_text(image.at("path")) : elsewhere;
    auto read = read_image(path, {.keep_double = true}, control);
    if (!read) {
        return fail(read.error().kind, "the record's image is needed: " + read.error().message +
                                           (elsewhere.empty() ? "; --image says where it is now" : ""));
    }
    if (pixel_hash(read->pixels) != cell_text(image.at("pixel_sha256")))
        return fail(ErrorKind::bad_input,
                    quoted(fs::path(path)) + " does not have the pixels that the record was measured on");
    matrix.image = std::make_shared<const Image>(std::move(*read));
    return {};
}

class Differences {
  public:
    void compare(const char* what, const std::string& before, const std::string& now) {
        if (before == now) return;
        const auto shown = [](const std::string& t) {
            return t.empty() ? std::string("not known") : escaped(t);
        };
        m_list.push_back(std::string(what) + ": the record's " + shown(before) + ", this one's " +
                         shown(now));
    }
    std::vector<std::string> take() { return std::move(m_list); }

  private:
    std::vector<std::string> m_list;
};

std::vector<std::string> differences_of(const json& before, const json& now) {
    Differences d;
    const auto fact = [](const json& record, const char* key) {
        const json& value = record.at("environment").at(key);
        return cell_text(value.is_object() ? value_of(value) : value);
    };
    for (const auto& [key, what] :
         {std::pair("version", "version"), std::pair("commit", "commit"),
          std::pair("dirty", "uncommitted changes"), std::pair("library_sha256", "library"),
          std::pair("compiler", "compiler"), std::pair("compile_flags", "compiler flags"),
          std::pair("build_type", "build type"), std::pair("host", "host"), std::pair("os", "system"),
          std::pair("kernel", "kernel"), std::pair("cpu_model", "processor"),
          std::pair("governor", "governor")}) {
        d.compare(what, fact(before, key), fact(now, key));
    }
    for (const char* key : {"id", "name", "threads"})
        d.compare(key == std::string_view("threads") ? "threads" : "device",
                  cell_text(before.at("device").at(key)), cell_text(now.at("device").at(key)));
    return d.take();
}

void compare_outputs(const MeasuredRecord& before, const MeasuredRecord& now, Reproduction& r) {
    std::map<std::string, const MeasuredCase*> cases;
    for (const auto& c : now.cases) cases[c.key] = &c;
    for (const auto& c : before.cases) {
        const auto found = cases.find(c.key);
        if (found == cases.end() || !c.output_sha256 || !found->second->output_sha256) {
            r.not_reproduced.push_back(c.key);
        } else if (*c.output_sha256 != *found->second->output_sha256) {
            r.changed_outputs.push_back(c.key);
        }
    }
}

}  // namespace

bool Reproduction::reproduced() const {
    return changed_outputs.empty() && not_reproduced.empty() && shortcomings(comparison).empty();
}

Result<Reproduction> reproduce(const fs::path& path, const ReproduceSettings& settings,
                               const TaskControl& control,
                               const std::function<void(const CaseResult&)>& on_result) {
    const auto verified = read_verified_record(path);
    if (!verified) return std::unexpected(verified.error());
    const json& original = verified->json;
    const auto before = measured_record_of(*verified);
    if (!before) return std::unexpected(before.error());
    auto matrix = matrix_of_record(original);
    if (!matrix) return std::unexpected(matrix.error());
    if (auto added = add_image(original, settings.image, *matrix, control); !added)
        return std::unexpected(added.error());
    // What the record chose, not what it chose it from: "auto" may choose another today.
    matrix->device = settings.device.empty() ? before->device_id : settings.device;
    matrix->threads = before->backend == "cpu" ? before->threads : matrix->threads;

    Reproduction r;
    r.original_id = before->record_id;
    r.record.environment = capture_environment(matrix->threads);
    auto run = run_benchmark(*matrix, control, on_result);
    if (!run) return std::unexpected(run.error());
    if (run->cancelled)
        return fail(ErrorKind::cancelled, "the reproduction was cancelled after " +
                                              std::to_string(run->results.size()) + " of " +
                                              counted(static_cast<std::uint64_t>(run->case_total), "case"));
    finish_environment(r.record.environment);
    r.record.environment.threads = run->threads;
    r.record.command_line = bench_command_line(
        *matrix, matrix->image ? matrix->image->info.path.string() : std::string(), "recipe.json");
    r.record.run = std::move(*run);
    r.record.reproduces = before->record_id;

    const std::string text = record_to_json(r.record);
    const auto now = measured_record_from_json(text);
    if (!now) return std::unexpected(now.error());
    r.differences = differences_of(original, json::parse(text));
    compare_outputs(*before, *now, r);
    CompareSettings compare = settings.compare;
    auto compared = compare_records(*before, *now, compare);
    if (!compared && !compare.allow_unlike) {
        compare.allow_unlike = true;  // the report says what is unlike
        compared = compare_records(*before, *now, compare);
    }
    if (!compared) return std::unexpected(compared.error());
    r.comparison = std::move(*compared);
    return r;
}

std::string reproduction_to_text(const Reproduction& r) {
    std::string out = r.reproduced() ? "REPRODUCED" : "NOT REPRODUCED";
    out += " record " + short_id(r.original_id) + "\n";
    const std::size_t cases = r.comparison.base.cases.size();
    const std::size_t wrong = r.changed_outputs.size() + r.not_reproduced.size();
    out += "outputs  " + std::to_string(cases - std::min(cases, wrong)) + " of " + counted(cases, "case") +
           " the same bit for bit\n";
    for (const auto& key : r.changed_outputs) out += "  changed  " + escaped(key) + "\n";
    for (const auto& key : r.not_reproduced) out += "  missing  " + escaped(key) + "\n";
    out += "timings  " + std::to_string(r.comparison.count(Verdict::same)) + " SAME, " +
           std::to_string(r.comparison.count(Verdict::faster)) + " FASTER, " +
           std::to_string(r.comparison.count(Verdict::slower)) + " SLOWER, " +
           std::to_string(r.comparison.count(Verdict::ambiguous)) + " AMBIGUOUS";
    if (!r.comparison.unlike.empty()) out += "; unlike, so no change of the program alone";
    out += "\n";
    out += r.differences.empty() ? "build and machine are the record's\n" : "build or machine differ:\n";
    for (const auto& text : r.differences) out += "  " + text + "\n";
    return out;
}

}  // namespace workbench
