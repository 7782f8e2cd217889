// SPDX-License-Identifier: MIT
#include <ATen/Parallel.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>

#include "tests/bench/peers/pool_peer.h"

namespace bench {

namespace {

// Into our memory where there is a call for it; lp is composed of others and makes its own.
class TorchJob final : public PoolPeerJob {
  public:
    TorchJob(const PoolSpec& spec, PoolData& data, int threads)
        : m_spec(spec),
          m_data(data),
          m_window({spec.window, spec.window}),
          m_stride({spec.stride, spec.stride}) {
        at::set_num_threads(threads);
        const std::vector<std::int64_t> in{spec.n, spec.c, spec.h, spec.w};
        const std::vector<std::int64_t> out{spec.n, spec.c, spec.out(spec.h), spec.out(spec.w)};
        m_x = torch::from_blob(data.x.data(), in);
        m_y = torch::from_blob(data.y.data(), out);
        m_dy = torch::from_blob(data.dy.data(), out);
        m_dx = torch::from_blob(data.dx.data(), in);
        m_places = torch::empty(out, torch::kInt64);
        if (!spec.backward) return;
        if (spec.kind == PoolKind::lp2) {
            m_x.requires_grad_(true);
            m_lp = lp();
        } else {
            const torch::NoGradGuard plain;
            forward();
        }
    }

    void run() override {
        if (m_spec.kind == PoolKind::lp2 && m_spec.backward) {
            m_result = torch::autograd::grad({m_lp}, {m_x}, {m_dy}, true)[0];
            return;
        }
        const torch::NoGradGuard plain;
        if (!m_spec.backward) return forward();
        if (m_spec.kind == PoolKind::avg) {
            at::avg_pool2d_backward_out(m_dx, m_dy, m_x, m_window, m_stride, {0, 0}, false, true,
                                        c10::nullopt);
        } else {
            at::max_pool2d_with_indices_backward_out(m_dx, m_dy, m_x, m_window, m_stride, {0, 0}, {1, 1},
                                                     false, m_places);
        }
    }

    // Untimed: lp's result where it is compared.
    void finish() override {
        if (m_spec.kind != PoolKind::lp2) return;
        const torch::Tensor dense = m_result.contiguous();
        std::copy_n(dense.data_ptr<float>(), dense.numel(),
                    m_spec.backward ? m_data.dx.data() : m_data.y.data());
    }

  private:
    torch::Tensor lp() const {
        namespace F = torch::nn::functional;
        return F::lp_pool2d(m_x, F::LPPool2dFuncOptions(2, {m_spec.window, m_spec.window})
                                     .stride(torch::ExpandingArray<2>({m_spec.stride, m_spec.stride})));
    }
    void forward() {
        switch (m_spec.kind) {
            case PoolKind::max:
            case PoolKind::max_with_places:
                at::max_pool2d_with_indices_out(m_y, m_places, m_x, m_window, m_stride);
                break;
            case PoolKind::avg:
                at::avg_pool2d_out(m_y, m_x, m_window, m_stride);
                break;
            case PoolKind::lp2:
                m_result = lp();
                break;
        }
    }

    PoolSpec m_spec;
    PoolData& m_data;
    std::vector<std::int64_t> m_window;
    std::vector<std::int64_t> m_stride;
    torch::Tensor m_x, m_y, m_dy, m_dx, m_places, m_lp, m_result;
};

}  // namespace

PoolPeer torch_pool_peer() {
    return {"PyTorch " TORCH_VERSION,
            [](const PoolSpec& spec) -> std::string {
                switch (spec.kind) {
                    case PoolKind::max:
                    case PoolKind::max_with_places:
                        return "max_pool2d_with_indices";
                    case PoolKind::avg:
                        return "avg_pool2d";
                    case PoolKind::lp2:
                        break;
                }
                return "lp_pool2d";
            },
            [](const PoolSpec& spec, PoolData& data, int threads) -> std::unique_ptr<PoolPeerJob> {
                return std::make_unique<TorchJob>(spec, data, threads);
            }};
}

}  // namespace bench
