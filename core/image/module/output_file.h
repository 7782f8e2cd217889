// SPDX-License-Identifier: MIT
// Inside core/image only: the file under OpenImageIO's writers, which do not all look at what write() says.
#pragma once

#include <OpenImageIO/filesystem.h>

#include <cstdint>
#include <cstdio>
#include <mutex>

namespace workbench {

// Writes through a stream that belongs to someone else, and remembers the first failure.
class OutputFile final : public OIIO::Filesystem::IOProxy {
  public:
    OutputFile(std::FILE* file, const std::string& name) : IOProxy(name, Write), m_file(file) {}

    const char* proxytype() const override { return "iir2d"; }
    std::int64_t tell() override;
    bool seek(std::int64_t offset) override;
    std::size_t read(void* buffer, std::size_t size) override;
    std::size_t write(const void* buffer, std::size_t size) override;
    std::size_t pread(void* buffer, std::size_t size, std::int64_t offset) override;
    std::size_t pwrite(const void* buffer, std::size_t size, std::int64_t offset) override;
    std::size_t size() const override;
    void flush() const override;

    // The system's error number of the first failure; 0 when there was none.
    int failure() const { return m_failure; }

  private:
    bool seek_locked(std::int64_t offset);

    std::FILE* m_file;
    mutable std::mutex m_mutex;
    int m_failure = 0;
};

}  // namespace workbench
