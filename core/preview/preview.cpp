// SPDX-License-Identifier: MIT
#include "core/preview/preview.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/preview/result_store.h"
#include "core/recipe/apply.h"

namespace workbench {

namespace {

// Everything one change is computed from, so that a pass shares nothing with the callers.
struct Job {
    std::uint64_t change = 0;
    Recipe recipe;
    ImagePtr source;
    std::optional<iir2d::Device> device;
    std::optional<iir2d::Config> config;
    iir2d::Extent limit;
    bool cancelled = false;      // before it began
    std::stop_token dropped;     // what is computed is wanted no more
    std::stop_token superseded;  // the same, or a newer change waits
};

bool computes_nothing(const Recipe& recipe) {
    return std::ranges::none_of(recipe.operations, &Operation::enabled);
}

}  // namespace

struct PreviewEngine::Impl {
    explicit Impl(Callbacks given)
        : callbacks(std::move(given)),
          store(std::make_shared<ResultStore>([this] {
              const std::lock_guard lock(mutex);
              tidy = true;
              wake.notify_one();
          })),
          worker([this](const std::stop_token& stop) { work(stop); }) {}

    ~Impl() {
        worker.request_stop();  // first, so that no job begins after the one that is stopped here
        {
            const std::lock_guard lock(mutex);
            stop_running();
        }
        worker.join();
        store->close();
    }

    // With `mutex` held.
    void stop_running() {
        superseded.request_stop();
        dropped.request_stop();
    }
    void resubmit() {
        waiting = recipe.has_value();
        cancelled = false;
        exact_is_out = false;
        superseded.request_stop();
        wake.notify_one();
    }

    void work(const std::stop_token& stop) {
        while (true) {
            std::optional<Job> job;
            std::vector<ImagePtr> freed;
            bool clear = false;
            {
                std::unique_lock lock(mutex);
                wake.wait(lock, stop, [this] { return waiting || tidy || !retired.empty(); });
                if (stop.stop_requested()) return;
                freed.swap(retired);
                if (waiting) {
                    job = take_job();
                } else {
                    clear = std::exchange(tidy, false);
                }
            }
            if (clear) store->clear();
            if (job) run_guarded(*job);
        }
    }

    // With `mutex` held.
    Job take_job() {
        waiting = false;
        dropped = {};
        superseded = {};
        return {.change = change,
                .recipe = *recipe,
                .source = source,
                .device = device,
                .config = config,
                .limit = limit,
                .cancelled = std::exchange(cancelled, false),
                .dropped = dropped.get_token(),
                .superseded = superseded.get_token()};
    }

    void run_guarded(const Job& job) {
        try {
            if (run(job)) report(job, {.state = PreviewStatus::State::idle, .change = job.change});
        } catch (const std::exception&) {  // of the standard library: no room for an image
            fail_with(job, {ErrorKind::device_failure,
                            "there is not enough memory for the preview: close other programs"});
        }
    }

    // False when it failed, which has been reported, or when a newer change waits.
    bool run(const Job& job) {
        if (proxy_source != job.source) forget_proxy();
        if (resident_source != job.source || !on_gpu(job))
            forget_resident(on_gpu(job) ? job.source : nullptr);
        if (job.cancelled) return true;
        if (!job.source || job.source->pixels.empty()) return true;
        const PlanarImage& pixels = job.source->pixels;
        const auto exact_shape = validate(job.recipe, pixels.view().shape);
        if (!exact_shape) return fail_with(job, exact_shape.error());
        if (!job.device) {
            return fail_with(job, {ErrorKind::device_failure, "no device was chosen: choose one"});
        }
        report(job, {.state = PreviewStatus::State::computing, .change = job.change});
        const bool fits = pixels.width() <= job.limit.w && pixels.height() <= job.limit.h;
        const bool has_proxy = !fits && !computes_nothing(job.recipe);
        if (has_proxy && !proxy_pass(job, *exact_shape)) return false;
        return exact_pass(job, *exact_shape, fits ? job.dropped : job.superseded);
    }

    void forget_proxy() {
        proxy_source = nullptr;
        proxy = {};
        resident_proxy.planes.reset();
    }

    static bool on_gpu(const Job& job) { return job.device && job.device->backend() == iir2d::Backend::cuda; }

    // What lies in a GPU's memory, for a new source or a device that has no use for it.
    void forget_resident(ImagePtr next) {
        resident.planes.reset();
        resident_proxy.planes.reset();
        resident_source = std::move(next);
    }

    bool proxy_pass(const Job& job, iir2d::Shape exact_shape) {
        if (proxy_source != job.source || proxy_limit != job.limit) {
            resident_proxy.planes.reset();
            proxy = make_proxy(job.source->pixels, job.limit.w, job.limit.h);
            proxy_source = job.source;
            proxy_limit = job.limit;
        }
        const PlanarImage& pixels = std::as_const(proxy).pixels;
        const Recipe recipe_here = scaled(job.recipe, proxy.factor, pixels.view().shape);
        ApplyWork work{.resident = &resident_proxy, .config = job.config, .config_where_valid = true};
        auto result = apply(recipe_here, pixels, job.source->info.alpha_channel, *job.device,
                            {.stop = job.dropped}, work);
        if (!result) return stopped_or_failed(job, result.error());
        deliver(job, {.change = job.change,
                      .quality = PreviewQuality::proxy,
                      .result = std::make_shared<const Image>(with_pixels(*job.source, std::move(*result))),
                      .factor = proxy.factor,
                      .exact_shape = exact_shape,
                      .compute_time = work.kernel_time,
                      .gpu_time = work.gpu_time,
                      .proxy_size = {pixels.height(), pixels.width()}});
        return true;
    }

    bool exact_pass(const Job& job, iir2d::Shape exact_shape, const std::stop_token& stop) {
        const PlanarImage& pixels = job.source->pixels;
        PreviewFrame frame{.change = job.change,
                           .quality = PreviewQuality::exact,
                           .result = job.source,
                           .exact_shape = exact_shape,
                           .proxy_size = {pixels.height(), pixels.width()}};
        if (!computes_nothing(job.recipe)) {
            ApplyWork work{
                .take = [this](iir2d::Shape s, iir2d::ElementType type) { return store->take(s, type); },
                .give_back = [this](PlanarImage image) { store->give_back(std::move(image)); },
                .resident = &resident,
                .config = job.config,
                .config_where_valid = true};
            double reported = 0.0;
            const TaskControl control{.stop = stop, .progress = [&](double fraction, std::string_view) {
                                          if (fraction < reported + 0.02) return;
                                          reported = fraction;
                                          report(job, {.state = PreviewStatus::State::computing,
                                                       .change = job.change,
                                                       .progress = fraction});
                                      }};
            auto result =
                apply(job.recipe, pixels, job.source->info.alpha_channel, *job.device, control, work);
            if (!result) return stopped_or_failed(job, result.error());
            frame.result = store->publish(with_pixels(*job.source, std::move(*result)));
            frame.compute_time = work.kernel_time;
            frame.gpu_time = work.gpu_time;
        }
        deliver(job, std::move(frame));
        const std::lock_guard lock(mutex);
        exact_is_out = !job.superseded.stop_requested();
        return true;
    }

    // Of a stopped pass: whether nothing follows, so that the worker is idle.
    bool stopped_or_failed(const Job& job, const Error& error) {
        if (error.kind != ErrorKind::cancelled) return fail_with(job, error);
        const std::lock_guard lock(mutex);
        return !waiting;
    }

    // Delivery and the functions that drop a job exclude each other: once they return, nothing of it follows.
    void deliver(const Job& job, PreviewFrame frame) {
        const std::lock_guard lock(delivery);
        if (callbacks.frame && !job.dropped.stop_requested()) callbacks.frame(std::move(frame));
    }

    void report(const Job& job, PreviewStatus status) {
        const std::lock_guard lock(delivery);
        // That the engine has become idle is of interest whatever became of the job.
        const bool is_wanted = status.state == PreviewStatus::State::idle || !job.dropped.stop_requested();
        if (callbacks.status && is_wanted) callbacks.status(std::move(status));
    }

    bool fail_with(const Job& job, Error error) {
        report(job, {.state = PreviewStatus::State::failed, .change = job.change, .error = std::move(error)});
        return false;
    }

    Callbacks callbacks;
    std::mutex delivery;  // held while a callback runs; taken before `mutex`

    std::mutex mutex;  // of everything down to `superseded`
    std::condition_variable_any wake;
    ImagePtr source;
    std::vector<ImagePtr> retired;  // sources for the worker to free
    std::optional<iir2d::Device> device;
    std::optional<iir2d::Config> config;
    iir2d::Extent limit{800, 1280};
    std::optional<Recipe> recipe;
    std::uint64_t change = 0;
    bool waiting = false;       // the mailbox is full
    bool cancelled = false;     // what is in it
    bool tidy = false;          // results have come back
    bool exact_is_out = false;  // of the recipe, source and device as they are
    std::stop_source dropped;
    std::stop_source superseded;

    // The worker's own.
    ImagePtr proxy_source;  // what `proxy` was made from
    iir2d::Extent proxy_limit;
    Proxy proxy;
    ImagePtr resident_source;  // what is in the GPU's memory, or would be
    ResidentSource resident;
    ResidentSource resident_proxy;

    std::shared_ptr<ResultStore> store;
    std::jthread worker;
};

PreviewEngine::PreviewEngine(Callbacks callbacks) : m_impl(std::make_unique<Impl>(std::move(callbacks))) {
    if (const auto cpu = iir2d::Device::cpu()) set_device(*cpu);
}

PreviewEngine::~PreviewEngine() = default;

void PreviewEngine::set_source(ImagePtr source) {
    const std::scoped_lock lock(m_impl->delivery, m_impl->mutex);
    m_impl->retired.push_back(std::exchange(m_impl->source, std::move(source)));
    m_impl->stop_running();
    m_impl->resubmit();
}

void PreviewEngine::set_device(iir2d::Device device) {
    const std::lock_guard lock(m_impl->mutex);
    m_impl->device = device;
    m_impl->resubmit();
}

void PreviewEngine::set_config(std::optional<iir2d::Config> config) {
    const std::lock_guard lock(m_impl->mutex);
    m_impl->config = config;
    m_impl->resubmit();
}

void PreviewEngine::set_proxy_limit(std::int64_t width, std::int64_t height) {
    const std::lock_guard lock(m_impl->mutex);
    const iir2d::Extent limit{std::max<std::int64_t>(height, 1), std::max<std::int64_t>(width, 1)};
    if (limit == std::exchange(m_impl->limit, limit) || m_impl->exact_is_out) return;
    m_impl->resubmit();
}

std::uint64_t PreviewEngine::submit(Recipe recipe) {
    const std::lock_guard lock(m_impl->mutex);
    m_impl->recipe = std::move(recipe);
    m_impl->resubmit();
    return ++m_impl->change;
}

void PreviewEngine::cancel() {
    const std::scoped_lock lock(m_impl->delivery, m_impl->mutex);
    m_impl->cancelled = m_impl->waiting;
    m_impl->stop_running();
}

}  // namespace workbench
