// SPDX-License-Identifier: MIT
// A data set as people look at it: its records as rows, counts of the whole, one record's texts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/support/error.h"
#include "core/support/task.h"
#include "core/synth/text_sizes.h"

namespace workbench::inspect {

struct RecordRow {
    std::string id;
    std::string name;
    std::string category;
    std::string ops;  // separated by spaces
    std::string split;
    std::string complexity;
    bool has_backward = false;
};

using synth::TextSizes;

// A kernel that did not give what is expected.
struct MismatchRow {
    std::uint64_t index = 0;  // of the candidate in its run
    std::string category;
    std::string detail;
};

struct DataSetView {
    using Counts = std::map<std::string, std::uint64_t, std::less<>>;
    std::filesystem::path folder;
    bool is_complete = false;  // it has a manifest: the run came to its end
    std::uint64_t count = 0;   // that the run is to keep
    std::vector<RecordRow> rows;
    Counts splits;
    std::map<std::string, Counts> categories;  // records by split
    Counts rejected;                           // by reason
    std::vector<MismatchRow> mismatches;
    std::map<std::string, TextSizes> sizes;  // of sources, and of IR by target
    // [records, skeletons among them], in the order of the records: at most 200 and the last.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> growth;
    std::uint64_t skeletons = 0;
    std::uint64_t pairs = 0;
};

struct RecordText {
    std::string target;
    bool is_backward = false;
    std::string text;
};
struct RecordLevel {
    std::string level;
    std::string target;
    bool is_backward = false;
    bool is_exact = false;
    std::string worst_of_bound;  // as the record has it
};
struct RecordView {
    RecordRow row;
    std::string kernel;  // its name in the texts
    std::string source;  // CUDA
    std::string backward_source;
    std::string host_source;  // C++
    std::string backward_host_source;
    std::string no_backward;  // why there is none; empty: there is one, or none was asked for
    std::vector<RecordText> texts;
    std::vector<RecordLevel> levels;
};

// Reads the whole shards, once. bad_input: there is no data set, or a line is no record.
Result<DataSetView> view_data_set(const std::filesystem::path& folder, const TaskControl& control = {});
// bad_argument: no record has the id.
Result<RecordView> view_record(const std::filesystem::path& folder, const std::string& id,
                               const std::stop_token& stop = {});

}  // namespace workbench::inspect
