// SPDX-License-Identifier: MIT
// The image page in the tour: the samples, every operation, work under way, messages, float images.
#include <QDoubleSpinBox>
#include <QFile>
#include <QTemporaryDir>
#include <algorithm>
#include <limits>

#include "core/image/image_io.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/gradient_view.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/view_bar.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/tour/screenshots.h"
#include "ui/tour/tour_recipes.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

// The sample photograph repeated to some 24 megapixels: large enough that the exact result takes a while.
Result<void> writeLarge(const std::filesystem::path& from, const std::filesystem::path& to) {
    IIR2D_TRY(const auto source, read_image(from));
    Image large = source;
    const std::int64_t w = source.pixels.width();
    const std::int64_t h = source.pixels.height();
    constexpr std::int64_t times = 9;
    large.pixels = PlanarImage(w * times, h * times, source.pixels.channels(), iir2d::ElementType::f32);
    large.info.width = w * times;
    large.info.height = h * times;
    for (int c = 0; c < source.pixels.channels(); ++c) {
        const auto in = source.pixels.plane_f32(c);
        const auto out = large.pixels.plane_f32(c);
        for (std::int64_t y = 0; y < h * times; ++y) {
            for (std::int64_t x = 0; x < w * times; ++x) {
                out[std::size_t(y * w * times + x)] = in[std::size_t((y / times) * w + x / times)];
            }
        }
    }
    IIR2D_RETURN_IF_ERROR(write_image(large, to));
    return {};
}

// The light sample with a patch of NaN and a few infinities.
Result<void> writeDamaged(const std::filesystem::path& from, const std::filesystem::path& to) {
    IIR2D_TRY(auto image, read_image(from));
    const auto w = image.pixels.width();
    const auto plane = image.pixels.plane_f32(0);
    for (std::int64_t y = 60; y < 84; ++y) {
        for (std::int64_t x = 60; x < 100; ++x) {
            plane[std::size_t(y * w + x)] = std::numeric_limits<float>::quiet_NaN();
        }
    }
    for (std::int64_t x = 200; x < 205; ++x) {
        plane[std::size_t(100 * w + x)] = std::numeric_limits<float>::infinity();
    }
    IIR2D_RETURN_IF_ERROR(write_image(image, to));
    return {};
}

}  // namespace

bool ScreenshotTour::loaded() {
    m_window.session().resetRecipe({});
    if (!openAndWait(sample("astronaut.png")) || !waitForExact()) return false;
    shoot(QStringLiteral("02-loaded"));

    ImageView& view = m_window.imagePage().view();
    m_window.session().resetRecipe(recipeOf({deriche(6.0)}));
    m_window.operationsPanel().selectRow(0);
    waitForExact();
    view.setSplit(true);
    shoot(QStringLiteral("03-split"));
    view.showOriginal(true);
    shoot(QStringLiteral("04-original-held"));
    view.showOriginal(false);
    view.zoomTo(24.0);
    view.setFocus();
    shoot(QStringLiteral("05-zoomed-pixel-grid"));
    view.setSplit(false);
    view.fit();
    return true;
}

// What a pooled pixel depends on, read by the keyboard's cross in the middle of the picture.
void ScreenshotTour::dependencies() {
    ImagePage& page = m_window.imagePage();
    m_window.session().resetRecipe(
        {.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::lp, .window = {3, 4}, .p = 3.0}}}});
    waitForExact();
    page.viewBar().gradientAction()->setChecked(true);
    page.view().zoomTo(64.0);
    page.view().setFocus();
    waitForExact();
    shoot(QStringLiteral("11-pool-depends"));
    // An upstream gradient on some pixels, of both signs, behind a filter.
    m_window.session().resetRecipe(recipeOf(
        {deriche(2.0),
         {.what = PoolOperation{
              .op = iir2d::PoolOp::lp, .window = {5, 5}, .stride = iir2d::Extent{2, 2}, .p = 3.0}}}));
    page.view().zoomTo(40.0);
    waitForExact();
    const QPoint middle = page.view().probedPixel().value_or(QPoint());
    for (int i = -3; i <= 3; ++i) Q_EMIT page.view().brushed(middle + QPoint(2 * i, i / 2 * 2), true, i > 1);
    waitForExact();
    shootInBoth(QStringLiteral("13-painted"));
    page.gradientView().clearPainted();
    page.viewBar().gradientAction()->setChecked(false);

    m_window.session().resetRecipe(
        recipeOf({deriche(2.0), {.what = PoolOperation{.window = {3, 3}, .stride = iir2d::Extent{2, 2}}}}));
    page.viewBar().argmaxAction()->setChecked(true);
    page.view().setSplit(true);
    waitFor(QStringLiteral("the argmax"), [&] { return page.view().argmax() != nullptr; });
    for (const double zoom : {40.0, 8.0, 3.0}) {
        page.view().zoomTo(zoom);
        waitForExact();
        shoot(QStringLiteral("14-argmax-%1").arg(int(zoom)));
    }
    page.view().setSplit(false);
    page.view().fit();
    waitForExact();
    shoot(QStringLiteral("14-argmax-fit"));
    page.viewBar().argmaxAction()->setChecked(false);
}

void ScreenshotTour::operations() {
    OperationsPanel& panel = m_window.operationsPanel();
    for (const iir2d::FilterRow& row : iir2d::filter_table()) {
        m_window.session().resetRecipe({});
        panel.addFilter(row.id);
        waitForExact();
        shoot(QStringLiteral("10-filter-%1").arg(row.id));
    }
    const std::pair<iir2d::PoolOp, QString> pools[] = {
        {iir2d::PoolOp::max, QStringLiteral("max")},
        {iir2d::PoolOp::avg, QStringLiteral("avg")},
        {iir2d::PoolOp::lp, QStringLiteral("lp")},
        {iir2d::PoolOp::adaptive_avg, QStringLiteral("adaptive")}};
    for (const auto& [op, name] : pools) {
        m_window.session().resetRecipe({});
        panel.addPool(op);
        waitForExact();
        shoot(QStringLiteral("11-pool-%1").arg(name));
    }
    dependencies();

    m_window.session().resetRecipe({});
    panel.addFilter(6);
    panel.addFilter(1);
    panel.addPool(iir2d::PoolOp::max);
    panel.toggleSelected();
    panel.selectRow(1);
    waitForExact();
    shoot(QStringLiteral("12-recipe-of-three"));

    // Typed by hand, as a user would: the control refuses it and says why.
    m_window.session().resetRecipe({});
    panel.addFilter(3);
    settle();
    QDoubleSpinBox* feedback = nullptr;
    for (QDoubleSpinBox* box : panel.findChildren<QDoubleSpinBox*>()) {
        const QString name = box->accessibleName().toLower();
        if (box->isVisible() && name.contains(QLatin1String("a1"))) feedback = box;
    }
    if (feedback) {
        feedback->setValue(1.5);
        shoot(QStringLiteral("13-unstable-refused"));
    } else {
        m_problems << QStringLiteral("found no control for a1");
    }
    m_window.session().resetRecipe({});
}

void ScreenshotTour::busy() {
    const QTemporaryDir folder;
    const auto large = std::filesystem::path(folder.path().toStdU16String()) / "large.tif";
    if (const auto written = writeLarge(resource_directory() / "samples" / "astronaut.png", large);
        !written) {
        m_problems << QString::fromStdString(written.error().message);
        return;
    }
    Session& session = m_window.session();
    m_window.openPath(fromPath(large));
    const auto bars = m_window.findChildren<JobBar*>();
    const auto isShown = [](const JobBar* bar) { return bar->isVisible(); };
    waitFor(QStringLiteral("the opening to show"),
            [&] { return !session.isOpening() || std::ranges::any_of(bars, isShown); });
    if (session.isOpening()) shoot(QStringLiteral("19-opening"));  // a fast disk may be done by now
    if (!waitFor(
            QStringLiteral("a large image to open"), [&] { return !session.isOpening(); }, 60000))
        return;
    session.resetRecipe(recipeOf({deriche(8), deriche(12), deriche(20), deriche(30)}));
    m_window.operationsPanel().selectRow(0);
    waitFor(QStringLiteral("a proxy"), [&] {
        return session.frame() && session.frame()->quality == PreviewQuality::proxy &&
               session.status().progress > 0.1;
    });
    shoot(QStringLiteral("20-proxy-while-exact-is-computed"));
    session.resetRecipe({});
}

void ScreenshotTour::messages() {
    Session& session = m_window.session();
    MessageArea& area = m_window.imagePage().messages();
    openAndWait(sample("astronaut.png"));
    m_window.openPath(sample("no-such-picture.png"));
    waitFor(QStringLiteral("the error message"), [&] { return area.has(QStringLiteral("open")); });
    shoot(QStringLiteral("21-error-in-place"));
    area.clear(QStringLiteral("open"));

    // A photograph whose colour profile crashes the JPEG decoder of OpenImageIO 2.4: the one before stays
    // open. OpenImageIO 3.2 reads it.
    const QTemporaryDir folder;
    const QString damaged = folder.filePath(QStringLiteral("holiday.jpg"));
    QFile good(sample("rocket.jpg"));
    QFile bad(damaged);
    if (good.open(QIODevice::ReadOnly) && bad.open(QIODevice::WriteOnly)) {
        bad.write(good.readAll().replace(174, 4, QByteArray(4, '\xff')));
        bad.close();
    }
    m_window.openPath(damaged);
    waitFor(QStringLiteral("the damaged photograph"),
            [&] { return area.has(QStringLiteral("open")) || !session.isOpening(); });
    if (area.has(QStringLiteral("open"))) {
        shoot(QStringLiteral("21-decoder-crashed"));
    } else {
        openAndWait(sample("astronaut.png"));
    }
    area.clear(QStringLiteral("open"));

    session.resetRecipe(recipeOf({{.enabled = true, .what = PoolOperation{.window = {1000, 1000}}}}));
    m_window.operationsPanel().selectRow(0);
    waitFor(QStringLiteral("the preview to fail"),
            [&] { return session.status().state == PreviewStatus::State::failed; });
    shoot(QStringLiteral("22-window-larger-than-image"));
    session.resetRecipe({});

    DropCue* cue = m_window.findChild<DropCue*>();
    if (cue) {
        cue->appear(QStringLiteral("Drop to open holiday.tif"));
        shoot(QStringLiteral("23-drop"));
        cue->hide();
    }
}

void ScreenshotTour::floatImages() {
    const QTemporaryDir folder;
    openAndWait(sample("rocket-light.exr"));
    m_window.session().resetRecipe(recipeOf({deriche(3.0)}));
    waitForExact();
    m_window.imagePage().viewBar().setExposure(-1.5);
    m_window.imagePage().view().setSplit(true);
    shoot(QStringLiteral("24-float-exposure"));
    m_window.imagePage().view().setSplit(false);
    m_window.imagePage().viewBar().resetDisplay();
    const auto damaged = std::filesystem::path(folder.path().toStdU16String()) / "damaged.exr";
    if (writeDamaged(resource_directory() / "samples" / "rocket-light.exr", damaged)) {
        m_window.session().resetRecipe({});
        openAndWait(fromPath(damaged));
        waitForExact();
        shoot(QStringLiteral("25-nan-and-infinity"));
    }
    openAndWait(sample("chelsea-gray16.png"));
    waitForExact();
    shoot(QStringLiteral("26-gray-16-bit"));
}

}  // namespace workbench
