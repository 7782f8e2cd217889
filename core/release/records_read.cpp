// SPDX-License-Identifier: MIT
#include "core/release/records_read.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/release/evidence_files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

// Records that were accepted before, by the hash of their files.
template <class Pointer>
class AcceptedRecords {
  public:
    // Null when there is none.
    Pointer find(const std::string& sha256) {
        const std::lock_guard lock(m_mutex);
        const auto found = std::ranges::find(m_records, sha256, &Entry::first);
        return found == m_records.end() ? nullptr : found->second;
    }

    void keep(const std::string& sha256, Pointer record) {
        const std::lock_guard lock(m_mutex);
        if (m_records.size() == most) m_records.erase(m_records.begin());
        m_records.emplace_back(sha256, std::move(record));
    }

  private:
    using Entry = std::pair<std::string, Pointer>;
    static constexpr std::size_t most = 8;
    std::mutex m_mutex;
    std::vector<Entry> m_records;  // the oldest first
};

// Reads with `load` what is not known yet.
template <class Kind, class Load>
Result<std::shared_ptr<const Kind>> read_once(const std::filesystem::path& path, const std::string& sha256,
                                              Load load) {
    static AcceptedRecords<std::shared_ptr<const Kind>> accepted;
    if (auto known = accepted.find(sha256)) return known;
    IIR2D_TRY(auto read, load(path));
    // What was read is what was hashed.
    IIR2D_TRY(const auto hash, evidence_hash(path));
    if (hash.sha256 != sha256) return fail(ErrorKind::bad_input, quoted(path) + " changed while it was read");
    auto record = std::make_shared<const Kind>(std::move(read));
    accepted.keep(sha256, record);
    return record;
}

}  // namespace

Result<RecordPtr> read_record(const std::filesystem::path& path, const std::string& sha256) {
    return read_once<Record>(path, sha256, [](const auto& p) { return load_record(p); });
}

Result<DuelRecordPtr> read_duel_record(const std::filesystem::path& path, const std::string& sha256) {
    return read_once<DuelRecord>(path, sha256, [](const auto& p) { return load_duel_record(p); });
}

}  // namespace workbench
