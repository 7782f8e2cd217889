// SPDX-License-Identifier: MIT
// A recipe on image files: one, or many with a manifest that an interrupted run resumes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/batch/memory_budget.h"
#include "core/image/image.h"
#include "core/image/image_io.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/config.h"
#include "iir2d/device.h"

namespace workbench {

// Returns how a recipe wants its input read: double files stay double when an operation computes in f64, and
// when none computes at all.
ReadOptions read_options_for(const Recipe& recipe, int image_index = 0);

struct ProcessJob {
    std::filesystem::path input;
    std::filesystem::path output;
    Recipe recipe;
    std::optional<SampleType> type;                      // of the output; absent: the input's
    int image_index = 0;                                 // page or part of the input
    std::optional<iir2d::Config> config = std::nullopt;  // of every operation; absent: as the library chooses
};

// bad_input when an image needs more than `usable` bytes by itself, unwritable_output when what is computed
// of it, both at once, needs `peak` and that is more: a sentence with both numbers.
Result<void> check_memory(const ImageInfo& input, std::uint64_t input_bytes,
                          const std::filesystem::path& output, std::uint64_t peak, std::uint64_t usable);

// Reads, applies, writes. The output appears whole or not at all. Returns what the format could not hold.
// What the job needs by the input's header is taken from the budget before a pixel is read, or refused as
// check_memory() does.
Result<WriteReport> process_file(const ProcessJob& job, const iir2d::Device& device,
                                 const TaskControl& control, MemoryBudget& budget);
// Does the same with a budget of its own: what this process can use now.
Result<WriteReport> process_file(const ProcessJob& job, const iir2d::Device& device,
                                 const TaskControl& control = {});

struct BatchOptions {
    std::vector<std::filesystem::path> inputs;
    std::filesystem::path output_directory;  // created when missing
    Recipe recipe;
    std::optional<SampleType> type;
    int jobs = 1;         // files at once
    bool resume = false;  // skip what the manifest says is done and is still as it was
};

struct BatchItem {
    enum class Outcome { done, skipped, failed };
    std::filesystem::path input;
    std::filesystem::path output;
    Outcome outcome = Outcome::done;
    std::optional<Error> error;
    std::vector<std::string> notes;
};

struct BatchReport {
    std::vector<BatchItem> items;  // in the order of the inputs; those that a cancel left out are missing
    bool cancelled = false;
};

// Each output has its input's file name, in output_directory; two inputs of one name, or an output that is an
// input, are bad arguments before anything is written. One file's failure does not stop the others.
// The manifest is `output_directory`/.iir2d-batch.json: for each finished output the SHA-256 of the recipe
// and options, of the input and of the output. It is rewritten whole after every file, under a lock, so a
// kill loses nothing that was done, and batches into one folder keep each other's entries; resuming also
// removes the unfinished file that a kill leaves. Files are begun as long as what they need at once is within
// MemoryBudget::usable_bytes(). `on_item` is called from the calling thread or a worker, one at a time.
Result<BatchReport> run_batch(const BatchOptions& options, const iir2d::Device& device,
                              const TaskControl& control = {},
                              const std::function<void(const BatchItem&)>& on_item = {});

}  // namespace workbench
