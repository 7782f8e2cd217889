// SPDX-License-Identifier: MIT
// What peer_bench compares: one job of one library on a square f32 plane.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/yardsticks.h"

namespace bench {

// A job on one plane, made ready before the clock starts: images of the library's own kind, threads.
class PeerJob {
  public:
    PeerJob() = default;
    virtual ~PeerJob() = default;
    PeerJob(const PeerJob&) = delete;
    PeerJob& operator=(const PeerJob&) = delete;

    virtual void prepare() {}  // before each run, untimed: of a library that works in place
    virtual void run() = 0;    // timed
    virtual void fetch(Plane<float>& y) = 0;
};

struct Peer {
    std::string group;    // of those with one purpose: "gaussian sigma 2", "mean 2x2"
    std::string library;  // with its version
    std::string what;     // the call, as its documentation names it
    double sigma = 0;     // of the Gaussian that it approximates; 0: none, and no error is given
    std::function<std::unique_ptr<PeerJob>(const Plane<float>& x, int threads)> make;
};

// None of a library that the build did not find.
std::vector<Peer> iir2d_peers();
std::vector<Peer> opencv_peers();
std::vector<Peer> cimg_peers();
std::vector<Peer> itk_peers();
std::vector<Peer> vips_peers();

}  // namespace bench
