// SPDX-License-Identifier: MIT
// Drives the real preview engine as a slider does: a change every few milliseconds for some seconds, then
// nothing. Prints proxies per second, the time from letting go to the exact frame, and the longest gap of a
// thread that ticks at 60 Hz and takes the frames, as a window's event loop does. docs/preview.md explains.
//
//   preview_bench [--width N] [--height N] [--channels N] [--threads N] [--interval-ms N] [--seconds N]
//                 [--proxy WxH] [--recipe FILE] [--filter ID]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/benchmark/synthetic.h"
#include "core/preview/preview.h"

namespace {

using namespace workbench;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

double ms(Clock::duration d) {
    return std::chrono::duration<double, std::milli>(d).count();
}

struct Options {
    std::int64_t width = 6000;
    std::int64_t height = 4000;
    int channels = 3;
    int threads = 2;
    int interval_ms = 8;
    double seconds = 2;
    std::int64_t proxy_width = 1280;
    std::int64_t proxy_height = 800;
    int filter = 6;
    std::string recipe;
};

[[noreturn]] void usage(const std::string& why) {
    std::fprintf(stderr, "preview_bench: %s\n", why.c_str());
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (i + 1 >= argc) usage(name + " needs a value");
        const std::string value = argv[++i];
        const auto number = [&] {
            char* end = nullptr;
            const double n = std::strtod(value.c_str(), &end);
            if (*end != '\0' || !(n > 0)) usage(name + " " + value + " must be a number above 0");
            return n;
        };
        if (name == "--width") {
            o.width = static_cast<std::int64_t>(number());
        } else if (name == "--height") {
            o.height = static_cast<std::int64_t>(number());
        } else if (name == "--channels") {
            o.channels = static_cast<int>(number());
        } else if (name == "--threads") {
            o.threads = static_cast<int>(number());
        } else if (name == "--interval-ms") {
            o.interval_ms = static_cast<int>(number());
        } else if (name == "--seconds") {
            o.seconds = number();
        } else if (name == "--filter") {
            o.filter = static_cast<int>(number());
        } else if (name == "--recipe") {
            o.recipe = value;
        } else if (name == "--proxy") {
            long long w = 0;
            long long h = 0;
            if (std::sscanf(value.c_str(), "%lldx%lld", &w, &h) != 2) usage("--proxy must be WIDTHxHEIGHT");
            o.proxy_width = w;
            o.proxy_height = h;
        } else {
            usage("unknown option " + name);
        }
    }
    return o;
}

ImagePtr make_source(const Options& o) {
    auto image = std::make_shared<Image>();
    image->pixels = PlanarImage(o.width, o.height, o.channels, iir2d::ElementType::f32);
    for (int c = 0; c < o.channels; ++c) {
        const auto plane = image->pixels.plane_f32(c);
        for (std::size_t i = 0; i < plane.size(); ++i) {
            plane[i] = static_cast<float>(splitmix64(static_cast<std::uint64_t>(c), i) >> 40) / 16777216.0F;
        }
    }
    image->info.width = o.width;
    image->info.height = o.height;
    image->info.channels = o.channels;
    return image;
}

// What a slider of the first operation's first parameter makes of the recipe.
Recipe moved(const Recipe& recipe, int step) {
    Recipe next = recipe;
    const double t = 0.5 + 0.4 * ((step % 100) / 100.0);
    for (Operation& operation : next.operations) {
        auto* filter = std::get_if<FilterOperation>(&operation.what);
        if (!filter || !operation.enabled) continue;
        const auto p = iir2d::filter_row(filter->filter_id)->parameters[0];
        const bool is_length = p.unit == "px";
        filter->parameters[std::string(p.name)] = is_length ? 2 + 10 * t : p.minimum < 0 ? 0.2 * t : t;
        break;
    }
    return next;
}

Recipe recipe_of(const Options& o) {
    if (o.recipe.empty()) return {.operations = {{.what = FilterOperation{.filter_id = o.filter}}}};
    auto recipe = load_recipe(o.recipe);
    if (!recipe) usage(recipe.error().message);
    return *recipe;
}

// A thread that wakes 60 times a second, takes the newest frame and drops the one before, as the window does.
class EventLoop {
  public:
    void start() {
        m_thread = std::jthread([this](const std::stop_token& stop) {
            PreviewFrame shown;
            auto next = Clock::now();
            auto last = next;
            while (!stop.stop_requested()) {
                {
                    const std::lock_guard lock(m_mutex);
                    if (m_newest) shown = std::exchange(m_newest, std::nullopt).value();
                }
                const auto now = Clock::now();
                m_longest = std::max(m_longest, now - last);
                last = now;
                next = std::max(next + std::chrono::microseconds(16667), now);
                std::this_thread::sleep_until(next);
            }
        });
    }
    void put(PreviewFrame frame) {
        const std::lock_guard lock(m_mutex);
        m_newest = std::move(frame);
    }
    Clock::duration stop() {
        m_thread = {};
        m_newest.reset();
        return m_longest;
    }

  private:
    std::mutex m_mutex;
    std::optional<PreviewFrame> m_newest;
    Clock::duration m_longest{};
    std::jthread m_thread;
};

}  // namespace

int main(int argc, char** argv) {
    const Options o = parse(argc, argv);
    const auto device = iir2d::Device::cpu(o.threads);
    if (!device) usage(device.error().message);
    const Recipe recipe = recipe_of(o);
    const ImagePtr source = make_source(o);
    std::printf(
        "image %lldx%lldx%d float, %d threads, proxy limit %lldx%lld, a change every %d ms for %g s\n",
        static_cast<long long>(o.width), static_cast<long long>(o.height), o.channels, device->threads(),
        static_cast<long long>(o.proxy_width), static_cast<long long>(o.proxy_height), o.interval_ms,
        o.seconds);

    EventLoop loop;
    std::atomic<int> proxies = 0;
    std::atomic<int> exacts = 0;
    std::atomic<std::uint64_t> exact_change = 0;
    std::atomic<std::int64_t> exact_kernels = 0;
    std::atomic<Clock::rep> exact_at = 0;
    std::atomic<bool> failed = false;
    auto engine = std::make_unique<PreviewEngine>(PreviewEngine::Callbacks{
        .frame =
            [&](PreviewFrame frame) {
                if (frame.quality == PreviewQuality::proxy) {
                    ++proxies;
                } else {
                    ++exacts;
                    exact_at = Clock::now().time_since_epoch().count();
                    exact_kernels = frame.compute_time.count();
                    exact_change = frame.change;
                }
                loop.put(std::move(frame));
            },
        .status =
            [&](const PreviewStatus& status) {
                if (!status.error) return;
                std::fprintf(stderr, "preview_bench: %s\n", status.error->message.c_str());
                failed = true;
            }});
    const auto wait_for_exact = [&](std::uint64_t change) {
        while (exact_change != change && !failed) std::this_thread::sleep_for(milliseconds(1));
        if (failed) std::exit(4);
    };

    engine->set_device(*device);
    engine->set_proxy_limit(o.proxy_width, o.proxy_height);
    const auto opened = Clock::now();
    engine->set_source(source);
    wait_for_exact(engine->submit(recipe));
    std::printf("first exact frame after opening: %.0f ms\n", ms(Clock::now() - opened));

    loop.start();
    proxies = 0;
    exacts = 0;
    const auto begin = Clock::now();
    Clock::duration longest_call{};
    std::uint64_t change = 0;
    int changes = 0;
    for (auto next = begin; next - begin < std::chrono::duration<double>(o.seconds);
         next += milliseconds(o.interval_ms)) {
        std::this_thread::sleep_until(next);
        const auto call = Clock::now();
        change = engine->submit(moved(recipe, changes++));
        longest_call = std::max(longest_call, Clock::now() - call);
    }
    const auto let_go = Clock::now();
    const double dragged = ms(let_go - begin) / 1e3;
    const int seen = proxies;
    const int exacts_while_dragged = exacts;
    wait_for_exact(change);
    const double exact_after = ms(Clock::duration(exact_at) - let_go.time_since_epoch());
    const Clock::duration gap = loop.stop();

    // Destruction in the middle of an exact pass.
    engine->submit(moved(recipe, 1));
    std::this_thread::sleep_for(milliseconds(150));
    const auto closing = Clock::now();
    engine.reset();
    const double closed = ms(Clock::now() - closing);

    std::printf("changes %d, proxies %d: %.1f proxies/s, exact frames while dragging %d\n", changes, seen,
                seen / dragged, exacts_while_dragged);
    std::printf("exact after letting go: %.0f ms (kernels %.0f ms)\n", exact_after,
                static_cast<double>(exact_kernels) / 1e6);
    std::printf("longest gap of the 60 Hz loop: %.1f ms, longest call of submit: %.2f ms\n", ms(gap),
                ms(longest_call));
    std::printf("destruction in an exact pass: %.1f ms\n", closed);
    const bool good = seen / dragged >= 30 && exact_after <= 1500 && ms(gap) <= 50 && closed <= 100;
    std::printf("%s: at least 30 proxies/s, exact within 1500 ms, no gap over 50 ms, closed within 100 ms\n",
                good ? "met" : "NOT MET");
    return good ? 0 : 5;
}
