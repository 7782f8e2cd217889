// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <thread>

#include "core/batch/process.h"
#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr const char* manifest_name = ".iir2d-batch.json";
constexpr int manifest_schema = 1;

// What made an output: equal ingredients and an equal output mean that there is nothing to do again.
struct Entry {
    std::string work;  // SHA-256 of recipe and options
    std::string input;
    std::string output;
};
using Manifest = std::map<std::string, Entry>;  // by output file name

// A manifest that cannot be read only means that everything is done again.
Manifest read_manifest(const fs::path& directory) {
    Manifest manifest;
    const auto text = read_file(directory / manifest_name, record_json_limits.bytes);
    if (!text) return manifest;
    const auto json = parse_json_strictly(*text, record_json_limits);
    if (!json || !json->is_object()) return manifest;
    const auto schema = json->find("schema_version");
    if (schema == json->end() || *schema != manifest_schema) return manifest;
    const auto files = json->find("files");
    if (files == json->end() || !files->is_object()) return manifest;
    for (const auto& [name, file] : files->items()) {
        const auto text_of = [&file](const char* key) {
            const auto found = file.is_object() ? file.find(key) : file.end();
            return found != file.end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        manifest[name] = {.work = text_of("work_sha256"),
                          .input = text_of("input_sha256"),
                          .output = text_of("output_sha256")};
    }
    return manifest;
}

Result<void> write_manifest(const fs::path& directory, const Manifest& manifest) {
    nlohmann::ordered_json json;
    json["schema_version"] = manifest_schema;
    json["files"] = nlohmann::ordered_json::object();
    for (const auto& [name, entry] : manifest) {
        json["files"][name] = {
            {"work_sha256", entry.work}, {"input_sha256", entry.input}, {"output_sha256", entry.output}};
    }
    using Json = nlohmann::ordered_json;
    return write_file_atomically(directory / manifest_name,
                                 json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string work_hash(const BatchOptions& options) {
    const std::string text = to_json(options.recipe) + "\n" +
                             (options.type ? std::string(name_of(*options.type)) : std::string("input type"));
    return sha256_hex(text);
}

Result<void> check_names(const BatchOptions& options) {
    if (options.inputs.empty()) return fail(ErrorKind::bad_argument, "there is no input image to work on");
    std::map<std::string, fs::path> by_name;
    for (const fs::path& input : options.inputs) {
        const std::string name = input.filename().string();
        if (name.empty()) {
            return fail(ErrorKind::bad_argument, "\"" + input.string() + "\" is not the name of a file");
        }
        const auto [other, fresh] = by_name.emplace(name, input);
        if (!fresh) {
            return fail(ErrorKind::bad_argument, "\"" + other->second.string() + "\" and \"" +
                                                     input.string() + "\" would both be written as \"" +
                                                     name + "\": give them separate output directories");
        }
        std::error_code missing;
        if (fs::equivalent(input, options.output_directory / name, missing)) {
            return fail(ErrorKind::bad_argument, "\"" + input.string() +
                                                     "\" would be overwritten by its own output: choose "
                                                     "another --out-dir");
        }
    }
    return {};
}

// The state that the workers share; every member function takes the lock.
class Book {
  public:
    Book(const BatchOptions& options, std::function<void(const BatchItem&)> on_item)
        : m_options(options), m_on_item(std::move(on_item)), m_items(options.inputs.size()) {
        if (options.resume) m_manifest = read_manifest(options.output_directory);
    }

    std::optional<Entry> entry(const std::string& name) {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_manifest.find(name);
        return found == m_manifest.end() ? std::nullopt : std::optional(found->second);
    }

    void finish(std::size_t index, BatchItem item, std::optional<Entry> entry) {
        const std::scoped_lock lock(m_mutex);
        const std::string name = item.output.filename().string();
        if (entry) {
            m_manifest[name] = *entry;
            if (auto written = write_manifest(m_options.output_directory, m_manifest); !written) {
                item.notes.push_back(
                    "the manifest could not be written, so --resume will not know of this "
                    "file: " +
                    written.error().message);
            }
        } else if (item.outcome == BatchItem::Outcome::failed) {
            m_manifest.erase(name);
        }
        m_items[index] = std::move(item);
        if (m_on_item) m_on_item(*m_items[index]);
    }

    std::vector<BatchItem> items() {
        const std::scoped_lock lock(m_mutex);
        std::vector<BatchItem> complete;
        for (auto& item : m_items) {
            if (item) complete.push_back(*item);
        }
        return complete;
    }

  private:
    const BatchOptions& m_options;
    std::function<void(const BatchItem&)> m_on_item;
    std::mutex m_mutex;
    std::vector<std::optional<BatchItem>> m_items;
    Manifest m_manifest;
};

// One input from start to end. Returns false when it was cancelled.
bool process_one(const BatchOptions& options, const std::string& work, std::size_t index,
                 const iir2d::Device& device, const TaskControl& control, Book& book) {
    BatchItem item{.input = options.inputs[index],
                   .output = options.output_directory / options.inputs[index].filename(),
                   .outcome = BatchItem::Outcome::done,
                   .error = std::nullopt,
                   .notes = {}};
    const auto input_hash = sha256_of_file(item.input);
    if (!input_hash) {
        item.outcome = BatchItem::Outcome::failed;
        item.error = input_hash.error();
        book.finish(index, std::move(item), std::nullopt);
        return true;
    }
    if (const auto known = book.entry(item.output.filename().string());
        known && known->work == work && known->input == *input_hash) {
        const auto output_hash = sha256_of_file(item.output);
        if (output_hash && *output_hash == known->output) {
            item.outcome = BatchItem::Outcome::skipped;
            book.finish(index, std::move(item), std::nullopt);
            return true;
        }
    }
    const ProcessJob job{
        .input = item.input, .output = item.output, .recipe = options.recipe, .type = options.type};
    auto report = process_file(job, device, control);
    if (!report) {
        if (report.error().kind == ErrorKind::cancelled) return false;
        item.outcome = BatchItem::Outcome::failed;
        item.error = report.error();
        book.finish(index, std::move(item), std::nullopt);
        return true;
    }
    item.notes = report->notes;
    const auto output_hash = sha256_of_file(item.output);
    book.finish(index, std::move(item),
                Entry{.work = work, .input = *input_hash, .output = output_hash.value_or(std::string())});
    return true;
}

}  // namespace

Result<BatchReport> run_batch(const BatchOptions& options, const iir2d::Device& device,
                              const TaskControl& control,
                              const std::function<void(const BatchItem&)>& on_item) {
    if (auto names = check_names(options); !names) return std::unexpected(names.error());
    if (options.jobs < 1) {
        return fail(ErrorKind::bad_argument, "jobs is " + std::to_string(options.jobs) + ": give at least 1");
    }
    std::error_code error;
    fs::create_directories(options.output_directory, error);
    if (error || !fs::is_directory(options.output_directory, error)) {
        return fail(ErrorKind::unwritable_output, "the output directory \"" +
                                                      options.output_directory.string() +
                                                      "\" could not be made: " + error.message());
    }
    if (options.resume) remove_leftovers(options.output_directory);
    const std::string work = work_hash(options);
    Book book(options, on_item);
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> finished{0};
    std::atomic<bool> cancelled{false};
    const std::size_t count = options.inputs.size();

    // Only the calling thread reports, and files are the unit: a single file also reports its own progress.
    const auto worker = [&](bool reports) {
        const TaskControl inner =
            reports && count == 1 ? control : TaskControl{.stop = control.stop, .progress = {}};
        while (true) {
            const std::size_t index = next.fetch_add(1);
            if (index >= count) return;
            if (control.cancelled() || !process_one(options, work, index, device, inner, book)) {
                cancelled = true;
                return;
            }
            const auto done = static_cast<double>(finished.fetch_add(1) + 1);
            if (reports) {
                control.report(done / static_cast<double>(count), options.inputs[index].filename().string());
            }
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t jobs = std::min(static_cast<std::size_t>(options.jobs), count);
        for (std::size_t i = 1; i < jobs; ++i) others.emplace_back([&worker] { worker(false); });
        worker(true);
    }
    return BatchReport{.items = book.items(), .cancelled = cancelled.load()};
}

}  // namespace workbench
