// SPDX-License-Identifier: MIT
// The file under OpenImageIO's readers: read through a descriptor that somebody else opened, or by its name.
#pragma once

#include <OpenImageIO/filesystem.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "core/image/codec.h"

namespace workbench {

class InputFile final : public OIIO::Filesystem::IOProxy {
  public:
    explicit InputFile(const SourceFile& source);

    // Returns whether it could be opened, which a descriptor is.
    bool is_open() const { return m_descriptor >= 0 || m_file != nullptr; }
    std::uint64_t bytes() const { return m_size; }
    // Opens another reader of the same file, from its start.
    std::unique_ptr<InputFile> again() const { return std::make_unique<InputFile>(m_source); }

    const char* proxytype() const override { return "iir2d"; }
    bool opened() const override { return is_open(); }
    std::size_t read(void* buffer, std::size_t size) override;
    std::size_t pread(void* buffer, std::size_t size, std::int64_t offset) override;
    std::size_t size() const override { return static_cast<std::size_t>(m_size); }

    // Returns the user's name of the file, and one under which a library can open it.
    const std::string& path() const { return m_source.path; }
    const std::string& name_to_open() const { return m_name_to_open; }

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    SourceFile m_source;
    int m_descriptor = -1;
    std::string m_name_to_open;
    std::unique_ptr<std::FILE, Close> m_file;  // where there is no descriptor
    std::uint64_t m_size = 0;
    std::mutex m_mutex;
};

}  // namespace workbench
