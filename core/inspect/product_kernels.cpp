// SPDX-License-Identifier: MIT
#include "core/inspect/product_kernels.h"

#include <system_error>

#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/shards.h"

namespace workbench::inspect {

namespace fs = std::filesystem;

fs::path product_kernels_file() {
    std::error_code error;
    fs::path installed = resource_directory() / "ptx" / "gpu_kernels.ptx.zst";
    if (fs::is_regular_file(installed, error)) return installed;
#if defined(IIR2D_BUILT_KERNELS_PTX)
    if (fs::is_regular_file(IIR2D_BUILT_KERNELS_PTX, error)) return IIR2D_BUILT_KERNELS_PTX;
#endif
    return {};
}

Result<std::shared_ptr<const ProductKernels>> ProductKernels::load(const fs::path& file) {
    std::string text;
    std::string compiler;
    constexpr std::size_t first_lines = 2000;
    IIR2D_RETURN_IF_ERROR(synth::for_each_line(file, [&](std::string&& line) -> Result<void> {
        constexpr std::string_view mark = "// Cuda compilation tools, ";
        if (compiler.empty() && text.size() < first_lines && line.starts_with(mark))
            compiler = line.substr(mark.size());
        text += line;
        text += '\n';
        return {};
    }));
    const auto wrong = [&](const Error& error) {
        return fail(error.kind, file.string() + ": " + error.message);
    };
    auto program = compile::PtxProgram::parse(text);
    if (!program) return wrong(program.error());
    const auto module = ptx::Module::parse(std::move(text));
    if (!module) return wrong(module.error());
    std::shared_ptr<ProductKernels> made(new ProductKernels);
    made->m_target = module->target();
    made->m_compiler = compiler;
    made->m_kernels = module->entries();
    made->m_program = *std::move(program);
    return made;
}

Result<std::string> ProductKernels::text(const std::string& name) const {
    IIR2D_TRY(compile::PtxCut cut, m_program.cut(name));
    return std::move(cut.text);
}

}  // namespace workbench::inspect
