// SPDX-License-Identifier: MIT
#include "core/evidence/reproduce.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/image/image_io.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

// Adds the record's image, which is known by its pixels and not by its name.
Result<void> add_image(BenchmarkMatrix& matrix, const std::string& elsewhere, const TaskControl& control) {
    if (!matrix.image_identity) return {};
    const std::string path = elsewhere.empty() ? matrix.image_identity->path : elsewhere;
    auto read = read_image(path, {.keep_double = true}, control);
    if (!read) {
        return fail(read.error().kind, "the record's image is needed: " + read.error().message +
                                           (elsewhere.empty() ? "; --image says where it is now" : ""));
    }
    if (pixel_hash(read->pixels) != matrix.image_identity->pixel_sha256)
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

std::vector<std::string> differences_of(const Record& before, const Record& now) {
    Differences d;
    const auto compare = [&](const char* what, auto text) { d.compare(what, text(before), text(now)); };
    const auto environment = [&](const char* what, std::string Environment::*text) {
        d.compare(what, before.environment.*text, now.environment.*text);
    };
    const auto fact = [&](const char* what, Fact<std::string> Environment::*text) {
        d.compare(what, (before.environment.*text).value_or(""), (now.environment.*text).value_or(""));
    };
    environment("version", &Environment::version);
    fact("commit", &Environment::commit);
    compare("uncommitted changes", [](const Record& r) -> std::string {
        const auto& dirty = r.environment.dirty;
        return dirty ? (*dirty ? "true" : "false") : "";
    });
    fact("library", &Environment::library_sha256);
    environment("compiler", &Environment::compiler);
    environment("compiler flags", &Environment::compile_flags);
    environment("build type", &Environment::build_type);
    fact("host", &Environment::host);
    environment("system", &Environment::os);
    environment("kernel", &Environment::kernel);
    fact("processor", &Environment::cpu_model);
    fact("governor", &Environment::governor);
    compare("device", [](const Record& r) { return r.run.device.id; });
    compare("device", [](const Record& r) { return r.run.device.name; });
    compare("threads", [](const Record& r) { return std::to_string(r.run.threads); });
    return d.take();
}

// Pins every case's recorded config. Those that are not valid here are executed by static; returns sentences
// that name them.
Result<std::vector<std::string>> pin_configs(const Record& before, BenchmarkMatrix& matrix) {
    std::vector<std::string> differences;
    IIR2D_TRY(const auto choice, from_kernel(iir2d::choose_device(matrix.device, matrix.threads)));
    for (const CaseResult& c : before.run.results) {
        if (c.what.recipe()) continue;
        const auto recorded = iir2d::config_from_text(c.kernel.config);
        Result<void> valid;
        if (recorded) {
            valid = check_case_config(c.what, choice.device, *recorded);
        } else {
            valid = std::unexpected(from_kernel(recorded.error()));
        }
        matrix.configs.push_back({c.what.key, valid ? *recorded : iir2d::Config{}});
        if (!valid) {
            differences.push_back(escaped(c.what.key) + ": the record's config " + escaped(c.kernel.config) +
                                  ", this one's static, because " + escaped(valid.error().message));
        }
    }
    return differences;
}

void compare_outputs(const Record& before, const Record& now, Reproduction& r) {
    std::map<std::string_view, const CaseResult*> cases;
    for (const auto& c : now.run.results) cases[c.what.key] = &c;
    for (const auto& c : before.run.results) {
        const auto found = cases.find(c.what.key);
        if (found == cases.end() || c.output_sha256.empty() || found->second->output_sha256.empty()) {
            r.not_reproduced.push_back(c.what.key);
        } else if (c.output_sha256 != found->second->output_sha256) {
            r.changed_outputs.push_back(c.what.key);
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
    IIR2D_TRY(auto before, load_record(path));
    return reproduce(std::make_shared<const Record>(std::move(before)), settings, control, on_result);
}

Result<Reproduction> reproduce(const RecordPtr& original, const ReproduceSettings& settings,
                               const TaskControl& control,
                               const std::function<void(const CaseResult&)>& on_result) {
    const Record& before = *original;
    BenchmarkMatrix matrix = before.run.matrix;
    IIR2D_RETURN_IF_ERROR(add_image(matrix, settings.image, control));
    // What the record chose, not what it chose it from: "auto" may choose another today.
    matrix.device = settings.device.empty() ? before.run.device.id : settings.device;
    if (before.run.device.backend == iir2d::Backend::cpu) matrix.threads = before.run.threads;

    Reproduction r;
    r.original_id = before.record_id;
    IIR2D_TRY(auto not_pinned, pin_configs(before, matrix));
    IIR2D_TRY(auto measured,
              measure_record(matrix, matrix.image ? matrix.image->info.path.string() : std::string(),
                             "recipe.json", control, on_result));
    const BenchmarkRun& run = measured.run;
    if (run.cancelled)
        return fail(ErrorKind::cancelled, "the reproduction was cancelled after " +
                                              std::to_string(run.results.size()) + " of " +
                                              counted(static_cast<std::uint64_t>(run.case_total), "case"));
    measured.reproduces = before.record_id;
    measured.record_id = record_id_of(measured);
    r.differences = differences_of(before, measured);
    std::ranges::move(not_pinned, std::back_inserter(r.differences));
    compare_outputs(before, measured, r);
    r.record = std::make_shared<const Record>(std::move(measured));
    CompareSettings compare = settings.compare;
    auto compared = compare_records(original, r.record, compare);
    if (!compared && !compare.allow_unlike) {
        compare.allow_unlike = true;  // the report says what is unlike
        compared = compare_records(original, r.record, compare);
    }
    if (!compared) return std::unexpected(compared.error());
    r.comparison = std::move(*compared);
    return r;
}

double reproduction_seconds(const Record& record) {
    double milliseconds = 0;
    for (const CaseResult& c : record.run.results) {
        for (const TimedSample& sample : c.samples) milliseconds += sample.latency_ms;
        for (const TimedSample& sample : c.copy_samples) milliseconds += 2 * sample.latency_ms;
    }
    return 1.3 * milliseconds / 1e3;
}

std::string reproduction_to_text(const Reproduction& r) {
    std::string out = r.reproduced() ? "REPRODUCED" : "NOT REPRODUCED";
    out += " record " + short_id(r.original_id) + "\n";
    const std::size_t cases = r.comparison.base->run.results.size();
    const std::size_t wrong = r.changed_outputs.size() + r.not_reproduced.size();
    out += "outputs  " + std::to_string(cases - std::min(cases, wrong)) + " of " + counted(cases, "case") +
           " the same bit for bit\n";
    for (const auto& key : r.changed_outputs) out += "  changed  " + escaped(key) + "\n";
    for (const auto& key : r.not_reproduced) out += "  missing  " + escaped(key) + "\n";
    out += "timings  " + verdict_counts(r.comparison);
    if (!r.comparison.unlike.empty()) out += "; unlike, so no change of the program alone";
    out += "\n";
    out += r.differences.empty() ? "build and machine are the record's\n" : "build or machine differ:\n";
    for (const auto& text : r.differences) out += "  " + text + "\n";
    return out;
}

}  // namespace workbench
