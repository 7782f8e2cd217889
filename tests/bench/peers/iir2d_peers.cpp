// SPDX-License-Identifier: MIT
#include <stdexcept>

#include "iir2d/plan.h"
#include "tests/bench/peers/peer.h"

namespace bench {

namespace {

using namespace iir2d;

template <class T>
T value(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}

void check(const Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().message);
}

Shape square(const Plane<float>& x) {
    const auto size = static_cast<std::int64_t>(x.size());
    return {.h = size, .w = size};
}

class FilterJob final : public PeerJob {
  public:
    FilterJob(const Plane<float>& x, const FilterSpec& filter, int threads)
        : m_x(x),
          m_y(static_cast<std::int64_t>(x.size()), false),
          m_plan(value(FilterPlan::make(*Device::cpu(threads), {.shape = square(x), .filter = filter}))) {}
    void run() override {
        const Shape shape = square(m_x);
        check(m_plan.run({m_x.data(), ElementType::f32, shape}, {m_y.data(), ElementType::f32, shape}));
    }
    void fetch(Plane<float>& y) override { std::copy_n(m_y.data(), m_y.count(), y.data()); }

  private:
    const Plane<float>& m_x;
    Plane<float> m_y;
    FilterPlan m_plan;
};

class PoolJob final : public PeerJob {
  public:
    PoolJob(const Plane<float>& x, PoolDesc desc, int threads)
        : m_x(x), m_plan(value(PoolPlan::make(*Device::cpu(threads), with_shape(desc, x)))) {
        const Shape shape = m_plan.output_shape();
        m_y.resize(static_cast<std::size_t>(shape.h * shape.w));
    }
    void run() override {
        check(m_plan.forward({m_x.data(), ElementType::f32, square(m_x)},
                             {m_y.data(), ElementType::f32, m_plan.output_shape()}));
    }
    void fetch(Plane<float>&) override {}

  private:
    static PoolDesc with_shape(PoolDesc desc, const Plane<float>& x) {
        desc.shape = square(x);
        return desc;
    }
    const Plane<float>& m_x;
    std::vector<float> m_y;
    PoolPlan m_plan;
};

Peer filter(const std::string& group, const std::string& what, const FilterSpec& spec, double sigma) {
    return {group, std::string("iir2d ") + IIR2D_PEER_VERSION, what, sigma,
            [spec](const Plane<float>& x, int threads) -> std::unique_ptr<PeerJob> {
                return std::make_unique<FilterJob>(x, spec, threads);
            }};
}

Peer pool(const std::string& group, const std::string& what, const PoolDesc& desc) {
    return {group, std::string("iir2d ") + IIR2D_PEER_VERSION, what, 0,
            [desc](const Plane<float>& x, int threads) -> std::unique_ptr<PeerJob> {
                return std::make_unique<PoolJob>(x, desc, threads);
            }};
}

}  // namespace

std::vector<Peer> iir2d_peers() {
    const auto deriche = [](double sigma) { return FilterSpec{.id = 6, .parameters = {{"sigma", sigma}}}; };
    return {filter("recursive, no peer", "filter 1 (EMA)", {.id = 1}, 0),
            filter("recursive, no peer", "filter 4 (biquad cascade)", {.id = 4}, 0),
            filter("recursive, no peer", "filter 5 (forward-backward EMA)", {.id = 5}, 0),
            filter("smooth, sigma 2", "filter 6 (Deriche), sigma 2", deriche(2), 2),
            filter("smooth, sigma 8", "filter 6 (Deriche), sigma 8", deriche(8), 8),
            pool("window mean 5x5", "avg pooling 5x5, stride 1",
                 {.op = PoolOp::avg, .window = {5, 5}, .stride = Extent{1, 1}, .padding = {2, 2}}),
            pool("window mean 31x31", "avg pooling 31x31, stride 1",
                 {.op = PoolOp::avg, .window = {31, 31}, .stride = Extent{1, 1}, .padding = {15, 15}}),
            pool("half size by means", "avg pooling 2x2", {.op = PoolOp::avg, .window = {2, 2}})};
}

}  // namespace bench
