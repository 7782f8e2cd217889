// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "core/batch/manifest.h"
#include "core/batch/process.h"
#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

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
class BatchState {
  public:
    BatchState(const BatchOptions& options, std::function<void(const BatchItem&)> on_item,
               std::stop_token stop)
        : m_on_item(std::move(on_item)),
          m_stop(std::move(stop)),
          m_items(options.inputs.size()),
          m_manifest(options.output_directory) {}

    std::optional<ManifestEntry> entry(const std::string& name) {
        const std::scoped_lock lock(m_mutex);
        return m_manifest.entry(name);
    }

    // Once for each item; what comes after the first time for one is ignored.
    void finish(std::size_t index, BatchItem item, const std::optional<ManifestEntry>& entry) {
        const std::scoped_lock lock(m_mutex);
        if (m_items[index]) return;
        if (item.outcome != BatchItem::Outcome::skipped) {
            const auto noted = m_manifest.set(item.output.filename().string(), entry, m_stop);
            if (!noted && entry) {
                item.notes.push_back(
                    "the manifest could not be written, so --resume will not know of this file: " +
                    noted.error().message);
            }
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
    std::function<void(const BatchItem&)> m_on_item;
    std::stop_token m_stop;
    std::mutex m_mutex;
    std::vector<std::optional<BatchItem>> m_items;
    Manifest m_manifest;
};

// What the images of one batch have in common.
struct Work {
    const BatchOptions& options;
    const std::string hash;
    const iir2d::Device& device;
    MemoryBudget& budget;
};

BatchItem item_of(const BatchOptions& options, std::size_t index) {
    return {.input = options.inputs[index],
            .output = options.output_directory / options.inputs[index].filename(),
            .outcome = BatchItem::Outcome::done,
            .error = std::nullopt,
            .notes = {}};
}

// False when it was cancelled.
bool finish_failed(const Work& work, std::size_t index, Error error, BatchState& state) {
    if (error.kind == ErrorKind::cancelled) return false;
    BatchItem item = item_of(work.options, index);
    item.outcome = BatchItem::Outcome::failed;
    item.error = std::move(error);
    state.finish(index, std::move(item), std::nullopt);
    return true;
}

// One input from start to end. Returns false when it was cancelled.
bool process_one(const Work& work, std::size_t index, const TaskControl& control, BatchState& state) {
    const BatchOptions& options = work.options;
    BatchItem item = item_of(options, index);
    const auto input_hash = sha256_of_file(item.input, control.stop);
    if (!input_hash) return finish_failed(work, index, input_hash.error(), state);
    if (options.resume) {
        const auto known = state.entry(item.output.filename().string());
        if (known && known->work == work.hash && known->input == *input_hash) {
            const auto output_hash = sha256_of_file(item.output, control.stop);
            if (output_hash && *output_hash == known->output) {
                item.outcome = BatchItem::Outcome::skipped;
                state.finish(index, std::move(item), std::nullopt);
                return true;
            }
        }
    }
    const ProcessJob job{
        .input = item.input, .output = item.output, .recipe = options.recipe, .type = options.type};
    auto report = process_file(job, work.device, control, work.budget);
    if (!report) return finish_failed(work, index, report.error(), state);
    item.notes = report->notes;
    const auto output_hash = sha256_of_file(item.output);
    state.finish(index, std::move(item),
                 ManifestEntry{.work = work.hash, .input = *input_hash, .output = output_hash.value_or("")});
    return true;
}

// The same where the standard library finds no memory: that image failed, and the next may well be smaller.
bool process_guarded(const Work& work, std::size_t index, const TaskControl& control, BatchState& state) {
    try {
        return process_one(work, index, control, state);
    } catch (const std::bad_alloc&) {
        return finish_failed(
            work, index,
            {ErrorKind::device_failure, quoted(work.options.inputs[index]) +
                                            " could not be worked on: there is not enough memory; try fewer "
                                            "images at once"},
            state);
    } catch (const std::exception& error) {
        return finish_failed(
            work, index,
            {ErrorKind::device_failure,
             quoted(work.options.inputs[index]) + " could not be worked on: " + one_line(error.what())},
            state);
    }
}

}  // namespace

Result<BatchReport> run_batch(const BatchOptions& options, const iir2d::Device& device,
                              const TaskControl& control,
                              const std::function<void(const BatchItem&)>& on_item) {
    IIR2D_RETURN_IF_ERROR(check_names(options));
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
    MemoryBudget budget(MemoryBudget::usable_bytes());
    const Work work{.options = options, .hash = work_hash(options), .device = device, .budget = budget};
    BatchState state(options, on_item, control.stop);
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> finished{0};
    std::atomic<bool> cancelled{false};
    std::atomic<bool> exhausted{false};
    const std::size_t count = options.inputs.size();

    // Only the calling thread reports, and files are the unit: a single file also reports its own progress.
    const auto worker = [&](bool reports) {
        const TaskControl inner =
            reports && count == 1 ? control : TaskControl{.stop = control.stop, .progress = {}};
        while (!exhausted) {
            const std::size_t index = next.fetch_add(1);
            if (index >= count) return;
            if (control.cancelled() || !process_guarded(work, index, inner, state)) {
                cancelled = true;
                return;
            }
            const auto done = static_cast<double>(finished.fetch_add(1) + 1);
            if (reports) {
                control.report(done / static_cast<double>(count), options.inputs[index].filename().string());
            }
        }
    };
    // Not even memory to say so: nothing may leave a thread but its end.
    const auto guarded = [&](bool reports) noexcept {
        try {
            worker(reports);
        } catch (const std::exception&) {
            exhausted = true;
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t jobs = std::min(static_cast<std::size_t>(options.jobs), count);
        try {
            others.reserve(jobs - 1);
            for (std::size_t i = 1; i < jobs; ++i) others.emplace_back([&guarded] { guarded(false); });
            // NOLINTNEXTLINE(bugprone-empty-catch): without room for more threads those that there are do it
        } catch (const std::exception&) {
        }
        guarded(true);
    }
    if (exhausted)
        return fail(ErrorKind::device_failure,
                    "there is not enough memory for this batch: --resume continues, with fewer --jobs");
    return BatchReport{.items = state.items(), .cancelled = cancelled.load()};
}

}  // namespace workbench
