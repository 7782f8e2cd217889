// SPDX-License-Identifier: MIT
// The file under OpenImageIO's writers, which do not all look at what write() says.
#pragma once

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/oiioversion.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

// Two members of IOProxy changed in OpenImageIO 3.2.
#if OIIO_VERSION >= OIIO_MAKE_VERSION(3, 2, 0)
#define IIR2D_OIIO_TELL_CONST const
#define IIR2D_OIIO_FLUSH_CONST
#else
#define IIR2D_OIIO_TELL_CONST
#define IIR2D_OIIO_FLUSH_CONST const
#endif

namespace workbench {

// Writes to an open file that stays somebody else's, and remembers the first failure.
class OutputFile final : public OIIO::Filesystem::IOProxy {
  public:
    // It fails as on a full disk where the file would take more than `most_bytes`.
    OutputFile(int descriptor, const std::string& name, std::uint64_t most_bytes);

    const char* proxytype() const override { return "iir2d"; }
    std::int64_t tell() IIR2D_OIIO_TELL_CONST override;
    bool seek(std::int64_t offset) override;
    std::size_t read(void* buffer, std::size_t size) override;
    std::size_t write(const void* buffer, std::size_t size) override;
    std::size_t pread(void* buffer, std::size_t size, std::int64_t offset) override;
    std::size_t pwrite(const void* buffer, std::size_t size, std::int64_t offset) override;
    std::size_t size() const override;
    void flush() IIR2D_OIIO_FLUSH_CONST override;
    // Writes what is still held back to the file.
    void finish();

    // Returns the system's error number of the first failure; 0 when there was none.
    int failure() const { return m_failure; }

  private:
    bool seek_locked(std::int64_t offset);

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> m_stream;  // over a descriptor of its own
    std::FILE* m_file;
    std::uint64_t m_most_bytes;
    mutable std::mutex m_mutex;
    int m_failure = 0;
};

}  // namespace workbench
