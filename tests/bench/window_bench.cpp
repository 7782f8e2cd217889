// SPDX-License-Identifier: MIT
// Drags the real slider in the real window, off screen, over a 24-megapixel float image: a step every 8 ms
// for 2 s, then lets go. Prints the proxy pictures that reached the window, the time to the exact one, and
// how long the event loop was blocked at most while dragging and afterwards, painting included.
// docs/preview.md explains.
//
//   window_bench [WIDTH HEIGHT]
#include <QApplication>
#include <QElapsedTimer>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/benchmark/synthetic.h"
#include "core/image/image_io.h"
#include "ui/session/session.h"
#include "ui/widgets/theme.h"
#include "ui/window/main_window.h"

namespace {

using namespace workbench;

constexpr int patience_ms = 60'000;
constexpr int step_ms = 8;
constexpr int drag_ms = 2'000;

// How late the event loop comes round: the longest gap between ticks of a timer that is always due.
class LoopWatch : public QObject {
  public:
    LoopWatch() {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(1);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            m_longest = std::max(m_longest, m_clock.nsecsElapsed());
            m_clock.restart();
        });
        m_clock.start();
        m_timer.start();
    }
    double longestMs() const { return double(std::max(m_longest, m_clock.nsecsElapsed())) / 1e6; }

  private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_longest = 0;
};

int fail(const char* what) {
    std::fprintf(stderr, "window_bench: %s\n", what);
    return 1;
}

int run(std::int64_t width, std::int64_t height) {
    const QTemporaryDir scratch;
    const QString file = scratch.filePath(QStringLiteral("large.tif"));
    {
        Image image;
        image.pixels = PlanarImage(width, height, 3, iir2d::ElementType::f32);
        for (int c = 0; c < 3; ++c) {
            const PlanarImage plane =
                synthetic_plane(width, height, iir2d::ElementType::f32, std::uint64_t(c) + 1);
            std::ranges::copy(plane.plane_f32(0), image.pixels.plane_f32(c).begin());
        }
        image.info.width = width;
        image.info.height = height;
        image.info.channels = 3;
        image.info.type = SampleType::f32;
        const auto written = write_image(image, file.toStdString());
        if (!written) return fail(written.error().message.c_str());
    }
    Session session;
    applyTheme(*qApp, Theme::dark);
    MainWindow window(session);
    window.resize(1600, 1000);
    window.show();
    Recipe recipe;
    recipe.operations.push_back({.what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", 2.0}}}});
    session.resetRecipe(recipe);

    double blockedOpening = 0;
    QElapsedTimer opening;
    opening.start();
    {
        const LoopWatch watch;
        window.openPath(file);
        if (!QTest::qWaitFor([&] { return session.image() != nullptr && session.exactResult() != nullptr; },
                             patience_ms))
            return fail("the image did not open");
        blockedOpening = watch.longestMs();
    }
    std::printf(
        "image %lldx%lldx3 float, window 1600x1000, opened and filtered in %lld ms, loop blocked %.1f ms\n",
        static_cast<long long>(width), static_cast<long long>(height),
        static_cast<long long>(opening.elapsed()), blockedOpening);

    QSlider* slider = nullptr;
    for (QSlider* each : window.findChildren<QSlider*>()) {
        if (each->isVisible() && each->accessibleName() == QLatin1String("Sigma, slider")) slider = each;
    }
    if (slider == nullptr) return fail("the window has no slider for sigma");

    int proxies = 0;
    int exacts = 0;
    QObject::connect(&session, &Session::frameChanged, slider, [&] {
        if (!session.frame()) return;
        ++(session.frame()->quality == PreviewQuality::exact ? exacts : proxies);
    });
    double blockedDragging = 0;
    double blockedAfter = 0;
    int steps = 0;
    {
        const LoopWatch watch;
        QTimer steppingTimer;
        steppingTimer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&steppingTimer, &QTimer::timeout, slider, [&] {
            ++steps;
            slider->setValue(slider->minimum() + (steps * 7) % (slider->maximum() - slider->minimum()));
        });
        slider->setSliderDown(true);
        steppingTimer.start(step_ms);
        QTest::qWait(drag_ms);
        steppingTimer.stop();
        slider->setSliderDown(false);
        blockedDragging = watch.longestMs();
    }
    const int proxiesDragging = proxies;
    const int exactsDragging = exacts;
    QElapsedTimer letGo;
    letGo.start();
    double exactAfter = 0;
    {
        const LoopWatch watch;
        if (!QTest::qWaitFor([&] { return session.exactResult() != nullptr; }, patience_ms))
            return fail("the exact picture did not come");
        exactAfter = double(letGo.nsecsElapsed()) / 1e6;
        QTest::qWait(200);  // it is painted, too
        blockedAfter = watch.longestMs();
    }
    std::printf(
        "slider steps %d in %d ms: %.1f proxies/s, %d exact pictures meanwhile, loop blocked %.1f ms\n",
        steps, drag_ms, proxiesDragging * 1000.0 / drag_ms, exactsDragging, blockedDragging);
    std::printf("exact picture %.0f ms after letting go, loop blocked %.1f ms\n", exactAfter, blockedAfter);
    const bool met = proxiesDragging * 1000.0 / drag_ms >= 30 && exactAfter <= 1500 &&
                     std::max({blockedOpening, blockedDragging, blockedAfter}) <= 50;
    std::printf("%s: at least 30 proxies/s, exact within 1500 ms, loop never blocked over 50 ms\n",
                met ? "met" : "NOT MET");
    return met ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir settings;
    qputenv("IIR2D_CONFIG_DIR", settings.path().toLocal8Bit());
    QApplication application(argc, argv);
    const std::int64_t width = argc > 2 ? std::atoll(argv[1]) : 6000;
    const std::int64_t height = argc > 2 ? std::atoll(argv[2]) : 4000;
    if (width < 1 || height < 1) return fail("WIDTH and HEIGHT must be at least 1");
    return run(width, height);
}
