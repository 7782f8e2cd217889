// SPDX-License-Identifier: MIT
#include "core/release/records_read.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
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
    // Null when there is none.
    RecordPtr find(const std::string& sha256) {
        const std::lock_guard lock(m_mutex);
        const auto found = std::ranges::find(m_records, sha256, &Entry::first);
        return found == m_records.end() ? nullptr : found->second;
    }

    void keep(const std::string& sha256, RecordPtr record) {
        const std::lock_guard lock(m_mutex);
        if (m_records.size() == most) m_records.erase(m_records.begin());
        m_records.emplace_back(sha256, std::move(record));
    }

  private:
    using Entry = std::pair<std::string, RecordPtr>;
    static constexpr std::size_t most = 8;
    std::mutex m_mutex;
    std::vector<Entry> m_records;  // the oldest first
};

AcceptedRecords& accepted_records() {
    static AcceptedRecords records;
    return records;
}

}  // namespace

Result<RecordPtr> read_record(const std::filesystem::path& path, const std::string& sha256) {
    if (auto known = accepted_records().find(sha256)) return known;
    IIR2D_TRY(auto read, load_record(path));
    // What was read is what was hashed.
    IIR2D_TRY(const auto hash, evidence_hash(path));
    if (hash.sha256 != sha256) return fail(ErrorKind::bad_input, quoted(path) + " changed while it was read");
    auto record = std::make_shared<const Record>(std::move(read));
    accepted_records().keep(sha256, record);
    return record;
}

}  // namespace workbench
