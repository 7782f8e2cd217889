// SPDX-License-Identifier: MIT
#include <omp.h>

#include <dnnl.hpp>
#include <unordered_map>

#include "tests/bench/peers/pool_peer.h"

namespace bench {

namespace {

using dnnl::memory;

// Planar, as all others have it, or in its own blocks of eight channels, for which it has faster kernels; how
// planes get there and back is not timed.
enum class Layout { planar, blocked };

memory::format_tag tag_of(Layout layout) {
    return layout == Layout::planar ? memory::format_tag::nchw : memory::format_tag::nChw8c;
}

class OneDnnJob final : public PoolPeerJob {
  public:
    OneDnnJob(const PoolSpec& spec, PoolData& data, int threads, Layout layout)
        : m_engine(dnnl::engine::kind::cpu, 0), m_stream(m_engine) {
        omp_set_num_threads(threads);
        const memory::dims in{spec.n, spec.c, spec.h, spec.w};
        const memory::dims out{spec.n, spec.c, spec.out(spec.h), spec.out(spec.w)};
        const memory x = make(in, layout, data.x);
        const memory y = make(out, layout, data.y);
        const memory::dims stride{spec.stride, spec.stride};
        const memory::dims window{spec.window, spec.window};
        const memory::dims none{0, 0};
        const bool maximum = spec.kind != PoolKind::avg;
        const auto algorithm =
            maximum ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
        const bool trains = spec.backward || spec.kind == PoolKind::max_with_places;
        const auto kind = trains ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
        const dnnl::pooling_forward::primitive_desc forward(
            {kind, algorithm, x.get_desc(), y.get_desc(), stride, window, none, none}, m_engine);
        m_primitive = dnnl::pooling_forward(forward);
        m_arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}};
        if (trains && maximum)
            m_arguments.emplace(DNNL_ARG_WORKSPACE, memory(forward.workspace_desc(), m_engine));
        m_result = y;
        m_to = planar(out, data.y);
        if (!spec.backward) return;
        run();
        const memory dy = make(out, layout, data.dy);
        const memory dx = make(in, layout, data.dx);
        const dnnl::pooling_backward::primitive_desc backward(
            {algorithm, dx.get_desc(), dy.get_desc(), stride, window, none, none}, m_engine, forward);
        m_primitive = dnnl::pooling_backward(backward);
        m_arguments.erase(DNNL_ARG_SRC);
        m_arguments.erase(DNNL_ARG_DST);
        m_arguments.emplace(DNNL_ARG_DIFF_DST, dy);
        m_arguments.emplace(DNNL_ARG_DIFF_SRC, dx);
        m_result = dx;
        m_to = planar(in, data.dx);
    }

    void run() override {
        m_primitive.execute(m_stream, m_arguments);
        m_stream.wait();
    }
    void finish() override {
        if (m_result.get_data_handle() != m_to.get_data_handle()) copy(m_result, m_to);
    }

  private:
    memory planar(const memory::dims& dims, Buffer<float>& data) {
        return memory({dims, memory::data_type::f32, memory::format_tag::nchw}, m_engine, data.data());
    }
    // Ours, or memory of its own with the same elements.
    memory make(const memory::dims& dims, Layout layout, Buffer<float>& data) {
        const memory ours = planar(dims, data);
        if (layout == Layout::planar) return ours;
        const memory own({dims, memory::data_type::f32, tag_of(layout)}, m_engine);
        copy(ours, own);
        return own;
    }
    void copy(const memory& from, const memory& to) {
        dnnl::reorder(from, to).execute(m_stream, const_cast<memory&>(from), const_cast<memory&>(to));
        m_stream.wait();
    }

    dnnl::engine m_engine;
    dnnl::stream m_stream;
    dnnl::primitive m_primitive;
    std::unordered_map<int, memory> m_arguments;
    memory m_result;
    memory m_to;
};

PoolPeer peer(Layout layout) {
    const dnnl_version_t* version = dnnl::version();
    return {"oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                std::to_string(version->patch),
            [layout](const PoolSpec& spec) -> std::string {
                if (spec.kind == PoolKind::lp2 || (layout == Layout::blocked && spec.c % 8 != 0)) return {};
                return std::string(spec.kind == PoolKind::avg ? "pooling_avg" : "pooling_max") +
                       (layout == Layout::planar ? " nchw" : " nChw8c");
            },
            [layout](const PoolSpec& spec, PoolData& data, int threads) -> std::unique_ptr<PoolPeerJob> {
                return std::make_unique<OneDnnJob>(spec, data, threads, layout);
            }};
}

}  // namespace

std::vector<PoolPeer> onednn_pool_peers() {
    return {peer(Layout::planar), peer(Layout::blocked)};
}

}  // namespace bench
