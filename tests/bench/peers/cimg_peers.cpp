// SPDX-License-Identifier: MIT
// CImg is compiled into this program, with the flags that its documentation gives for speed: -O3 and OpenMP.
#define cimg_display 0
#define cimg_use_openmp 1
#include <CImg.h>
#include <omp.h>

#include "tests/bench/peers/peer.h"

namespace bench {

namespace {

using Image = cimg_library::CImg<float>;
using Call = std::function<void(Image& image)>;

class CImgJob final : public PeerJob {
  public:
    CImgJob(const Plane<float>& x, Call call, int threads)
        : m_x(x),
          m_image(static_cast<unsigned>(x.size()), static_cast<unsigned>(x.size())),
          m_call(std::move(call)) {
        cimg_library::cimg::openmp_mode(1);
        omp_set_num_threads(threads);
    }
    void prepare() override { std::copy_n(m_x.data(), m_x.count(), m_image.data()); }
    void run() override { m_call(m_image); }
    void fetch(Plane<float>& y) override { std::copy_n(m_image.data(), y.count(), y.data()); }

  private:
    const Plane<float>& m_x;
    Image m_image;
    Call m_call;
};

Peer peer(const std::string& group, const std::string& what, double sigma, Call call) {
    const int version = cimg_version;
    return {group,
            "CImg " + std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) + "." +
                std::to_string(version % 10),
            what, sigma,
            [call = std::move(call)](const Plane<float>& x, int threads) -> std::unique_ptr<PeerJob> {
                return std::make_unique<CImgJob>(x, call, threads);
            }};
}

Peer deriche(const std::string& group, float sigma) {
    return peer(group, "deriche, sigma " + std::to_string(static_cast<int>(sigma)),
                static_cast<double>(sigma),
                [sigma](Image& image) { image.deriche(sigma, 0, 'x').deriche(sigma, 0, 'y'); });
}

Peer vanvliet(const std::string& group, float sigma) {
    return peer(group, "vanvliet, sigma " + std::to_string(static_cast<int>(sigma)),
                static_cast<double>(sigma),
                [sigma](Image& image) { image.vanvliet(sigma, 0, 'x').vanvliet(sigma, 0, 'y'); });
}

}  // namespace

std::vector<Peer> cimg_peers() {
    return {deriche("smooth, sigma 2", 2), vanvliet("smooth, sigma 2", 2), deriche("smooth, sigma 8", 8)};
}

}  // namespace bench
