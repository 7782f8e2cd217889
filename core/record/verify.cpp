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
#include "core/record/record_json.h"
#include "core/record/signature_file.h"
#include "core/record/verified_record.h"
#include "core/support/canonical_json.h"
#include "core/support/files.h"
#include "core/support/text.h"

namespace workbench {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_json = std::size_t{1} << 26;
constexpr std::uintmax_t largest_file = std::uintmax_t{1} << 30;  // of those only listed: charts, images
constexpr std::size_t largest_sums = std::size_t{1} << 20;
constexpr std::size_t most_problems = 200;
constexpr std::string_view sums_name = "SHA256SUMS";

// Control characters of a hostile name do not reach a terminal.
std::string shown(std::string_view name) {
    std::string text;
    for (const char c : name.substr(0, 200))
        text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return text;
}

class Report {
  public:
    void good(std::string text) { m_result.checked.push_back(std::move(text)); }
    void problem(std::string_view file, const std::string& text) {
        if (m_result.problems.size() < most_problems) m_result.problems.push_back(shown(file) + ": " + text);
    }
    void id(std::string hash) { m_result.record_id = std::move(hash); }
    void signer(const PublicKey& key) { m_result.signer = key; }
    std::size_t problem_count() const { return m_result.problems.size(); }
    Verification take() { return std::move(m_result); }

  private:
    Verification m_result;
};

// A name that stays inside the record's own folder on every system.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of("/\\:") == std::string_view::npos &&
           std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool is_hash(std::string_view text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The lines of SHA256SUMS, exactly as sha256sum writes them in text mode: hash, two spaces, name.
std::map<std::string, std::string> parse_sums(std::string_view text, Report& report) {
    std::map<std::string, std::string> sums;
    if (!text.empty() && text.back() != '\n') report.problem(sums_name, "its last line does not end");
    for (int number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        const std::string place = "line " + std::to_string(number);
        if (line.size() < 67 || !is_hash(line.substr(0, 64)) || line.substr(64, 2) != "  ") {
            report.problem(sums_name, place + " is not a SHA-256, two spaces and a name");
            continue;
        }
        const std::string_view name = line.substr(66);
        if (!is_plain_name(name) || name == sums_name || name == signature_name) {
            report.problem(sums_name,
                           place + " names \"" + shown(name) + "\", which no file of a record can be");
        } else if (!sums.emplace(name, line.substr(0, 64)).second) {
            report.problem(sums_name, place + " names \"" + shown(name) + "\" a second time");
        }
    }
    return sums;
}

// Names of the regular files in the folder; anything else in it is a problem and is not opened.
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
        if (names.size() > 10'000) break;
    }
    if (error) {
        return fail(ErrorKind::bad_input,
                    "the folder \"" + directory.string() + "\" cannot be listed: " + error.message());
    }
    return names;
}

// The signature over SHA256SUMS, where there is one.
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

void check_hashes(const fs::path& directory, const std::set<std::string>& files, Report& report) {
    const auto text = read_file(directory / sums_name, largest_sums);
    if (!text) {
        report.problem(sums_name, text.error().message);
        return;
    }
    if (files.contains(std::string(signature_name))) check_signature(directory, *text, report);
    const auto sums = parse_sums(*text, report);
    for (const auto& [name, hash] : sums) {
        if (!files.contains(name)) {
            report.problem(name, "it is listed in SHA256SUMS but is not there as a plain file");
            continue;
        }
        std::error_code error;
        if (const auto size = fs::file_size(directory / name, error); error || size > largest_file) {
            report.problem(
                name, error ? "its size cannot be read: " + error.message()
                            : "it has " + std::to_string(size) + " bytes, more than any file of a record");
            continue;
        }
        const auto actual = sha256_of_file(directory / name);
        if (!actual) {
            report.problem(name, actual.error().message);
        } else if (*actual != hash) {
            report.problem(name, "its SHA-256 is " + *actual + ", SHA256SUMS lists " + hash);
        } else {
            report.good(name + ": SHA-256");
        }
    }
    for (const std::string& name : files) {
        if (name != sums_name && name != signature_name && !sums.contains(name)) {
            report.problem(name, "it is not listed in SHA256SUMS");
        }
    }
}

struct CheckedJson {
    std::string text;
    nlohmann::json record;
};

// The JSON when it could be read and is a record, whether its figures add up or not.
std::optional<CheckedJson> check_json(const fs::path& path, Report& report) {
    const std::string name = path.filename().string();
    auto text = read_file(path, largest_json);
    if (!text) {
        report.problem(name, text.error().message);
        return std::nullopt;
    }
    auto record = parse_record(*text);
    if (!record) {
        report.problem(name, record.error().message);
        return std::nullopt;
    }
    report.good(name + ": schema record-" + record->at("schema_version").dump());
    report.id(canonical_sha256(*record));
    const std::size_t before = report.problem_count();
    try {
        for (const std::string& text_of_problem : inconsistencies(*record))
            report.problem(name, text_of_problem);
    } catch (const std::exception& error) {
        report.problem(name, std::string("its figures cannot be checked: ") + error.what());
    }
    if (report.problem_count() == before) report.good(name + ": figures follow from the samples");
    return CheckedJson{std::move(*text), std::move(*record)};
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

// What is made from the JSON, where it is there.
void check_derived_files(const fs::path& directory, const std::set<std::string>& there,
                         const CheckedJson& json, Report& report) {
    const auto wanted = derived_files(json.text, json.record);
    if (!wanted) {
        report.problem("record.json", wanted.error().message);
        return;
    }
    for (const auto& [name, content] : *wanted) {
        if (there.contains(name)) {
            check_derived(directory / name, content, report);
        } else if (is_needed(name, json.record.at("schema_version").get<int>())) {
            report.problem(name, "it is missing");
        }
    }
}

// What was found, and the JSON where there is one.
struct Looked {
    Verification verification;
    std::optional<CheckedJson> json;
};

Result<Looked> look_at_directory(const fs::path& directory) {
    Report report;
    const auto files = regular_files(directory, report);
    if (!files) return std::unexpected(files.error());
    if (!files->contains("record.json") && !files->contains(std::string(sums_name)) &&
        report.problem_count() == 0) {
        return fail(ErrorKind::bad_input, "the folder \"" + directory.string() +
                                              "\" holds no record: neither record.json nor SHA256SUMS");
    }
    if (!files->contains("record.json")) report.problem("record.json", "it is missing");
    if (files->contains(std::string(sums_name))) {
        check_hashes(directory, *files, report);
    } else {
        report.problem(sums_name, "it is missing");
    }
    if (!files->contains("record.json")) return Looked{report.take(), std::nullopt};
    auto json = check_json(directory / "record.json", report);
    if (json) check_derived_files(directory, *files, *json, report);
    return Looked{report.take(), std::move(json)};
}

Result<Looked> look_at(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return look_at_directory(path);
    if (!fs::is_regular_file(status)) {
        return fail(ErrorKind::bad_input,
                    "\"" + path.string() + "\" is neither a record directory nor a record file" +
                        (fs::exists(status) ? "" : ": it does not exist or cannot be reached"));
    }
    Report report;
    auto json = check_json(path, report);
    return Looked{report.take(), std::move(json)};
}

}  // namespace

Result<Verification> verify_record(const fs::path& path) {
    auto looked = look_at(path);
    if (!looked) return std::unexpected(looked.error());
    return std::move(looked->verification);
}

Result<VerifiedRecord> read_verified_record(const fs::path& path) {
    auto looked = look_at(path);
    if (!looked) return std::unexpected(looked.error());
    const Verification& verification = looked->verification;
    if (!verification.problems.empty()) {
        return fail(ErrorKind::check_failed,
                    "the record " + quoted(path) + " is not accepted: " + verification.problems.front());
    }
    // Without a problem there is its JSON.
    return VerifiedRecord{path, std::move(looked->json->text), std::move(looked->json->record),
                          verification.signer};
}

}  // namespace workbench
