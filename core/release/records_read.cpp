// SPDX-License-Identifier: MIT
#include "core/release/records_read.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/release/evidence_files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

// Records that were accepted before, by the hash of their files.
class AcceptedRecords {
  public:
    std::optional<Record> find(const std::string& sha256) {
        const std::lock_guard lock(m_mutex);
        const auto found = std::ranges::find(m_records, sha256, &Entry::first);
        if (found == m_records.end()) return std::nullopt;
        return found->second;
    }

    void keep(const std::string& sha256, const Record& record) {
        const std::lock_guard lock(m_mutex);
        if (m_records.size() == most) m_records.erase(m_records.begin());
        m_records.emplace_back(sha256, record);
    }

  private:
    using Entry = std::pair<std::string, Record>;
    static constexpr std::size_t most = 8;
    std::mutex m_mutex;
    std::vector<Entry> m_records;  // the oldest first
};

AcceptedRecords& accepted_records() {
    static AcceptedRecords records;
    return records;
}

}  // namespace

Result<Record> read_record(const std::filesystem::path& path, const std::string& sha256) {
    if (auto known = accepted_records().find(sha256)) {
        known->path = utf8_path(path);
        return *std::move(known);
    }
    IIR2D_TRY(auto record, load_record(path));
    // What was read is what was hashed.
    IIR2D_TRY(const auto hash, evidence_hash(path));
    if (hash.sha256 != sha256) return fail(ErrorKind::bad_input, quoted(path) + " changed while it was read");
    accepted_records().keep(sha256, record);
    return record;
}

}  // namespace workbench
