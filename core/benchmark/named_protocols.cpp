// SPDX-License-Identifier: MIT
#include "core/benchmark/named_protocols.h"

namespace workbench {

namespace {

BenchmarkMatrix standard() {
    BenchmarkMatrix m;
    m.sizes = {{512, 512}, {1024, 1024}, {2048, 2048}};
    m.filter_ids = {1, 2, 3, 4, 5, 6, 7, 8};
    m.borders = {iir2d::Border::mirror};
    m.precisions = {iir2d::Precision::f32, iir2d::Precision::mixed};
    m.warmup = 10;
    m.iterations = 50;
    m.protocol = "standard";
    return m;
}

BenchmarkMatrix smoke() {
    BenchmarkMatrix m;
    m.sizes = {{256, 256}};
    m.filter_ids = {1, 4, 8};
    m.borders = {iir2d::Border::mirror};
    m.precisions = {iir2d::Precision::f32};
    m.warmup = 2;
    m.iterations = 10;
    m.protocol = "smoke";
    return m;
}

}  // namespace

std::optional<BenchmarkMatrix> named_protocol(std::string_view name) {
    if (name == "standard") return standard();
    if (name == "smoke") return smoke();
    return std::nullopt;
}

bool same_protocol(const BenchmarkMatrix& a, const BenchmarkMatrix& b) {
    return a.sizes == b.sizes && a.filter_ids == b.filter_ids && a.borders == b.borders &&
           a.precisions == b.precisions && a.pools == b.pools && a.recipe == b.recipe &&
           a.has_image() == b.has_image() && a.warmup == b.warmup && a.iterations == b.iterations &&
           a.seed == b.seed && a.stopping == b.stopping && a.cold_cache == b.cold_cache &&
           a.most_disturbed == b.most_disturbed && a.protocol == b.protocol;
}

}  // namespace workbench
