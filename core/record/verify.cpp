// SPDX-License-Identifier: MIT
// Whether a record is what it was written as. Everything read here may come from a stranger.
#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/record/consistency.h"
#include "core/record/derived.h"
#include "core/record/record.h"
#include "core/record/record_directory.h"
#include "core/record/signature_file.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/hex.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_json = record_json_limits.bytes;
// Pictures and notes that were added to a record, each and together.
constexpr std::uintmax_t largest_addition = std::uintmax_t{1} << 26;
constexpr std::uintmax_t most_added = std::uintmax_t{1} << 28;
constexpr std::size_t largest_sums = std::size_t{1} << 20;
constexpr std::size_t most_files = 1000;
constexpr std::size_t most_problems = 200;
constexpr std::string_view sums_name = "SHA256SUMS";

// Keeps the first problems, on one line each: what is quoted in them comes from a stranger's file.
class Report {
  public:
    void good(const std::string& text) { m_result.checked.push_back(escaped(text, longest)); }
    void problem(std::string_view file, const std::string& text) {
        ++m_count;
        if (m_result.problems.size() < most_problems) {
            m_result.problems.push_back(escaped(file) + ": " + escaped(text, longest));
        } else {
            ++m_result.more_problems;
        }
    }
    void note(std::string text) { m_result.notes.push_back(std::move(text)); }
    void id(std::string hash) { m_result.record_id = std::move(hash); }
    void signer(const PublicKey& key) { m_result.signer = key; }
    std::size_t problem_count() const { return m_count; }
    Verification take() { return std::move(m_result); }

  private:
    static constexpr std::size_t longest = 1000;
    Verification m_result;
    std::size_t m_count = 0;
};

// Says whether a name stays inside the record's own folder on every system.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of("/\\:") == std::string_view::npos &&
           std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// Parses the lines of SHA256SUMS, exactly as sha256sum writes them in text mode: hash, two spaces, name.
std::map<std::string, std::string> parse_sums(std::string_view text, Report& report) {
    std::map<std::string, std::string> sums;
    if (!text.empty() && text.back() != '\n') report.problem(sums_name, "its last line does not end");
    for (int number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        const std::string place = "line " + std::to_string(number);
        if (line.size() < 67 || !is_sha256(line.substr(0, 64)) || line.substr(64, 2) != "  ") {
            report.problem(sums_name, place + " is not a SHA-256, two spaces and a name");
            continue;
        }
        const std::string_view name = line.substr(66);
        if (!is_plain_name(name) || name == sums_name || name == signature_name) {
            report.problem(sums_name,
                           place + " names \"" + escaped(name) + "\", which no file of a record can be");
        } else if (!sums.emplace(name, line.substr(0, 64)).second) {
            report.problem(sums_name, place + " names \"" + escaped(name) + "\" a second time");
        }
    }
    return sums;
}

// Returns the names of the regular files in the folder; anything else in it is a problem and is not opened.
Result<std::set<std::string>> regular_files(const fs::path& directory, Report& report) {
    std::set<std::string> names;
    std::error_code error;
    fs::directory_iterator entry(directory, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        switch (entry->symlink_status(ignored).type()) {
            case fs::file_type::regular:
                names.insert(name);
                break;
            case fs::file_type::symlink:
                report.problem(name, "it is a symbolic link; a record has only plain files");
                break;
            case fs::file_type::directory:
                report.problem(name, "it is a folder; a record has only plain files");
                break;
            default:
                report.problem(name, "it is not a plain file");
        }
        if (names.size() > most_files) {
            report.problem(name, "it is one of more than " + std::to_string(most_files) +
                                     " files, and the rest are not looked at");
            break;
        }
    }
    if (error) {
        return fail(ErrorKind::bad_input,
                    "the folder " + quoted(directory) + " cannot be listed: " + error.message());
    }
    return names;
}

// Checks the signature over SHA256SUMS.
void check_signature(const fs::path& directory, std::string_view sums, Report& report) {
    const auto text = read_file(directory / signature_name, largest_sums);
    if (!text) {
        report.problem(signature_name, text.error().message);
        return;
    }
    const auto signature = parse_signature_file(*text);
    if (!signature) {
        report.problem(signature_name, signature.error().message);
    } else if (!signs(*signature, sums)) {
        report.problem(signature_name, "it is not the signature of SHA256SUMS by the key " +
                                           signature->key.hex() + ": one of the two was altered");
    } else {
        report.good(std::string(signature_name) + ": signed by " + signature->key.hex());
        report.signer(signature->key);
    }
}

// Returns the files whose sizes a record can have; the others are problems and are not read.
std::set<std::string> files_of_fit_size(const fs::path& directory,
                                        const std::map<std::string, std::string>& sums, Report& report) {
    std::set<std::string> fit;
    std::uintmax_t added = 0;
    for (const auto& [name, hash] : sums) {
        std::error_code error;
        const auto size = fs::file_size(directory / name, error);
        const bool own = is_record_file(name);
        const std::uintmax_t largest = own ? largest_json : largest_addition;
        if (!error && !own && size <= largest) added += size;
        if (error) {
            report.problem(name, "its size cannot be read: " + error.message());
        } else if (size > largest) {
            report.problem(name, "it has " + std::to_string(size) +
                                     " bytes, and a file of a record has at most " + std::to_string(largest));
        } else if (!own && added > most_added) {
            report.problem(name, "with it, the files that were added to the record have more than " +
                                     std::to_string(most_added) + " bytes");
        } else {
            fit.insert(name);
        }
    }
    return fit;
}

void check_hashes(const fs::path& directory, const std::set<std::string>& files, Report& report) {
    const auto text = read_file(directory / sums_name, largest_sums);
    if (!text) {
        report.problem(sums_name, text.error().message);
        return;
    }
    if (files.contains(std::string(signature_name))) check_signature(directory, *text, report);
    auto sums = parse_sums(*text, report);
    for (const std::string& name : files) {
        if (name != sums_name && name != signature_name && !sums.contains(name)) {
            report.problem(name, "it is not listed in SHA256SUMS");
        }
    }
    std::erase_if(sums, [&](const auto& sum) {
        if (files.contains(sum.first)) return false;
        report.problem(sum.first, "it is listed in SHA256SUMS but is not there as a plain file");
        return true;
    });
    for (const std::string& name : files_of_fit_size(directory, sums, report)) {
        const auto actual = sha256_of_file(directory / name);
        if (!actual) {
            report.problem(name, actual.error().message);
        } else if (*actual != sums.at(name)) {
            report.problem(name, "its SHA-256 is " + *actual + ", SHA256SUMS lists " + sums.at(name));
        } else {
            report.good(name + ": SHA-256");
        }
    }
}

// Returns the record when it is one, whether its figures add up or not.
std::optional<VerifiedRecord> check_text(std::string text, const std::string& name, Report& report) {
    auto record = record_from_json(text);
    if (!record) {
        report.problem(name, record.error().message);
        return std::nullopt;
    }
    report.good(name + ": schema");
    report.good(name + ": content_sha256");
    report.id(record->record_id);
    const std::size_t before = report.problem_count();
    try {
        check_consistency(*record, [&](const std::string& sentence) { report.problem(name, sentence); });
    } catch (const std::exception& error) {
        report.problem(name, std::string("its figures cannot be checked: ") + error.what());  // memory
    }
    if (report.problem_count() == before) report.good(name + ": figures follow from the samples");
    return VerifiedRecord{std::move(*record), std::move(text)};
}

std::optional<VerifiedRecord> check_json(const fs::path& path, Report& report) {
    const std::string name = path.filename().string();
    auto text = read_file(path, largest_json);
    if (!text) {
        report.problem(name, text.error().message);
        return std::nullopt;
    }
    return check_text(std::move(*text), name, report);
}

// Notes that a lone file is checked against itself only, which one that is not accepted need not say.
void note_what_is_open(Report& report) {
    if (report.problem_count() > 0) return;
    report.note(
        "a lone record.json is checked against itself: no value was changed after its content_sha256 was "
        "computed, but whoever computes it anew can change everything; verify the record's directory for its "
        "signature, or compare the record_id with one that you were given");
}

void check_derived(const fs::path& path, const std::string& wanted, Report& report) {
    const std::string name = path.filename().string();
    const auto actual = read_file(path, largest_json);
    if (!actual) {
        report.problem(name, actual.error().message);
    } else if (*actual != wanted) {
        const auto differ = std::ranges::mismatch(*actual, wanted);
        const auto line = std::count(actual->begin(), differ.in1, '\n') + 1;
        report.problem(name, "it is not what record.json gives, from line " + std::to_string(line) + " on");
    } else {
        report.good(name + ": follows from record.json");
    }
}

// Checks what is made from the JSON, where it is there.
void check_derived_files(const fs::path& directory, const std::set<std::string>& there,
                         const VerifiedRecord& json, Report& report) {
    for (const auto& [name, content] : derived_files(json.text, json.record)) {
        if (there.contains(name)) {
            check_derived(directory / name, content, report);
        } else if (is_needed(name)) {
            report.problem(name, "it is missing");
        }
    }
}

// What was found, and the JSON where there is one.
struct Looked {
    Verification verification;
    std::optional<VerifiedRecord> json;
};

Result<Looked> look_at_directory(const fs::path& directory) {
    Report report;
    IIR2D_TRY(const auto files, regular_files(directory, report));
    if (!files.contains("record.json") && !files.contains(std::string(sums_name)) &&
        report.problem_count() == 0) {
        return fail(ErrorKind::bad_input, "the folder " + quoted(directory) +
                                              " holds no record: neither record.json nor SHA256SUMS");
    }
    if (!files.contains("record.json")) report.problem("record.json", "it is missing");
    if (files.contains(std::string(sums_name))) {
        check_hashes(directory, files, report);
    } else {
        report.problem(sums_name, "it is missing");
    }
    if (!files.contains("record.json")) return Looked{report.take(), std::nullopt};
    auto json = check_json(directory / "record.json", report);
    if (json) check_derived_files(directory, files, *json, report);
    return Looked{report.take(), std::move(json)};
}

Result<Looked> look_at(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return look_at_directory(path);
    if (!fs::is_regular_file(status)) {
        return fail(ErrorKind::bad_input,
                    quoted(path) + " is neither a record directory nor a record file" +
                        (fs::exists(status) ? "" : ": it does not exist or cannot be reached"));
    }
    Report report;
    auto json = check_json(path, report);
    note_what_is_open(report);
    return Looked{report.take(), std::move(json)};
}

}  // namespace

Result<RecordDirectory> check_record_directory(const fs::path& directory) {
    Report report;
    RecordDirectory result;
    IIR2D_TRY(result.names, regular_files(directory, report));
    if (result.names.contains(std::string(sums_name))) {
        check_hashes(directory, result.names, report);
    } else {
        report.problem(sums_name, "it is missing");
    }
    result.verification = report.take();
    return result;
}

Result<Verification> verify_record(const fs::path& path) {
    IIR2D_TRY(auto looked, look_at(path));
    return std::move(looked.verification);
}

Verification verify_record_text(std::string_view json) {
    Report report;
    static_cast<void>(check_text(std::string(json), "record.json", report));
    note_what_is_open(report);
    return report.take();
}

Result<VerifiedRecord> read_verified_record(const fs::path& path, const TaskControl& control) {
    control.report(0, "verifying the record");
    IIR2D_TRY(auto looked, look_at(path));
    if (control.cancelled()) return fail(ErrorKind::cancelled, "opening the record was cancelled");
    const Verification& verification = looked.verification;
    if (!verification.problems.empty()) {
        return fail(ErrorKind::check_failed,
                    "the record " + quoted(path) + " is not accepted: " + verification.problems.front());
    }
    // Without a problem there is its JSON.
    VerifiedRecord verified = *std::move(looked.json);
    verified.record.path = utf8_path(path);
    verified.record.signer = verification.signer;
    return verified;
}

Result<Record> load_record(const fs::path& path, const TaskControl& control) {
    IIR2D_TRY(auto verified, read_verified_record(path, control));
    return std::move(verified.record);
}

}  // namespace workbench
