// SPDX-License-Identifier: MIT
// A shared library that may or may not be on the machine, opened at run time and never closed.
#pragma once

#include <initializer_list>

namespace iir2d::support {

class SharedLibrary {
  public:
    // Tries the names in turn; is empty when none can be opened.
    explicit SharedLibrary(std::initializer_list<const char*> names);
    explicit operator bool() const { return m_handle != nullptr; }
    void* symbol(const char* name) const;  // null when it has none

  private:
    void* m_handle = nullptr;
};

}  // namespace iir2d::support
