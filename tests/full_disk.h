// SPDX-License-Identifier: MIT
// What a full disk looks like, without filling one.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace workbench::testing {

// Files of this process, and of those that it starts, cannot grow beyond `bytes` while it lives.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &m_old);
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit = m_old;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &m_old);
        std::signal(SIGXFSZ, m_handler);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit m_old{};
    void (*m_handler)(int) = nullptr;
};

}  // namespace workbench::testing
