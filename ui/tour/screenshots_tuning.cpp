// SPDX-License-Identifier: MIT
// The tour's stop at page Tuning: without models, at work, refused, with what was measured, and the badge.
#include <QMenu>
#include <QToolButton>

#include "core/support/try.h"
#include "core/tune/install.h"
#include "core/tune/store.h"
#include "core/tune/table.h"
#include "core/tune/use.h"
#include "iir2d/tune_model.h"
#include "ui/charts/plot_chart.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/tour/screenshots.h"
#include "ui/tuning/live_choice.h"
#include "ui/tuning/measured_tab.h"
#include "ui/tuning/tuning_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

Result<void> makeDeciding() {
    IIR2D_TRY(const auto store, tune::Store::open_to_read(retrainDatabase()));
    IIR2D_TRY(auto all, store.read_all());
    IIR2D_TRY(const auto host, tune::model_host());
    IIR2D_TRY(const auto measured, tune::measured_by_one(std::move(all), host.machine, host.kernels));
    IIR2D_TRY(auto trained, tune::train(measured, nullptr, {.purpose = "iir-cpu", .with_contended = true}));
    trained.model.margin = 0.02F;
    IIR2D_TRY(trained.files.trees, from_kernel(iir2d::text_of_model(trained.model)));
    trained.files.report = "{}\n";
    IIR2D_RETURN_IF_ERROR(tune::install_model("iir-cpu", "1", trained.files));
    tune::begin_use();
    return {};
}

}  // namespace

void ScreenshotTour::tuning() {
    TuningPage& page = m_window.tuningPage();
    TuningModel& model = page.model();
    m_window.setPage(MainWindow::Page::tuning);
    waitFor(QStringLiteral("the models"), [&] { return model.state() != nullptr; });
    page.setTab(TuningPage::Tab::models);
    shootInBoth(QStringLiteral("90-tuning-no-models"));

    // Nothing is there to judge by.
    model.setWork({.kind = TuningWork::Kind::evaluate});
    shoot(QStringLiteral("91-tuning-hindered"));

    page.showSpec(QStringLiteral("filter:6 border:mirror precision:f32 size:1024x1024 planes:3"));
    waitFor(QStringLiteral("the decision"), [&] { return !model.decision().spec.isEmpty(); });
    shoot(QStringLiteral("92-tuning-decision-no-model"));
    page.showSpec(QStringLiteral("filter:6 border:mirror size:0x0"));
    waitFor(QStringLiteral("the refusal"), [&] { return !model.decision().failure.isEmpty(); });
    shoot(QStringLiteral("92-tuning-decision-refused"));

    if (m_suffix.isEmpty()) tuningMeasured();
    m_window.resize(smallScreen);
    page.setTab(TuningPage::Tab::models);
    shoot(QStringLiteral("98-tuning-small-models"));
    m_window.resize(1280, 800);
    tuningBadge();
}

void ScreenshotTour::tuningMeasured() {
    TuningPage& page = m_window.tuningPage();
    TuningModel& model = page.model();
    const auto end = [&](const QString& what) {
        waitFor(
            what, [&] { return !model.isRunning() && !model.isReading(); }, 120000);
    };
    // A few seconds of measuring: too little to train on, which is said.
    page.setTab(TuningPage::Tab::models);
    model.setWork({.kind = TuningWork::Kind::retrain, .seconds = 10});
    bool isSaid = false;
    const auto said = QObject::connect(&model, &TuningModel::progressed, &page, [&] { isSaid = true; });
    model.run();
    waitFor(QStringLiteral("the first problem"), [&] { return !model.isRunning() || isSaid; });
    QObject::disconnect(said);
    settle();
    if (model.isRunning()) shoot(QStringLiteral("93-tuning-measuring"));
    end(QStringLiteral("the work"));
    shootInBoth(QStringLiteral("94-tuning-measured"));
    page.messages().clear(QStringLiteral("tuning"));
    // Seconds are too few for a model that may decide. One of them that does all the same, to be looked at;
    // where others had the processors there is not even that.
    if (!makeDeciding()) return;
    model.setWork({.kind = TuningWork::Kind::evaluate});
    model.run();
    end(QStringLiteral("the judgement"));
    page.messages().clear(QStringLiteral("tuning"));
    page.setTab(TuningPage::Tab::models);
    shootInBoth(QStringLiteral("94-tuning-models"));
    const auto figures = model.figures();
    const bool hasProblems = figures && !figures->purposes.front().problems.empty();
    page.showSpec(hasProblems
                      ? toText(figures->purposes.front().problems.front().spec)
                      : QStringLiteral("filter:6 border:mirror precision:f32 size:1024x1024 planes:3"));
    settle();
    waitFor(QStringLiteral("the candidates"), [&] { return !model.decision().said.model.empty(); });
    shootInBoth(QStringLiteral("94-tuning-decision"));
    page.setTab(TuningPage::Tab::headroom);
    shootInBoth(QStringLiteral("95-tuning-headroom"));
    page.setTab(TuningPage::Tab::predictions);
    if (model.figures() && !page.measured().predictionChart().plot().lines.empty())
        page.measured().chooseProblem(0);
    shootInBoth(QStringLiteral("96-tuning-predictions"));
    page.setTab(TuningPage::Tab::regret);
    shootInBoth(QStringLiteral("97-tuning-regret"));
    page.setTab(TuningPage::Tab::use);
    shootInBoth(QStringLiteral("98-tuning-use"));
    m_window.resize(smallScreen);
    shoot(QStringLiteral("98-tuning-small-use"));
    page.setTab(TuningPage::Tab::headroom);
    shoot(QStringLiteral("98-tuning-small-headroom"));
    page.setTab(TuningPage::Tab::regret);
    shoot(QStringLiteral("98-tuning-small-regret"));
    page.setTab(TuningPage::Tab::predictions);
    shoot(QStringLiteral("98-tuning-small-predictions"));
    m_window.resize(1280, 800);
    model.setWork({});
}

// The badge beside the picture, and a config that is pinned.
void ScreenshotTour::tuningBadge() {
    Session& session = m_window.session();
    m_window.setPage(MainWindow::Page::image);
    session.resetRecipe({.operations = {{.what = FilterOperation{.filter_id = 6}}}});
    waitForExact();
    waitFor(QStringLiteral("the badge"), [&] { return !m_window.liveChoice().steps().empty(); });
    shootInBoth(QStringLiteral("99-tuning-badge"));
    session.pinConfig(iir2d::Config{.threads = 1});
    waitFor(QStringLiteral("the pin"), [&] {
        const auto& steps = m_window.liveChoice().steps();
        return !steps.empty() && steps.front().reason == iir2d::TuneReason::pinned;
    });
    waitForExact();
    shoot(QStringLiteral("99-tuning-pinned"));
    if (auto* badge = m_window.findChild<QToolButton*>(QStringLiteral("configBadge"))) {
        badge->menu()->popup(badge->mapToGlobal(QPoint(0, -badge->menu()->sizeHint().height())));
        settle();
        shoot(QStringLiteral("99-tuning-badge-menu"), badge->menu());
        badge->menu()->close();
    }
    session.pinConfig(std::nullopt);
    session.resetRecipe({});
}

}  // namespace workbench
