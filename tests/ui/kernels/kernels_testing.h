// SPDX-License-Identifier: MIT
// A text of two kernels, as it is installed.
#pragma once

#include <QString>
#include <QTemporaryDir>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "core/support/files.h"
#include "core/synth/shards.h"

namespace workbench::testing {

inline const std::string twoKernels = R"(//
// Cuda compilation tools, release 13.0, V13.0.88
//
.version 8.0
.target sm_75
.address_size 64

.visible .entry twice(.param .u64 twice_param_0, .param .u64 twice_param_1, .param .u32 twice_param_2)
{
.reg .pred %p<2>;
.reg .f32 %f<3>;
.reg .b32 %r<6>;
.reg .b64 %rd<8>;
ld.param.u64 %rd1, [twice_param_0];
ld.param.u64 %rd2, [twice_param_1];
ld.param.u32 %r1, [twice_param_2];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra $L__BB0_2;
cvta.to.global.u64 %rd3, %rd1;
cvta.to.global.u64 %rd4, %rd2;
mul.wide.s32 %rd5, %r5, 4;
add.s64 %rd6, %rd3, %rd5;
ld.global.f32 %f1, [%rd6];
add.f32 %f2, %f1, %f1;
add.s64 %rd7, %rd4, %rd5;
st.global.f32 [%rd7], %f2;
$L__BB0_2:
ret;
}
.visible .entry pool_max_f32()
{
.reg .b32 %r<2>;
$L__BB1_1:
mov.u32 %r1, %tid.x;
bra $L__BB1_1;
}
)";

// Writes it compressed into a folder; an empty path where that failed.
inline std::filesystem::path installedKernels(const QTemporaryDir& folder,
                                              const std::string& text = twoKernels) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    const auto bytes = synth::compressed_lines(lines);
    const std::filesystem::path path = folder.filePath(QStringLiteral("kernels.ptx.zst")).toStdString();
    if (!bytes || !write_file_atomically(path, *bytes)) return {};
    return path;
}

}  // namespace workbench::testing
