// SPDX-License-Identifier: MIT
#include "core/release/records_read.h"

#include <algorithm>

namespace workbench {

std::optional<Record> RecordsRead::find(const std::string& sha256) {
    const std::lock_guard lock(m_mutex);
    const auto found = std::ranges::find(m_records, sha256, &Entry::first);
    if (found == m_records.end()) return std::nullopt;
    return found->second;
}

void RecordsRead::keep(const std::string& sha256, const Record& record) {
    const std::lock_guard lock(m_mutex);
    if (m_records.size() == most) m_records.erase(m_records.begin());
    m_records.emplace_back(sha256, record);
}

RecordsRead& records_read() {
    static RecordsRead records;
    return records;
}

}  // namespace workbench
