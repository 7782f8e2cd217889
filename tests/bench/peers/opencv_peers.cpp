// SPDX-License-Identifier: MIT
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/bench/peers/peer.h"

namespace bench {

namespace {

using Call = std::function<void(const cv::Mat& x, cv::Mat& y)>;

class OpenCvJob final : public PeerJob {
  public:
    OpenCvJob(const Plane<float>& x, Call call, int threads)
        : m_x(static_cast<int>(x.size()), static_cast<int>(x.size()), CV_32F, const_cast<float*>(x.data())),
          m_call(std::move(call)) {
        cv::setNumThreads(threads);
        m_call(m_x, m_y);  // its memory is there before the clock starts
    }
    void run() override { m_call(m_x, m_y); }
    void fetch(Plane<float>& y) override { std::copy_n(m_y.ptr<float>(), y.count(), y.data()); }

  private:
    cv::Mat m_x;
    cv::Mat m_y;
    Call m_call;
};

Peer peer(const std::string& group, const std::string& what, double sigma, Call call) {
    return {group, "OpenCV " CV_VERSION, what, sigma,
            [call = std::move(call)](const Plane<float>& x, int threads) -> std::unique_ptr<PeerJob> {
                return std::make_unique<OpenCvJob>(x, call, threads);
            }};
}

Peer gaussian(const std::string& group, double sigma) {
    return peer(group, "GaussianBlur, sigma " + std::to_string(static_cast<int>(sigma)), sigma,
                [sigma](const cv::Mat& x, cv::Mat& y) {
                    cv::GaussianBlur(x, y, cv::Size(0, 0), sigma, sigma, cv::BORDER_REFLECT);
                });
}

Peer box(const std::string& group, int size) {
    return peer(group, "boxFilter " + std::to_string(size), 0, [size](const cv::Mat& x, cv::Mat& y) {
        cv::boxFilter(x, y, -1, cv::Size(size, size), cv::Point(-1, -1), true, cv::BORDER_REFLECT);
    });
}

}  // namespace

std::vector<Peer> opencv_peers() {
    return {gaussian("smooth, sigma 2", 2), gaussian("smooth, sigma 8", 8), box("window mean 5x5", 5),
            box("window mean 31x31", 31),
            peer("half size by means", "resize by 1/2, INTER_AREA", 0, [](const cv::Mat& x, cv::Mat& y) {
                cv::resize(x, y, cv::Size(x.cols / 2, x.rows / 2), 0, 0, cv::INTER_AREA);
            })};
}

}  // namespace bench
