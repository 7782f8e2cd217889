// SPDX-License-Identifier: MIT
#include <vips/vips.h>

#include <stdexcept>

#include "tests/bench/peers/peer.h"

namespace bench {

namespace {

class VipsJob final : public PeerJob {
  public:
    VipsJob(const Plane<float>& x, double sigma, int threads) : m_sigma(sigma), m_size(x.size()) {
        static const bool started = VIPS_INIT("peer_bench") == 0;
        if (!started) throw std::runtime_error(vips_error_buffer());
        vips_concurrency_set(threads);
        vips_cache_set_max(0);  // else it has its result already
        m_x = vips_image_new_from_memory(x.data(), x.count() * sizeof(float), static_cast<int>(m_size),
                                         static_cast<int>(m_size), 1, VIPS_FORMAT_FLOAT);
        if (m_x == nullptr) throw std::runtime_error(vips_error_buffer());
    }
    ~VipsJob() override {
        g_free(m_y);
        if (m_x != nullptr) g_object_unref(m_x);
    }
    // libvips computes when pixels are asked for: into memory that it allocates.
    void run() override {
        VipsImage* blurred = nullptr;
        if (vips_gaussblur(m_x, &blurred, m_sigma, "precision", VIPS_PRECISION_FLOAT, nullptr) != 0)
            throw std::runtime_error(vips_error_buffer());
        g_free(m_y);
        std::size_t bytes = 0;
        m_y = vips_image_write_to_memory(blurred, &bytes);
        g_object_unref(blurred);
        if (m_y == nullptr) throw std::runtime_error(vips_error_buffer());
    }
    void fetch(Plane<float>& y) override { std::copy_n(static_cast<const float*>(m_y), y.count(), y.data()); }

  private:
    double m_sigma;
    std::size_t m_size;
    VipsImage* m_x = nullptr;
    void* m_y = nullptr;
};

Peer blur(const std::string& group, double sigma) {
    return {group,
            std::string("libvips ") + std::to_string(VIPS_MAJOR_VERSION) + "." +
                std::to_string(VIPS_MINOR_VERSION) + "." + std::to_string(VIPS_MICRO_VERSION),
            "gaussblur float, sigma " + std::to_string(static_cast<int>(sigma)), sigma,
            [sigma](const Plane<float>& x, int threads) -> std::unique_ptr<PeerJob> {
                return std::make_unique<VipsJob>(x, sigma, threads);
            }};
}

}  // namespace

std::vector<Peer> vips_peers() {
    return {blur("smooth, sigma 2", 2), blur("smooth, sigma 8", 8)};
}

}  // namespace bench
