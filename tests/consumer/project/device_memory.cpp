// Filters an image on a GPU with three settings: one upload, three downloads.
#include <iir2d/device_tensor.h>
#include <iir2d/plan.h>

#include <vector>

iir2d::Result<void> three_ways(const iir2d::Device& gpu, const iir2d::ConstTensorView& image,
                               const std::vector<iir2d::TensorView>& results) {
    const auto source = iir2d::DeviceTensor::upload(gpu, image);
    if (!source) return std::unexpected(source.error());
    const auto filtered = iir2d::DeviceTensor::make(gpu, image.type, image.shape);
    if (!filtered) return std::unexpected(filtered.error());
    double alpha = 0.25;
    for (const iir2d::TensorView& result : results) {
        const auto plan = iir2d::FilterPlan::make(
            gpu, {.shape = image.shape, .filter = {.id = 1, .parameters = {{"alpha", alpha}}}});
        if (!plan) return std::unexpected(plan.error());
        if (auto done = plan->run(*source, *filtered); !done) return done;
        if (auto done = filtered->download(result); !done) return done;
        alpha += 0.25;
    }
    return {};
}
