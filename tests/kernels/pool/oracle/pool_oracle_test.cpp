// SPDX-License-Identifier: MIT
// Pooling against PyTorch: oracle.csv holds what it makes of a matrix of descriptors (make_oracle.py beside
// it made the file), forward and backward, as sums with weights over all elements.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/kernels/pool/pool_types_testing.h"

namespace {

using namespace iir2d;
using namespace pool_testing;

// Images and weights as make_oracle.py has them.
double sample(std::uint64_t i, int kind) {
    const auto u = static_cast<double>((i * 2654435761U + 12345U) % (std::uint64_t{1} << 32) >> 16);
    const auto rest = [u](int modulus) {
        return static_cast<double>(static_cast<std::int64_t>(u) % modulus);
    };
    if (kind == 0) return (rest(4001) - 2000) / 256;
    return kind == 1 ? rest(5) - 2 : (rest(4001) + 1) / 1024;
}
double upstream(std::uint64_t i) {
    return (static_cast<double>((i * 48271U + 11U) % 2001U) - 1000) / 128;
}
double weight(std::uint64_t i) {
    return 0.5 + static_cast<double>((i * 40503U + 12345U) % 65536U) / 65536;
}

struct Projection {
    double sum = 0;
    double size = 0;  // the sum of magnitudes, which rounding is relative to
};
template <class Values>
Projection project(const Values& values) {
    Projection p;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double term = static_cast<double>(values[i]) * weight(i);
        p.sum += term;
        p.size += std::abs(term);
    }
    return p;
}

struct Line {
    std::string op;
    PoolDesc desc;
    int kind = 0;
    Extent out;
    double y = 0;
    double argmax = 0;
    double dx = 0;
};

Line parse(const std::string& text) {
    std::istringstream fields(text);
    Line line;
    std::getline(fields, line.op, ',');
    std::vector<double> v;
    for (std::string field; std::getline(fields, field, ',');)
        v.push_back(std::strtod(field.c_str(), nullptr));
    if (v.size() != 24) throw std::runtime_error("oracle.csv has the line " + text);
    const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(v[i]); };
    const auto pair = [&](std::size_t i) { return Extent{whole(i), whole(i + 1)}; };
    line.desc = {.op = *pool_op_from_name(line.op == "lp-torch" ? "lp" : line.op),
                 .shape = {whole(0), whole(1), whole(2), whole(3)},
                 .window = pair(4),
                 .stride = pair(6),
                 .padding = pair(8),
                 .dilation = pair(10),
                 .ceil_mode = v[12] != 0,
                 .p = v[13],
                 .count_include_pad = v[14] != 0,
                 .output = pair(16)};
    if (v[15] != 0) line.desc.divisor_override = whole(15);
    line.kind = static_cast<int>(v[18]);
    line.out = pair(19);
    line.y = v[21];
    line.argmax = v[22];
    line.dx = v[23];
    return line;
}

std::vector<Line> lines(bool on_purpose) {
    std::ifstream file(IIR2D_SOURCE_DIR "/tests/kernels/pool/oracle/oracle.csv");
    std::string text;
    std::getline(file, text);
    std::vector<Line> all;
    while (std::getline(file, text)) {
        Line line = parse(text);
        if ((line.op == "lp-torch") == on_purpose) all.push_back(std::move(line));
    }
    return all;
}

template <class T>
std::vector<T> image(const Line& line) {
    std::vector<T> x(elements(line.desc.shape));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(sample(i, line.kind));
    return x;
}

struct Passes {
    std::vector<double> y;
    std::vector<double> argmax;
    std::vector<double> dx;
};

template <class T>
Passes run_passes(const Line& line) {
    const auto x = image<T>(line);
    const auto forward = run_in<T>(line.desc, x);
    std::vector<T> dy(forward.y.size());
    for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = static_cast<T>(upstream(i));
    return {as_doubles(forward.y),
            {forward.argmax.begin(), forward.argmax.end()},
            as_doubles(backward_in<T>(line.desc, x, forward, dy))};
}

template <class T>
void compare(double tolerance) {
    std::map<std::string, int> count;
    int refused = 0;
    double worst = 0;
    for (const Line& line : lines(false)) {
        SCOPED_TRACE(to_string(line.desc));
        PoolDesc desc = line.desc;
        desc.element = type_of<T>;
        const auto plan = PoolPlan::make(cpu(), desc);
        if (line.out == Extent{0, 0}) {
            EXPECT_FALSE(plan) << "PyTorch refuses it";
            ++refused;
            continue;
        }
        ASSERT_TRUE(plan) << plan.error().message;
        ASSERT_EQ((Extent{plan->output_shape().h, plan->output_shape().w}), line.out);
        const Passes passes = run_passes<T>(line);
        for (const auto& [values, expected] : {std::pair{passes.y, line.y}, std::pair{passes.dx, line.dx}}) {
            const Projection got = project(values);
            ASSERT_NEAR(got.sum, expected, tolerance * got.size);
            if (got.size > 0) worst = std::max(worst, std::abs(got.sum - expected) / got.size);
        }
        ASSERT_NEAR(project(passes.argmax).sum, line.argmax, 1e-9 * (1 + line.argmax));
        ++count[line.op];
    }
    int all = 0;
    for (const auto& [op, cases] : count) {
        std::printf("%d %s, ", cases, op.c_str());
        all += cases;
    }
    std::printf("%d that both refuse; worst difference %.2g of what is summed\n", refused, worst);
    EXPECT_GE(all + refused, 2000);
    EXPECT_EQ(count.size(), 5U);
    EXPECT_GT(refused, 100);
}

TEST(PoolOracle, DoublesAgreeWithPyTorch) {
    compare<double>(1e-13);
}

TEST(PoolOracle, FloatsAgreeWithPyTorch) {
    compare<float>(2e-6);
}

// The two differences are where and what the contract says.
TEST(PoolOracle, DiffersFromPyTorchOnPurpose) {
    int truncated = 0;
    for (const Line& line : lines(true)) {
        SCOPED_TRACE(to_string(line.desc));
        const auto x = image<double>(line);
        const auto forward = run_in<double>(line.desc, x);
        if (line.desc.p == 3.0) {
            // An odd power of what is negative: PyTorch takes no magnitude and has NaN.
            EXPECT_TRUE(std::isnan(line.y));
            EXPECT_TRUE(std::ranges::none_of(forward.y, [](double v) { return std::isnan(v); }));
            continue;
        }
        // Windows that overhang: PyTorch multiplies the mean of what is inside by the whole window's size.
        std::vector<double> rescaled = forward.y;
        bool differs = false;
        for (std::int64_t oy = 0; oy < line.out.h; ++oy) {
            for (std::int64_t ox = 0; ox < line.out.w; ++ox) {
                const std::int64_t inside = std::min(line.desc.window.h, line.desc.shape.h - oy * 2) *
                                            std::min(line.desc.window.w, line.desc.shape.w - ox * 2);
                const double factor = std::sqrt(6.0 / static_cast<double>(inside));
                rescaled[static_cast<std::size_t>(oy * line.out.w + ox)] *= factor;
                differs = differs || inside != 6;
            }
        }
        EXPECT_NEAR(project(rescaled).sum, line.y, 1e-12 * line.y);
        EXPECT_EQ(std::abs(project(forward.y).sum - line.y) > 0.01, differs);
        truncated += differs ? 1 : 0;
    }
    EXPECT_GT(truncated, 2);
}

}  // namespace
