// SPDX-License-Identifier: MIT
// The product's own GPU kernels, as the PTX that is installed with it has them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/compile/ptx_text.h"
#include "core/ptx/ptx.h"

namespace workbench::inspect {

// Returns the compressed text: installed, or where this program was built. Empty: there is none, since the
// build had no compiler for GPU kernels.
std::filesystem::path product_kernels_file();

// A text that was read. Immutable; may be used by several threads.
class ProductKernels {
  public:
    // bad_input: it is no PTX, or not compressed by Zstandard.
    static Result<std::shared_ptr<const ProductKernels>> load(const std::filesystem::path& file);

    const std::string& target() const { return m_target; }      // "sm_75"
    const std::string& compiler() const { return m_compiler; }  // "release 13.0, V13.0.88"; may be empty
    const std::vector<ptx::EntryInfo>& kernels() const { return m_kernels; }  // in the order of the text
    // Returns the text of one kernel with what it calls.
    Result<std::string> text(const std::string& name) const;

  private:
    ProductKernels() = default;
    std::string m_target;
    std::string m_compiler;
    std::vector<ptx::EntryInfo> m_kernels;
    compile::PtxProgram m_program;
};

}  // namespace workbench::inspect
