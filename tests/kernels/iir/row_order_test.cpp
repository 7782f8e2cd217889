// SPDX-License-Identifier: MIT
// The order of operations, and what is rounded in `mixed`: they follow from a sample's column and from the
// sections alone, not from the tile, the band or the part of the row that a sample is in. So a piece of an
// image that contains all that its samples depend on has the same bits alone, and an image has the same bits
// however far apart its rows lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <vector>

#include "kernels/iir/cpu.h"
#include "tests/kernels/iir/iir_testing.h"

namespace {

using namespace iir2d;
using namespace iir_test;

// Sections of every number of terms; alone, and with others of as many and of other ones.
const std::vector<std::vector<Section>> cascades = [] {
    const Section one{.order = 1, .b = {0.3, 0, 0}, .a = {0.7, 0}, .start_b = {0.3, 0, 0}};
    const Section two{.order = 1, .b = {0.3, 0.2, 0}, .a = {0.5, 0}, .start_b = {0.3, 0.2, 0}};
    const Section three{.order = 2, .b = {0.2, 0.3, 0.1}, .a = {0.9, -0.3}, .start_b = {0.2, 0.3, 0.1}};
    return std::vector<std::vector<Section>>{
        {one}, {two}, {three}, {one, one}, {two, three}, {three, three}, {one, three, one}, {one, one, one}};
}();

// Columns [first, w) and rows [top, h) of a plane as a filter of its rows, then its columns, gives them.
template <class S>
std::vector<S> filtered(const std::vector<S>& x, std::int64_t stride, const Shape& shape,
                        const FilterData& filter, Precision precision, std::int64_t first, std::int64_t top) {
    const FilterDesc desc{
        .shape = {.h = shape.h - top, .w = shape.w - first}, .border = Border::clamp, .precision = precision};
    const auto job = iir::make_cpu_job(desc, filter, 1);
    std::vector<S> y(static_cast<std::size_t>(desc.shape.h * desc.shape.w));
    const ElementType type = storage_type(precision);
    EXPECT_TRUE(iir::forward_cpu(
        job, {x.data() + top * stride + first, type, desc.shape, stride, stride * desc.shape.h},
        {y.data(), type, desc.shape, desc.shape.w, count_of(desc.shape)}, {}));
    return y;
}

template <class S>
void expect_pieces_to_be_the_same(Precision precision) {
    const Shape whole{.h = 135, .w = 1100};
    const auto noise = random_plane(count_of(whole), 41);
    const std::vector<S> x(noise.begin(), noise.end());
    const auto expect = [&](const FilterData& filter, const Shape& shape, std::int64_t first,
                            std::int64_t top, const std::vector<S>& all) {
        const auto piece = filtered(x, whole.w, shape, filter, precision, first, top);
        const std::int64_t w = shape.w - first;
        for (std::int64_t r = top; r < shape.h; ++r) {
            const auto* const at = all.data() + r * whole.w + first;
            ASSERT_TRUE(std::equal(at, at + w, piece.data() + (r - top) * w))
                << w << "x" << shape.h - top << " from column " << first << " and row " << r;
        }
    };
    for (std::size_t i = 0; i < cascades.size(); ++i) {
        SCOPED_TRACE("cascade " + std::to_string(i) + " " + std::string(name_of(precision)));
        const Stage stage{.kind = Stage::Kind::causal, .sections = cascades[i]};
        const FilterData causal{{{stage}}, {}};
        const FilterData anticausal{{{{.kind = Stage::Kind::anticausal, .sections = cascades[i]}}}, {}};
        const auto forwards = filtered(x, whole.w, whole, causal, precision, 0, 0);
        const auto backwards = filtered(x, whole.w, whole, anticausal, precision, 0, 0);
        for (const std::int64_t rows : {1, 3, 4, 7, 8, 9, 15, 16, 17, 33}) {
            expect(causal, {.h = rows, .w = whole.w}, 0, 0, forwards);
            expect(anticausal, whole, 0, whole.h - rows, backwards);
        }
        for (const std::int64_t w : {4, 5, 31, 32, 33, 64, 95, 513, 545, 1099})
            expect(causal, {.h = whole.h, .w = w}, 0, 0, forwards);
        const FilterData both{{{stage}}, {{stage}}};
        const auto down = filtered(x, whole.w, whole, both, precision, 0, 0);
        for (const std::int64_t w : {31, 100, 333, 1099}) expect(both, {.h = whole.h, .w = w}, 0, 0, down);
        for (const std::int64_t rows : {20, 99, 134}) expect(both, {.h = rows, .w = whole.w}, 0, 0, down);
        // Pairs are of columns 2i and 2i + 1, whichever comes first.
        for (const std::int64_t first : {2, 30, 32, 34, 64, 550, 588, 1068, 1096})
            expect(anticausal, whole, first, 0, backwards);
    }
}

TEST(RowOrder, APieceOfAnImageHasTheSameBitsAlone) {
    expect_pieces_to_be_the_same<float>(Precision::f32);
    expect_pieces_to_be_the_same<float>(Precision::mixed);
    expect_pieces_to_be_the_same<double>(Precision::f64);
}

// The bits of what a job gives whose input's and output's rows are so many samples apart. What lies between
// rows stays as it is.
std::vector<std::uint32_t> run_apart(const iir::CpuJob& job, const Shape& shape,
                                     const std::vector<double>& image, std::int64_t in_stride,
                                     std::int64_t out_stride) {
    std::vector<float> in(static_cast<std::size_t>(shape.h * in_stride), 7.0F);
    std::vector<float> out(static_cast<std::size_t>(shape.h * out_stride), 7.0F);
    for (std::int64_t r = 0; r < shape.h; ++r)
        std::copy_n(image.data() + r * shape.w, shape.w, in.data() + r * in_stride);
    EXPECT_TRUE(iir::forward_cpu(job, {in.data(), ElementType::f32, shape, in_stride, shape.h * in_stride},
                                 {out.data(), ElementType::f32, shape, out_stride, shape.h * out_stride},
                                 {}));
    std::vector<std::uint32_t> result;
    for (std::int64_t r = 0; r < shape.h; ++r) {
        const auto row = out.begin() + r * out_stride;
        std::transform(row, row + shape.w, std::back_inserter(result),
                       [](float v) { return std::bit_cast<std::uint32_t>(v); });
        EXPECT_EQ(std::count(row + shape.w, row + out_stride, 7.0F), out_stride - shape.w) << "row " << r;
    }
    return result;
}

// With AVX-512 and a first-level cache of 8 ways bands have fewer rows where those of the input or of the
// output are a multiple of 4 KiB apart.
TEST(RowOrder, AnImageHasTheSameBitsHoweverFarApartItsRowsAre) {
    for (const Shape shape : {Shape{.h = 1, .w = 1024}, Shape{.h = 8, .w = 1024}, Shape{.h = 13, .w = 1000},
                              Shape{.h = 17, .w = 1023}, Shape{.h = 135, .w = 1024}}) {
        const auto image = random_plane(count_of(shape), 43);
        for (int id = 1; id <= 8; ++id) {
            for (const auto& [border, start] : all_modes) {
                const FilterDesc desc{.shape = shape, .filter = {.id = id}, .border = border, .start = start};
                SCOPED_TRACE(describe(desc));
                auto job = iir::make_cpu_job(desc, *make_filter(desc.filter), 2);
                job.caches.l1d_ways = 12;
                const auto expected = run_apart(job, shape, image, 1040, 1056);
                EXPECT_EQ(run_apart(job, shape, image, 1024, 1024), expected);
                job.caches.l1d_ways = 8;
                EXPECT_EQ(run_apart(job, shape, image, 1024, 1024), expected);
                EXPECT_EQ(run_apart(job, shape, image, 1024, 1040), expected);
                EXPECT_EQ(run_apart(job, shape, image, 1040, 2048), expected);
            }
        }
    }
}

}  // namespace
