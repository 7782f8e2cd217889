// SPDX-License-Identifier: MIT
// Records that were read and accepted before in this process.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record/record.h"

namespace workbench {

// By the hash of what was attached: the same bytes are the same record, and every change of a release looks
// at all of them again. Keeps the latest few. Thread-safe.
class RecordsRead {
  public:
    std::optional<Record> find(const std::string& sha256);
    void keep(const std::string& sha256, const Record& record);

  private:
    using Entry = std::pair<std::string, Record>;
    static constexpr std::size_t most = 8;
    std::mutex m_mutex;
    std::vector<Entry> m_records;  // the oldest first
};

RecordsRead& records_read();

}  // namespace workbench
