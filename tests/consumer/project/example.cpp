// Filters a 4 x 4 plane, then takes the maximum of every 2 x 2 window and where it is.
#include <iir2d/device.h>
#include <iir2d/plan.h>

#include <array>
#include <cstdint>
#include <cstdio>

int main() {
    const auto device = iir2d::Device::cpu();  // all the threads that the process may use
    if (!device) return 1;

    std::array<float, 16> plane{};
    plane[5] = 1.0F;
    const iir2d::Shape shape{.n = 1, .c = 1, .h = 4, .w = 4};
    const iir2d::TensorView image{plane.data(), iir2d::ElementType::f32, shape};

    // A plan is made once, says what is wrong with its descriptor, and may be run many times.
    const auto ema = iir2d::FilterPlan::make(*device, {.shape = shape,
                                                       .filter = {.id = 1, .parameters = {{"alpha", 0.5}}},
                                                       .border = iir2d::Border::clamp});
    if (!ema || !ema->run(image, image)) return 1;

    const auto pool =
        iir2d::PoolPlan::make(*device, {.op = iir2d::PoolOp::max, .shape = shape, .window = {2, 2}});
    if (!pool) return 1;
    std::array<float, 4> maxima{};
    std::array<std::int64_t, 4> where{};
    const iir2d::TensorView out{maxima.data(), iir2d::ElementType::f32, pool->output_shape()};
    if (!pool->forward(image, out, where)) return 1;
    for (std::size_t i = 0; i < maxima.size(); ++i) {
        std::printf("%.4f at %lld\n", static_cast<double>(maxima[i]), static_cast<long long>(where[i]));
    }

    const auto wrong = iir2d::PoolPlan::make(*device, {.shape = shape, .window = {5, 5}});
    if (!wrong) std::printf("%s\n", wrong.error().message.c_str());
}
