// SPDX-License-Identifier: MIT
#include "app/iir2d/pool_options.h"

#include <cmath>

#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

void PoolOptions::add_to(CLI::App& command, const char* window_help) {
    command.add_option("--window", window, window_help)->capture_default_str();
    command.add_option("--stride", stride, "The stride as HEIGHTxWIDTH in pixels (default: the window)");
    command
        .add_option("--padding", padding, "The padding as HEIGHTxWIDTH in pixels, at most half the window")
        ->capture_default_str();
    command.add_option("--dilation", dilation, "The distance between taps as HEIGHTxWIDTH")
        ->capture_default_str();
    command.add_flag("--ceil-mode", ceil_mode, "Keep a last window that overhangs the image");
    command.add_option("--p", p, "Exponent of lp, above 0")->capture_default_str();
    command.add_flag("--count-include-pad", count_include_pad, "avg: padding counts in the divisor");
    command.add_option("--divisor", divisor, "avg: divide by this instead of the window's size");
    command.add_option("--output", output_size,
                       "The result's size as HEIGHTxWIDTH in pixels; required by adaptive operations");
}

Result<workbench::PoolOperation> PoolOptions::operation(iir2d::PoolOp op) const {
    const std::string name(iir2d::name_of(op));
    workbench::PoolOperation pool{.op = op, .ceil_mode = ceil_mode, .count_include_pad = count_include_pad};
    if (is_adaptive(op)) {
        if (output_size.empty())
            return fail(ErrorKind::bad_argument, "--output is required with " + name + " pooling");
        IIR2D_TRY(const auto size, parse_extent("--output", output_size));
        return workbench::PoolOperation{.op = op, .output = size};
    }
    if (window.empty()) return fail(ErrorKind::bad_argument, "--window is required");
    struct Field {
        const char* option;
        const std::string& text;
        iir2d::Extent& value;
    };
    iir2d::Extent stride_value;
    for (const Field& field :
         {Field{"--window", window, pool.window}, Field{"--padding", padding, pool.padding},
          Field{"--dilation", dilation, pool.dilation},
          Field{"--stride", stride.empty() ? window : stride, stride_value}}) {
        IIR2D_TRY(field.value, parse_extent(field.option, field.text));
    }
    if (!stride.empty()) pool.stride = stride_value;
    IIR2D_TRY(const auto power, parse_number("--p", p));
    if (!(power > 0 && std::isfinite(power))) {
        return fail(ErrorKind::bad_argument, "--p " + p + " is out of range: give a finite number above 0");
    }
    pool.p = power;
    if (!divisor.empty()) {
        IIR2D_TRY(pool.divisor_override, parse_integer("--divisor", divisor));
    }
    return pool;
}

std::vector<std::string> PoolOptions::ignored_by(iir2d::PoolOp op) const {
    std::vector<std::string> ignored;
    const auto add = [&ignored](const char* option, bool given) {
        if (given) ignored.emplace_back(option);
    };
    add("--count-include-pad", op != iir2d::PoolOp::avg && count_include_pad);
    add("--divisor", op != iir2d::PoolOp::avg && !divisor.empty());
    add("--p", op != iir2d::PoolOp::lp && p != "2");
    if (!is_adaptive(op)) return ignored;
    add("--window", !window.empty());
    add("--stride", !stride.empty());
    add("--padding", padding != "0x0");
    add("--dilation", dilation != "1x1");
    add("--ceil-mode", ceil_mode);
    return ignored;
}

Result<iir2d::ElementType> parse_element(std::string_view option, std::string_view text) {
    using enum iir2d::ElementType;
    for (const auto type : {f32, f64, f16, bf16}) {
        if (text == name_of(type)) return type;
    }
    return fail(ErrorKind::bad_argument,
                std::string(option) + " \"" + std::string(text) + "\" is not one of f32, f64, f16, bf16");
}

}  // namespace app
