// SPDX-License-Identifier: MIT
// What run_on_gpu.sh runs: every case of the parity matrix, forward and backward, on a real GPU, against the
// double-precision reference and to the bit against the tests' executor; then latencies beside
// device-to-device copies of the same plane. Writes one JSON record with the environment and every sample.
// Needs neither Qt nor OpenImageIO.
//
//   gpu_record --out FILE [--device N] [--sizes 1024,2048,4096,8192] [--samples 30] [--parity
//   full|small|none]
//   [--jobs N] [--filters 1,2,...] [--precisions f32,mixed,f64] [--no-bench]
//
// Parity is judged by `jobs` threads, all of the machine's where it is not given, which run plans on one
// context.
//
// Ends with 0 when everything agrees, 5 when something does not, 4 when the GPU fails, 2 for a bad argument.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "iir2d/iir2d_core.h"
#include "kernels/device/cuda/context.h"
#include "kernels/device/cuda/repeated_launches.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/cuda_backward.h"
#include "kernels/pool/cuda.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/images.h"
#include "tests/gpu/iir/gpu_iir_testing.h"

namespace {

using namespace gpu_iir_test;

struct Options {
    std::string out;
    int device = 0;
    std::vector<std::int64_t> sizes{1024, 2048, 4096, 8192};
    std::vector<int> filters{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<Precision> precisions{std::begin(all_precisions), std::end(all_precisions)};
    int samples = 30;
    std::string parity = "full";
    unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
    bool bench = true;
};

[[noreturn]] void stop(int code, const std::string& why) {
    std::fprintf(stderr, "gpu_record: error: %s\n", why.c_str());
    std::exit(code);
}

template <class T>
T value_or_stop(Result<T> result) {
    if (!result) stop(4, result.error().message);
    return std::move(*result);
}

void check(const Result<void>& result) {
    if (!result) stop(4, result.error().message);
}

void for_each_word(const std::string& list, const std::function<void(const std::string&)>& take) {
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) take(word);
}

Options parse(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--no-bench") {
            o.bench = false;
            continue;
        }
        if (i + 1 >= argc) stop(2, name + " needs a value");
        const std::string value = argv[++i];
        if (name == "--out") {
            o.out = value;
        } else if (name == "--device") {
            o.device = std::atoi(value.c_str());
        } else if (name == "--samples") {
            o.samples = std::max(3, std::atoi(value.c_str()));
        } else if (name == "--parity") {
            if (value != "full" && value != "small" && value != "none")
                stop(2, "--parity takes full, small or none");
            o.parity = value;
        } else if (name == "--jobs") {
            o.jobs = static_cast<unsigned>(std::max(1, std::atoi(value.c_str())));
        } else if (name == "--sizes") {
            o.sizes.clear();
            for_each_word(value,
                          [&](const std::string& word) { o.sizes.push_back(std::atoll(word.c_str())); });
        } else if (name == "--filters") {
            o.filters.clear();
            for_each_word(value, [&](const std::string& word) {
                o.filters.push_back(std::atoi(word.c_str()));
                if (!filter_row(o.filters.back())) stop(2, "there is no filter " + word);
            });
        } else if (name == "--precisions") {
            o.precisions.clear();
            for_each_word(value, [&](const std::string& word) {
                const auto found =
                    std::ranges::find(all_precisions, word, [](Precision p) { return name_of(p); });
                if (found == std::end(all_precisions)) stop(2, "there is no precision " + word);
                o.precisions.push_back(*found);
            });
        } else {
            stop(2, "there is no option " + name);
        }
    }
    if (o.out.empty()) stop(2, "--out FILE says where the record goes");
    return o;
}

// Just enough JSON to write a record where no library for it is.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    return out + "\"";
}
std::string number(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", v);
    return text;
}
template <class T, class F>
std::string array(const std::vector<T>& items, F text_of) {
    std::string out = "[";
    for (const T& item : items) out += (out.size() > 1 ? "," : "") + text_of(item);
    return out + "]";
}

std::string utc_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text;
}

std::string environment(const std::string& device_id) {
    std::string out = "{\"build\":" + quoted(iir2d_build_fingerprint()) + ",\"devices\":[";
    bool first = true;
    for (const DeviceInfo& d : list_devices()) {
        if (d.id != "cpu" && d.id != device_id) continue;
        out += std::string(first ? "" : ",") + "{\"id\":" + quoted(d.id) + ",\"name\":" + quoted(d.name) +
               ",\"properties\":" +
               array(d.properties,
                     [](const DeviceProperty& p) {
                         return "{\"key\":" + quoted(p.key) +
                                ",\"value\":" + (p.value ? quoted(*p.value) : "null") +
                                ",\"unit\":" + quoted(p.unit) +
                                (p.value ? std::string() : ",\"reason\":" + quoted(p.reason)) + "}";
                     }) +
               "}";
        first = false;
    }
    return out + "]}";
}

// ---- parity ----

struct Parity {
    int cases = 0;
    int beyond_bound = 0;
    int unlike_executor = 0;
    double worst_share = 0;  // of the bound
    std::vector<std::string> failures;
};

Result<std::vector<double>> run_on(const Device& device, const FilterDesc& desc,
                                   const std::vector<double>& x) {
    const auto plan = FilterPlan::make(device, desc);
    if (!plan) return std::unexpected(plan.error());
    const auto element = storage_type(desc.precision);
    const auto run = [&]<class S>(S) -> Result<std::vector<double>> {
        const std::vector<S> in(x.begin(), x.end());
        std::vector<S> out(x.size());
        if (auto done = plan->run({in.data(), element, desc.shape}, {out.data(), element, desc.shape}); !done)
            return std::unexpected(done.error());
        return std::vector<double>(out.begin(), out.end());
    };
    return element == ElementType::f64 ? run(double{}) : run(float{});
}

// The adjoint of `dy`, and with `x` the gradients of the parameters.
struct Gradients {
    std::vector<double> dx;
    std::vector<double> dp;
};

Result<Gradients> run_backward_on(const Device& device, const FilterDesc& desc, const std::vector<double>& x,
                                  const std::vector<double>& dy, std::size_t parameters) {
    const auto plan = FilterPlan::make(device, desc);
    if (!plan) return std::unexpected(plan.error());
    const auto element = storage_type(desc.precision);
    const auto run = [&]<class S>(S) -> Result<Gradients> {
        const std::vector<S> in(x.begin(), x.end());
        const std::vector<S> upstream(dy.begin(), dy.end());
        std::vector<S> out(dy.size());
        std::vector<double> dp(parameters);
        auto done = plan->backward({in.data(), element, desc.shape}, {upstream.data(), element, desc.shape},
                                   {out.data(), element, desc.shape}, dp);
        if (!done) return std::unexpected(done.error());
        return Gradients{std::vector<double>(out.begin(), out.end()), dp};
    };
    return element == ElementType::f64 ? run(double{}) : run(float{});
}

double largest(const std::vector<double>& values) {
    double result = 1.0;
    for (const double v : values) result = std::max(result, std::abs(v));
    return result;
}

// The backward pass of one case: the adjoint within the filter's bound times its largest value, and the
// gradient of the parameters within 1e-4 (f64: 1e-9) of the largest of them, which f64 alone has stored
// exactly.
void measure_backward(const Device& device, const FilterDesc& desc, const std::vector<double>& x, Parity& p) {
    const auto dy = random_plane(count_of(desc.shape), 77);
    std::vector<double> dx(dy.size());
    check(reference::filter_adjoint(desc, dy, dx));
    std::vector<double> dp(filter_row(desc.filter.id)->parameters.size());
    const bool with_dp = desc.precision == Precision::f64 && count_of(desc.shape) < 10000;
    if (with_dp) check(reference::filter_gradient(desc, x, dy, dp));
    const auto found = value_or_stop(run_backward_on(device, desc, x, dy, with_dp ? dp.size() : 0));
    const double bound =
        *value_or_stop(FilterPlan::make(device, desc)).precision().max_abs_error * largest(dx);
    const double error = max_abs_difference(found.dx, dx);
#if defined(IIR2D_HAS_EXECUTOR)
    const bool same = same_bits(found.dx, run_gpu(desc, dy, {.adjoint = true}).y);
#else
    const bool same = true;
#endif
    const double dp_error = with_dp ? max_abs_difference(found.dp, dp) / largest(dp) : 0.0;
    const bool good = error <= bound && dp_error <= 1e-9;
    ++p.cases;
    p.worst_share = std::max(p.worst_share, error / bound);
    if (!good) ++p.beyond_bound;
    if (!same) ++p.unlike_executor;
    if ((!good || !same) && p.failures.size() < 50) {
        p.failures.push_back(describe(desc) + " backward: error " + number(error) + " of " + number(bound) +
                             ", of the parameters " + number(dp_error) +
                             (same ? "" : ", bits unlike the executor's"));
    }
}

// One filter on one image size under one border and start, in all precisions, forward and backward.
struct ParityCase {
    int id = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
    Border border = Border::mirror;
    Start start = Start::truncated;
};

void measure_case(const Device& device, const Options& options, const ParityCase& c, Parity& p) {
    const auto x = random_plane(c.width * c.height, static_cast<unsigned>(c.id));
    FilterDesc desc{.shape = {.h = c.height, .w = c.width},
                    .filter = {.id = c.id},
                    .border = c.border,
                    .border_const = 0.25,
                    .start = c.start};
    const auto expected = run_reference(desc, x);
    for (const Precision precision : options.precisions) {
        desc.precision = precision;
        const auto y = value_or_stop(run_on(device, desc, x));
        const double bound = *value_or_stop(FilterPlan::make(device, desc)).precision().max_abs_error;
        const double error = max_abs_difference(y, expected);
#if defined(IIR2D_HAS_EXECUTOR)
        const bool same = same_bits(y, run_gpu(desc, x).y);
#else
        const bool same = true;  // not compared; the record says so
#endif
        ++p.cases;
        p.worst_share = std::max(p.worst_share, error / bound);
        if (!(error <= bound)) ++p.beyond_bound;
        if (!same) ++p.unlike_executor;
        if ((!(error <= bound) || !same) && p.failures.size() < 50) {
            p.failures.push_back(describe(desc) + ": error " + number(error) + " of " + number(bound) +
                                 (same ? "" : ", bits unlike the executor's"));
        }
        measure_backward(device, desc, x, p);
    }
}

void add(const Parity& from, Parity& to) {
    to.cases += from.cases;
    to.beyond_bound += from.beyond_bound;
    to.unlike_executor += from.unlike_executor;
    to.worst_share = std::max(to.worst_share, from.worst_share);
    to.failures.insert(to.failures.end(), from.failures.begin(), from.failures.end());
}

Parity measure_parity(const Device& device, const Options& options) {
    using Size = std::pair<std::int64_t, std::int64_t>;
    std::vector<Size> sizes;
    // Large ones first, so that the threads end together.
    if (options.parity == "full") {
        sizes = {{2048, 1030}, {1000, 777}, {1, 70000}, {70000, 1}, {20, 1100}, {700, 20},
                 {257, 129},   {33, 65},    {5, 3},     {7, 1},     {1, 7},     {1, 1}};
    } else if (options.parity == "small") {
        sizes = {{33, 65}, {5, 3}, {1, 1}};
    }
    std::vector<ParityCase> cases;
    for (const auto& [width, height] : sizes) {
        for (const int id : options.filters) {
            for (const Border border : all_borders) {
                for (const Start start : all_starts) cases.push_back({id, width, height, border, start});
            }
        }
    }
    std::atomic<std::size_t> next = 0;
    std::vector<Parity> found(options.jobs);
    {
        std::vector<std::jthread> threads;
        for (Parity& p : found) {
            threads.emplace_back([&] {
                for (std::size_t i = next++; i < cases.size(); i = next++)
                    measure_case(device, options, cases[i], p);
            });
        }
    }
    Parity all;
    for (const Parity& p : found) add(p, all);
    if (all.failures.size() > 50) all.failures.resize(50);
    return all;
}

// ---- latency ----

struct Latency {
    std::string what;
    std::string kernel;
    std::int64_t size = 0;
    std::vector<double> ms;
    std::vector<double> copy_ms;
};

double median(std::vector<double> v) {
    std::ranges::sort(v);
    return v.empty() ? 0 : v[v.size() / 2];
}

struct Bench {
    std::shared_ptr<cuda::Context> context;
    cuda::Stream stream;
    cuda::Event begin;
    cuda::Event end;
    int samples;

    double time(const std::function<Result<void>()>& work) {
        check(context->record(begin.get(), stream.get()));
        check(work());
        check(context->record(end.get(), stream.get()));
        return value_or_stop(context->milliseconds_between(begin.get(), end.get()));
    }

    // Each sample of the work beside one of a copy that reads `in_bytes` and writes as many.
    Latency measure(std::string what, std::string kernel, std::int64_t size,
                    const std::function<Result<void>()>& work, const std::function<Result<void>()>& copy) {
        Latency l{std::move(what), std::move(kernel), size, {}, {}};
        for (int i = -5; i < samples; ++i) {
            const double copied = time(copy);
            const double worked = time(work);
            if (i < 0) continue;
            l.copy_ms.push_back(copied);
            l.ms.push_back(worked);
        }
        std::fprintf(stderr, "%-40s %5lld: %8.4f ms, %.2f of a copy\n", l.what.c_str(),
                     static_cast<long long>(size), median(l.ms), median(l.ms) / median(l.copy_ms));
        return l;
    }
};

// The adjoint, which is to take at most 1.15 times the filter.
Latency measure_adjoint(Bench& bench, const FilterDesc& desc, const ConstTensorView& dy, const TensorView& dx,
                        const std::string& what, const std::function<Result<void>()>& copy) {
    const auto filters = value_or_stop(iir::filters_of(desc));
    const iir::GpuJob job = iir::make_gpu_adjoint_job(desc, filters);
    const auto workspace = value_or_stop(bench.context->allocate(job.workspace_bytes, bench.stream.get()));
    const auto views = value_or_stop(iir::check_views(desc, dy, dx));
    const cuda::LaunchOne launch = cuda::launch_in(*bench.context, bench.stream.get());
    return bench.measure(
        what + ", adjoint", job.filters.front().stages.front().kernel, desc.shape.h,
        [&] { return iir::enqueue(job, views.x, views.y, workspace.get(), launch); }, copy);
}

// The gradient of the parameters alone; what it reads as dy is any plane.
Latency measure_gradient(Bench& bench, const FilterDesc& desc, const ConstTensorView& x, const TensorView& dy,
                         const std::string& what, const std::function<Result<void>()>& copy) {
    const auto filters = value_or_stop(iir::filters_of(desc));
    const auto job = value_or_stop(iir::make_gpu_gradient_job(desc, filters, {}));
    const auto workspace = value_or_stop(bench.context->allocate(job.workspace_bytes, bench.stream.get()));
    const auto dp = value_or_stop(bench.context->allocate(job.values() * sizeof(double), bench.stream.get()));
    const auto views = value_or_stop(iir::check_views(desc, x, dy));
    const cuda::LaunchOne launch = cuda::launch_in(*bench.context, bench.stream.get());
    return bench.measure(
        what + ", gradient of the parameters", "iir_gradient", desc.shape.h,
        [&] { return iir::enqueue_gradient(job, views.x, views.y, dp.get(), workspace.get(), launch); },
        copy);
}

// Puts values into device memory as pooling's elements: f16 between 0.5 and 1.
void upload_as(Bench& bench, ElementType element, cuda::DevicePointer to, const std::vector<double>& values) {
    const auto upload = [&](const auto& elements) {
        check(bench.context->upload(bench.stream.get(), to, elements.data(),
                                    elements.size() * sizeof(elements[0])));
        check(bench.context->synchronize(bench.stream.get()));
    };
    if (element == ElementType::f64) {
        upload(values);
    } else if (element == ElementType::f32) {
        upload(std::vector<float>(values.begin(), values.end()));
    } else {
        std::vector<std::uint16_t> halves(values.size());
        std::ranges::transform(values, halves.begin(), [](double v) {
            return static_cast<std::uint16_t>(0x3800U + static_cast<unsigned>(std::abs(v) * 1000.0) % 1024U);
        });
        upload(halves);
    }
}

// Pooling, beside a copy that reads and writes together as many bytes as it must.
void measure_pooling(Bench& bench, const Device& device, cuda::DevicePointer x, cuda::DevicePointer y,
                     const PoolDesc& desc, std::vector<Latency>& all) {
    const auto plan = value_or_stop(PoolPlan::make(device, desc));
    const ConstTensorView in(reinterpret_cast<const void*>(x), desc.element, desc.shape);
    const TensorView out{reinterpret_cast<void*>(y), desc.element, plan.output_shape()};
    const auto bytes = static_cast<std::size_t>(count_of(desc.shape) + count_of(plan.output_shape())) *
                       element_size(desc.element) / 2;
    all.push_back(bench.measure(
        std::string(name_of(desc.op)) + " " + std::to_string(desc.window.h) + "x" +
            std::to_string(desc.window.w) + " pooling, stride " + std::to_string(desc.stride->h) + ", " +
            std::string(name_of(desc.element)),
        plan.kernel().variant, desc.shape.h,
        [&] { return plan.enqueue(in, out, nullptr, bench.stream.get()); },
        [&] { return bench.context->copy(bench.stream.get(), y, x, bytes); }));
}

// The backward pass, beside a copy that reads and writes together as many bytes as it must. What it reads is
// of any values, but for the places of maxima.
void measure_pooling_backward(Bench& bench, const Device& device, cuda::DevicePointer x,
                              cuda::DevicePointer dx, const PoolDesc& desc, std::vector<Latency>& all) {
    const auto plan = value_or_stop(PoolPlan::make(device, desc));
    const auto outputs = static_cast<std::size_t>(count_of(plan.output_shape()));
    const auto inputs = static_cast<std::size_t>(count_of(desc.shape));
    const std::size_t element = element_size(desc.element);
    const auto memory = [&](std::size_t bytes) {
        return value_or_stop(bench.context->allocate(bytes, bench.stream.get()));
    };
    const auto y = memory(outputs * element);
    const auto argmax = memory(desc.op == PoolOp::max ? outputs * sizeof(std::int64_t) : 0);
    const ConstTensorView in(reinterpret_cast<const void*>(x), desc.element, desc.shape);
    auto* const pooled = reinterpret_cast<void*>(y.get());
    auto* const places = reinterpret_cast<std::int64_t*>(argmax.get());
    check(plan.enqueue(in, TensorView{pooled, desc.element, plan.output_shape()},
                       desc.op == PoolOp::max ? places : nullptr, bench.stream.get()));
    const pool::GpuPooling pooling = pool::make_gpu_pooling(desc, value_or_stop(pool::make_geometry(desc)));
    const ConstTensorView out(pooled, desc.element, plan.output_shape());
    const auto reads = pool::backward_reads(desc.op);
    pool::Backward data;
    const auto dense = [](const ConstTensorView& view) {
        return support::resolved(view, support::dense_strides(view.shape));
    };
    if (reads.x) data.x = dense(in);
    if (reads.y) data.y = dense(out);
    data.dy = dense(out);
    data.dx = support::dense_view(dx, desc.element, desc.shape);
    data.argmax = desc.op == PoolOp::max ? places : nullptr;
    const std::size_t bytes = inputs * element * (reads.x ? 2 : 1) + outputs * element * (reads.y ? 2 : 1) +
                              (desc.op == PoolOp::max ? outputs * sizeof(std::int64_t) : 0);
    all.push_back(bench.measure(
        std::string(name_of(desc.op)) + " " + std::to_string(desc.window.h) + "x" +
            std::to_string(desc.window.w) + " pooling, stride " + std::to_string(desc.stride->h) + ", " +
            std::string(name_of(desc.element)) + ", backward",
        pooling.backward_kernel, desc.shape.h,
        [&] {
            return pool::enqueue_backward(pooling, data, cuda::launch_in(*bench.context, bench.stream.get()));
        },
        [&] { return bench.context->copy(bench.stream.get(), dx, x, bytes / 2); }));
}

// Beyond it a filter's launches take no longer than what they launch.
constexpr std::int64_t most_for_graph = 1024;

std::vector<Latency> measure_latencies(const Device& device, const Options& options) {
    auto context = value_or_stop(cuda::Context::get(device.index()));
    Bench bench{context, value_or_stop(context->make_stream()), value_or_stop(context->make_event()),
                value_or_stop(context->make_event()), options.samples};
    std::vector<Latency> all;
    for (const std::int64_t size : options.sizes) {
        const std::size_t most_bytes = static_cast<std::size_t>(size * size) * 8;
        const auto x = value_or_stop(context->allocate(most_bytes, bench.stream.get()));
        const auto y = value_or_stop(context->allocate(most_bytes, bench.stream.get()));
        for (const Precision precision : options.precisions) {
            const ElementType element = storage_type(precision);
            const std::size_t bytes = static_cast<std::size_t>(size * size) * element_size(element);
            const auto values = random_plane(size * size, 1);
            const std::vector<float> floats(values.begin(), values.end());
            const void* host =
                element == ElementType::f64 ? static_cast<const void*>(values.data()) : floats.data();
            check(context->upload(bench.stream.get(), x.get(), host, bytes));
            check(context->synchronize(bench.stream.get()));
            const auto copy = [&] { return context->copy(bench.stream.get(), y.get(), x.get(), bytes); };
            for (const int id : options.filters) {
                const FilterDesc desc{.shape = {.h = size, .w = size},
                                      .filter = {.id = id},
                                      .border = Border::mirror,
                                      .precision = precision};
                const auto plan = value_or_stop(FilterPlan::make(device, desc));
                const auto workspace =
                    value_or_stop(context->allocate(plan.workspace_bytes(), bench.stream.get()));
                const ConstTensorView in(reinterpret_cast<const void*>(x.get()), element, desc.shape);
                const TensorView out{reinterpret_cast<void*>(y.get()), element, desc.shape};
                const std::string what =
                    "filter " + std::to_string(id) + " mirror " + std::string(name_of(precision));
                const auto launches = [&] {
                    return plan.enqueue(in, out, reinterpret_cast<void*>(workspace.get()),
                                        bench.stream.get());
                };
                all.push_back(bench.measure(what, plan.kernel().variant, size, launches, copy));
                all.push_back(measure_adjoint(bench, desc, in, out, what, copy));
                if (precision == Precision::f32)
                    all.push_back(measure_gradient(bench, desc, in, out, what, copy));
                if (size > most_for_graph) continue;
                cuda::RepeatedLaunches repeats;
                all.push_back(bench.measure(
                    what + ", as a graph", plan.kernel().variant, size,
                    [&] { return repeats.enqueue(*context, bench.stream.get(), {}, launches); }, copy));
            }
            if (precision != Precision::f32 || size < 2) continue;
            struct Windows {
                std::int64_t side;
                std::int64_t stride;
                ElementType element = ElementType::f32;
            };
            for (const auto& [side, stride, pooled] :
                 {Windows{2, 2}, Windows{3, 2}, Windows{3, 1}, Windows{5, 2}, Windows{5, 1}, Windows{4, 2},
                  Windows{3, 2, ElementType::f16}, Windows{3, 2, ElementType::f64}}) {
                if (size < side) continue;
                upload_as(bench, pooled, x.get(), values);
                for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
                    const PoolDesc desc{.op = op,
                                        .shape = {.h = size, .w = size},
                                        .window = {side, side},
                                        .stride = Extent{stride, stride},
                                        .element = pooled};
                    measure_pooling(bench, device, x.get(), y.get(), desc, all);
                    if (pooled == ElementType::f32 && side <= 3)
                        measure_pooling_backward(bench, device, x.get(), y.get(), desc, all);
                }
            }
        }
    }
    return all;
}

std::string unlike_executor(const Parity& parity) {
#if defined(IIR2D_HAS_EXECUTOR)
    return std::to_string(parity.unlike_executor);
#else
    static_cast<void>(parity);
    return "null,\"unlike_executor_reason\":\"built without the executor: no Boost.Context\"";
#endif
}

std::string record_of(const Options& options, const Device& device, const Parity& parity,
                      const std::vector<Latency>& latencies) {
    std::string out =
        "{\"kind\":\"iir2d gpu record\",\"schema_version\":1,\"started_utc\":" + quoted(utc_now());
    out += ",\"environment\":" + environment(device.id());
    out += ",\"parity\":{\"matrix\":" + quoted(options.parity) +
           ",\"cases\":" + std::to_string(parity.cases) +
           ",\"beyond_bound\":" + std::to_string(parity.beyond_bound) +
           ",\"unlike_executor\":" + unlike_executor(parity) +
           ",\"worst_share_of_bound\":" + number(parity.worst_share) +
           ",\"failures\":" + array(parity.failures, quoted) + "}";
    out += ",\"latency\":" + array(latencies, [](const Latency& l) {
               return "\n{\"what\":" + quoted(l.what) + ",\"width\":" + std::to_string(l.size) +
                      ",\"height\":" + std::to_string(l.size) + ",\"kernel\":" + quoted(l.kernel) +
                      ",\"p50_ms\":" + number(median(l.ms)) +
                      ",\"copy_p50_ms\":" + number(median(l.copy_ms)) +
                      ",\"ratio_to_copy\":" + number(median(l.ms) / median(l.copy_ms)) +
                      ",\"ms\":" + array(l.ms, number) + ",\"copy_ms\":" + array(l.copy_ms, number) + "}";
           });
    return out + "}\n";
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    const Device device = value_or_stop(Device::cuda(options.device));
    std::fprintf(stderr, "on %s, %s\n", device.id().c_str(), device.name().c_str());
    const Parity parity = measure_parity(device, options);
    const auto latencies = options.bench ? measure_latencies(device, options) : std::vector<Latency>();
    const std::string record = record_of(options, device, parity, latencies);
    std::FILE* file = std::fopen(options.out.c_str(), "wb");
    const bool written =
        file != nullptr && std::fwrite(record.data(), 1, record.size(), file) == record.size();
    if (file == nullptr || std::fclose(file) != 0 || !written) stop(6, options.out + " could not be written");
    std::printf("%d parity cases: %d beyond the bound, %d unlike the executor; record in %s\n", parity.cases,
                parity.beyond_bound, parity.unlike_executor, options.out.c_str());
    return parity.beyond_bound + parity.unlike_executor == 0 ? 0 : 5;
}
