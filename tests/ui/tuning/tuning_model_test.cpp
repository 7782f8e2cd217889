// SPDX-License-Identifier: MIT
// The state of page Tuning, without a page: no QApplication is there, so that any widget would end the test.
#include "ui/tuning/tuning_model.h"

#include <gmock/gmock.h>

#include <QCoreApplication>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <algorithm>

#include "core/recipe/seen.h"
#include "core/tune/use.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"
#include "tests/ui/tuning/some_models.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tuning/live_choice.h"
#include "ui/tuning/tuning_plots.h"
#include "ui/tuning/tuning_words.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

const QString spec = QStringLiteral("filter:6 border:mirror precision:f32 size:640x480 planes:3");

class TuningModelTest : public ::testing::Test {
  protected:
    void SetUp() override {
        qputenv("IIR2D_CONFIG_DIR", folder.path().toLocal8Bit());
        iir2d::forget_models();
        iir2d::forget_learned();
        iir2d::set_tune_options({});
    }
    void TearDown() override { iir2d::set_tune_options({}); }
    void refresh() {
        QSignalSpy read(&model, &TuningModel::stateRead);
        model.refresh();
        ASSERT_TRUE(QTest::qWaitFor([&] { return read.count() > 0 && !model.isReading(); }, patience_ms));
    }
    // Makes a change, and waits until what there is after it was read.
    template <class Change>
    void change(Change make) {
        QSignalSpy read(&model, &TuningModel::stateRead);
        make();
        ASSERT_TRUE(QTest::qWaitFor([&] { return read.count() > 0; }, patience_ms));
    }
    void explain(const QString& text) {
        QSignalSpy said(&model, &TuningModel::decisionChanged);
        model.explain(text);
        ASSERT_TRUE(QTest::qWaitFor([&] { return said.count() > 0; }, patience_ms));
    }
    void judge() {
        writeRecordingOnce();
        model.setWork({.kind = TuningWork::Kind::evaluate});
        ASSERT_EQ(model.hindrance().toStdString(), "");
        model.run();
        ASSERT_TRUE(model.isRunning());
        ASSERT_TRUE(QTest::qWaitFor([this] { return !model.isRunning(); }, patience_ms));
        QCoreApplication::processEvents();
        ASSERT_EQ(model.failure().toStdString(), "");
    }
    void writeRecordingOnce() {
        if (!std::filesystem::exists(retrainDatabase())) testing::writeRecording(retrainDatabase());
    }
    tune::ModelStatus statusOf(const std::string& name) const {
        const auto found = std::ranges::find(model.state()->models, name, &tune::RegisteredModel::name);
        EXPECT_NE(found, model.state()->models.end()) << name;
        return found == model.state()->models.end() ? tune::ModelStatus::unreadable : found->status;
    }
    const tune::RegisteredModel& named(const std::string& name) const {
        return *std::ranges::find(model.state()->models, name, &tune::RegisteredModel::name);
    }

    QTemporaryDir folder;
    Session session;
    TuningModel model{session};
};

TEST_F(TuningModelTest, WithoutAnythingItSaysSo) {
    refresh();
    EXPECT_TRUE(model.state()->models.empty());
    EXPECT_TRUE(model.state()->learned.empty());
    EXPECT_TRUE(model.state()->readFailures.isEmpty())
        << model.state()->readFailures.join(QLatin1Char(' ')).toStdString();
    explain(spec);
    EXPECT_EQ(model.decision().failure.toStdString(), "");
    EXPECT_EQ(model.decision().said.decision.reason, iir2d::TuneReason::no_model);
    EXPECT_GT(model.decision().said.candidates.size(), 1U);
    const TableValues rows = candidateRows(model.decision().said, model.decision().options, nullptr);
    EXPECT_EQ(rows.rows.size(), qsizetype(model.decision().said.candidates.size()));
    explain(QStringLiteral("filter:6 border:mirror precision:f32 size:0x0"));
    EXPECT_NE(model.decision().failure.toStdString(), "");
    model.setWork({.kind = TuningWork::Kind::evaluate});
    EXPECT_THAT(model.hindrance().toStdString(), HasSubstr("measure first"));
    model.run();
    EXPECT_FALSE(model.isRunning());
}

TEST_F(TuningModelTest, TheModeIsTheProcessesAndIsKept) {
    change([&] { model.setMode(iir2d::TuneMode::model); });
    EXPECT_EQ(iir2d::tune_options().mode, iir2d::TuneMode::model);
    EXPECT_EQ(Session().settings().tune_mode, "model");
    model.setSelection(5, 1.5);
    EXPECT_EQ(iir2d::tune_options().top_k, 5);
    EXPECT_EQ(iir2d::tune_options().mode, iir2d::TuneMode::model) << "of the rest nothing changes";
}

TEST_F(TuningModelTest, TheModeOffTouchesNoFile) {
    const auto decide = [] {
        ASSERT_TRUE(iir2d::FilterPlan::make(
            *iir2d::Device::cpu(1), tune::filter_desc_of(*tune::problem_from_spec(spec.toStdString()))));
    };
    const auto meet = [] { SeenOperations::of_process().note({.operation = FilterOperation{}}); };
    const auto kept = [&](const std::string& name) {
        refresh();
        const auto& counters = model.state()->kept.counters;
        return counters.contains(name) ? counters.at(name) : 0;
    };
    tune::begin_use();
    ASSERT_TRUE(tune::keep_use());
    const std::uint64_t calls = kept("calls");
    const std::uint64_t off = kept("off");
    const std::size_t seen = model.state()->kept.seen.size();
    decide();
    change([&] { model.setMode(iir2d::TuneMode::off); });
    EXPECT_EQ(kept("calls"), calls + 1) << "of before";
    decide();
    meet();
    EXPECT_TRUE(tune::keep_use());
    EXPECT_EQ(kept("calls"), calls + 1);
    EXPECT_EQ(model.counters()["calls"], calls + 1);
    change([&] { model.setMode(iir2d::TuneMode::automatic); });
    EXPECT_TRUE(tune::keep_use());
    EXPECT_EQ(kept("calls"), calls + 1);
    EXPECT_EQ(kept("off"), off);
    EXPECT_EQ(model.state()->kept.seen.size(), seen);
    decide();
    meet();
    EXPECT_TRUE(tune::keep_use());
    EXPECT_EQ(kept("calls"), calls + 2);
    EXPECT_EQ(model.state()->kept.seen.size(), seen + 1);
}

TEST_F(TuningModelTest, WhatWasAskedLastIsAnswered) {
    const QString other = QStringLiteral("pool:max window:16x16 stride:8x8 size:1024x1024");
    explain(spec);
    model.explain(other);
    model.setSelection(5, 1.5);  // asks again
    EXPECT_EQ(model.asked(), other);
    ASSERT_TRUE(QTest::qWaitFor([&] { return model.decision().options.top_k == 5; }, patience_ms));
    EXPECT_EQ(model.decision().spec, other);
    model.explain(spec);
    model.explain({});
    QTest::qWait(50);
    EXPECT_EQ(model.decision().spec, QString()) << "nothing is asked any more";
}

TEST_F(TuningModelTest, EveryFileIsWritten) {
    QSignalSpy written(&model, &TuningModel::written);
    for (const char* name : {"a", "b", "c"}) model.writeTo(name, folder.filePath(QLatin1String(name)));
    EXPECT_TRUE(QTest::qWaitFor([&] { return written.count() == 3; }, patience_ms));
    for (const char* name : {"a", "b", "c"})
        EXPECT_TRUE(QFile::exists(folder.filePath(QLatin1String(name)))) << name;
}

TEST_F(TuningModelTest, ModelsAreActivatedAndRemoved) {
    if (!testing::canHaveModels()) GTEST_SKIP() << "two threads and known caches are needed";
    testing::installModel("1");
    testing::installModel("2");
    testing::installModel("3", false);
    refresh();
    EXPECT_EQ(statusOf("iir-cpu/3"), tune::ModelStatus::unproven);
    EXPECT_EQ(statusOf("iir-cpu/2"), tune::ModelStatus::active);
    EXPECT_EQ(statusOf("iir-cpu/1"), tune::ModelStatus::shadowed);
    change([&] { model.activate(named("iir-cpu/1")); });
    EXPECT_EQ(statusOf("iir-cpu/4"), tune::ModelStatus::active) << "a copy of 1 above all";
    explain(spec);
    EXPECT_THAT(model.decision().said.model, HasSubstr("iir-cpu/4/")) << "the library has it too";
    change([&] { model.remove(named("iir-cpu/4")); });
    EXPECT_EQ(statusOf("iir-cpu/2"), tune::ModelStatus::active);
    explain(spec);
    EXPECT_THAT(model.decision().said.model, HasSubstr("iir-cpu/2/"));
    QSignalSpy failed(&model, &TuningModel::changeFailed);
    change([&] { model.activate(named("iir-cpu/3")); });
    ASSERT_EQ(failed.count(), 1) << "what was not judged does not decide";
    EXPECT_EQ(modelRows(*model.state()).rows.size(), 3);
}

TEST_F(TuningModelTest, JudgesWhatWasMeasured) {
    if (!testing::canHaveModels()) GTEST_SKIP() << "two threads and known caches are needed";
    testing::installModel("1");
    judge();
    const TuningFiguresPtr figures = model.figures();
    ASSERT_NE(figures, nullptr);
    ASSERT_TRUE(figures->headroom.overall);
    EXPECT_GT(headroomRows(figures->headroom).rows.size(), 3);
    ASSERT_EQ(figures->purposes.size(), iir2d::model_purposes(iir2d::Backend::cpu).size());
    const JudgedPurpose& filters = figures->purposes.front();
    ASSERT_EQ(filters.whyNot.toStdString(), "");
    ASSERT_FALSE(filters.problems.empty());
    EXPECT_THAT(figures->purposes[1].whyNot.toStdString(), HasSubstr("No model decides"));
    EXPECT_EQ(regretPlot(figures->purposes[1]).nothing, figures->purposes[1].whyNot);

    const Plot regret = regretPlot(filters);
    ASSERT_GE(regret.lines.size(), 4U);
    EXPECT_EQ(regret.lines[0].points.size(), 5);
    EXPECT_EQ(regret.lines[2].points.front().y(), filters.evaluation.of_static.geomean);
    ASSERT_TRUE(regret.yBand);
    EXPECT_EQ(regret.yBand->second, filters.evaluation.noise.geomean);

    const Plot scatter = predictionPlot(filters, 0);
    EXPECT_EQ(scatter.chosen, 0);
    EXPECT_EQ(scatter.cases, int(filters.problems.size()));
    qsizetype points = 0;
    for (const Plot::Line& line : scatter.lines) {
        if (line.style == Plot::Style::points) points += line.points.size();
        if (line.style == Plot::Style::points) {
            EXPECT_EQ(line.cases.size(), std::size_t(line.points.size()));
        }
    }
    qsizetype configs = 0;
    for (const JudgedProblem& problem : filters.problems) configs += qsizetype(problem.configs.size());
    EXPECT_EQ(points, configs) << "each point a config";
    EXPECT_EQ(problemRows(filters).rows.size(), qsizetype(filters.problems.size()));
    EXPECT_EQ(figures->problemOfKey(filters.problems.back().key), &filters.problems.back());
    EXPECT_EQ(filters.problems.front().configs.front().config, "static");
    EXPECT_EQ(filters.problems.front().configs.front().measured, 1.0);

    QSignalSpy written(&model, &TuningModel::written);
    const QString csv = folder.filePath(QStringLiteral("a.csv")),
                  md = folder.filePath(QStringLiteral("a.md"));
    model.exportTo(TuningModel::Format::csv, QStringLiteral("iir-cpu"), csv);
    ASSERT_TRUE(QTest::qWaitFor([&] { return written.count() == 1; }, patience_ms));
    QFile file(csv);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll().count('\n'), filters.evaluation.each.size() + 1);
    model.exportTo(TuningModel::Format::markdown, {}, md);
    ASSERT_TRUE(QTest::qWaitFor([&] { return written.count() == 2; }, patience_ms));
    QSignalSpy refused(&model, &TuningModel::writeFailed);
    model.exportTo(TuningModel::Format::json, toText(figures->purposes[1].purpose), csv);
    ASSERT_EQ(refused.count(), 1) << "there is no judgement of it";
    EXPECT_EQ(refused.takeFirst().front().toString(), figures->purposes[1].whyNot);
    model.writeTo("x", folder.filePath(QStringLiteral("no/such/folder.svg")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return refused.count() == 1; }, patience_ms));
}

TEST_F(TuningModelTest, TrainingLeavesTheFiguresAsTheyAre) {
    if (!testing::canHaveModels()) GTEST_SKIP() << "two threads and known caches are needed";
    judge();
    const TuningFiguresPtr figures = model.figures();
    QSignalSpy changed(&model, &TuningModel::figuresChanged);
    QSignalSpy ended(&model, &TuningModel::ended);
    model.setWork({.kind = TuningWork::Kind::train});
    model.run();
    ASSERT_TRUE(QTest::qWaitFor([&] { return ended.count() == 1; }, patience_ms));
    EXPECT_FALSE(model.said().isEmpty()) << model.failure().toStdString();
    EXPECT_EQ(model.figures(), figures);
    EXPECT_EQ(changed.count(), 0);
}

TEST_F(TuningModelTest, MeasuringIsCancelledAndKeepsWhatIsComplete) {
    refresh();
    QSignalSpy progressed(&model, &TuningModel::progressed);
    model.setWork({.kind = TuningWork::Kind::collect, .seconds = 60, .problems = 40});
    model.run();
    ASSERT_TRUE(model.isMeasuring());
    model.run();  // one at a time
    ASSERT_TRUE(QTest::qWaitFor([&] { return progressed.count() > 1; }, patience_ms));
    model.cancel();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !model.isRunning(); }, patience_ms));
    EXPECT_TRUE(model.failure().isEmpty()) << "to stop is no failure: " << model.failure().toStdString();
    EXPECT_TRUE(tune::Store::open_to_read(retrainDatabase())) << "the database is good";
}

TEST_F(TuningModelTest, WhatCannotBeReadIsAFailure) {
    QFile file(folder.filePath(QStringLiteral("none.db")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("no database");
    file.close();
    model.setWork({.kind = TuningWork::Kind::evaluate, .database = file.fileName()});
    model.run();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !model.isRunning(); }, patience_ms));
    EXPECT_THAT(model.failure().toStdString(), HasSubstr("none.db"));
    EXPECT_EQ(model.figures(), nullptr);
    model.setOtherHindrance(QStringLiteral("Busy"));
    EXPECT_EQ(model.hindrance(), QStringLiteral("Busy"));
}

TEST_F(TuningModelTest, CountersAndLearnedEntries) {
    ASSERT_TRUE(tune::model_host());
    const auto host = *tune::model_host();
    std::filesystem::create_directories(retrainDatabase().parent_path());
    const std::string line = "1\t" + host.machine + "\t" + host.kernels +
                             "\tiir some key\tthreads:1\t0.75\t14\t2026-01-02T03:04:05Z\n";
    const std::string foreign =
        "1\tother\t" + host.kernels + "\tiir some key\tstatic\t1\t14\t2026-01-02T03:04:05Z\n";
    ASSERT_TRUE(write_file_atomically(retrainDatabase().parent_path() / "learned.txt",
                                      line + foreign + "1\tshort\n"));
    refresh();
    ASSERT_EQ(model.state()->learned.size(), 2U);
    const auto here = std::ranges::find(model.state()->learned, host.machine, &tune::LearnedEntry::machine);
    ASSERT_NE(here, model.state()->learned.end());
    EXPECT_EQ(here->config, "threads:1");
    EXPECT_EQ(here->ratio, 0.75);
    EXPECT_TRUE(model.state()->isHere(*here));
    EXPECT_EQ(learnedRows(*model.state()).rows.size(), 2);
    change([&] { model.forget(std::string("iir some key")); });
    ASSERT_EQ(model.state()->learned.size(), 1U);
    EXPECT_EQ(model.state()->learned.front().machine, "other");
    change([&] { model.forget(std::nullopt); });
    EXPECT_TRUE(model.state()->learned.empty());

    const auto calls = model.counters()["calls"];
    ASSERT_TRUE(iir2d::FilterPlan::make(*iir2d::Device::cpu(1),
                                        tune::filter_desc_of(*tune::problem_from_spec(spec.toStdString()))));
    EXPECT_EQ(model.counters()["calls"], calls + 1) << "also what no file has yet";
    change([&] { model.resetStatistics(); });
    EXPECT_EQ(model.counters()["calls"], 0U);
}

TEST_F(TuningModelTest, EveryChangeIsMade) {
    const auto host = *tune::model_host();
    std::filesystem::create_directories(retrainDatabase().parent_path());
    std::string lines;
    for (const char* key : {"iir a", "iir b", "iir c"})
        lines += "1\t" + host.machine + "\t" + host.kernels + "\t" + key +
                 "\tthreads:1\t0.75\t14\t2026-01-02T03:04:05Z\n";
    ASSERT_TRUE(write_file_atomically(retrainDatabase().parent_path() / "learned.txt", lines));
    refresh();
    ASSERT_EQ(model.state()->learned.size(), 3U);
    for (const char* key : {"iir a", "iir b", "iir c"}) model.forget(std::string(key));
    EXPECT_TRUE(QTest::qWaitFor([&] { return model.state()->learned.empty(); }, patience_ms));
}

TEST_F(TuningModelTest, SaysTheCommandThatDoesTheSame) {
    const auto command = [&](const TuningWork& work) {
        model.setWork(work);
        return model.commandLine().toStdString();
    };
    const std::string own = fromPath(retrainDatabase()).toStdString();
    session.setThreads(2);
    EXPECT_EQ(command({.seconds = 60}), "iir2d tune retrain --budget 60 --threads 2");
    EXPECT_EQ(
        command({.kind = TuningWork::Kind::collect, .seconds = 20, .problems = 5, .forValidation = true}),
        "iir2d tune collect --out " + own + " --count 5 --budget 20 --set validation --threads 2");
    EXPECT_EQ(command({.kind = TuningWork::Kind::train, .purpose = 1, .database = QStringLiteral("my db")}),
              "iir2d tune train 'my db' --purpose " + std::string(iir2d::model_purposes()[1]) + " --install");
    EXPECT_EQ(command({.kind = TuningWork::Kind::evaluate, .database = QStringLiteral("a.db")}),
              "iir2d tune headroom a.db");
}

TEST_F(TuningModelTest, TheLiveRecipesChoiceIsPinnedAndUndone) {
    LiveChoice live(session, model);
    session.openImage(testing::text(testing::written(folder, "in.exr", testing::gradient(64, 48))));
    ASSERT_TRUE(QTest::qWaitFor([this] { return session.image() != nullptr; }, patience_ms));
    session.resetRecipe({.operations = {{.what = FilterOperation{.filter_id = 6}}}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.steps().empty(); }, patience_ms));
    EXPECT_EQ(live.steps().front().reason, iir2d::TuneReason::no_model);
    EXPECT_EQ(live.badge().toStdString(), "static");
    const auto offers = live.offers(5);
    ASSERT_LE(offers.size(), 5U);
    EXPECT_EQ(offers.front().config, iir2d::Config{});
    for (std::size_t i = 1; i < offers.size(); ++i)
        EXPECT_LE(std::ranges::count(iir2d::text_of(offers[i - 1].config), ' '),
                  std::ranges::count(iir2d::text_of(offers[i].config), ' '));
    EXPECT_THAT(live.toolTip().toStdString(), HasSubstr("there is no model"));
    EXPECT_EQ(model.recipeSpecs(), QStringList(live.steps().front().spec));

    const auto shows = [&](iir2d::TuneReason reason) {
        return QTest::qWaitFor([&] { return !live.steps().empty() && live.steps().front().reason == reason; },
                               patience_ms);
    };
    session.pinConfig(iir2d::Config{.threads = 1});
    ASSERT_TRUE(shows(iir2d::TuneReason::pinned));
    EXPECT_TRUE(live.isPinned());
    EXPECT_EQ(live.badge().toStdString(), "threads:1");
    EXPECT_FALSE(session.undoStack()->isClean());
    session.undoStack()->undo();
    ASSERT_TRUE(shows(iir2d::TuneReason::no_model));
    EXPECT_FALSE(session.pinnedConfig());
    session.undoStack()->redo();
    ASSERT_TRUE(shows(iir2d::TuneReason::pinned));
    // One that it is not valid for is not what it is executed by.
    session.pinConfig(iir2d::Config{.task = 1 << 20});
    EXPECT_TRUE(shows(iir2d::TuneReason::no_model));
    EXPECT_FALSE(live.isPinned());
    session.resetRecipe({});
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.steps().empty(); }, patience_ms));
}

TEST_F(TuningModelTest, TheLiveRecipesChoiceIsLookedAtAgain) {
    if (!testing::canHaveModels()) GTEST_SKIP() << "two threads and known caches are needed";
    LiveChoice live(session, model);
    session.openImage(testing::text(testing::written(folder, "in.exr", testing::gradient(64, 48))));
    ASSERT_TRUE(QTest::qWaitFor([this] { return session.image() != nullptr; }, patience_ms));
    session.resetRecipe({.operations = {{.what = FilterOperation{.filter_id = 6}}}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.steps().empty(); }, patience_ms));
    ASSERT_EQ(live.steps().front().said.model, "");
    testing::installModel("1");
    tune::begin_use();  // as the window does beside itself
    live.look();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !live.steps().front().said.model.empty(); }, patience_ms));
}

TEST(TuningWords, AreThereForEverything) {
    for (std::size_t i = 0; i < iir2d::tune_reason_count; ++i)
        EXPECT_FALSE(reasonWords(static_cast<iir2d::TuneReason>(i)).isEmpty()) << i;
    EXPECT_EQ(gainWords(0.8).toStdString(), "20 % less time than static");
    EXPECT_EQ(gainWords(1.034).toStdString(), "3.4 % more time than static");
    EXPECT_EQ(gainWords(1.0).toStdString(), "as fast as static");
    EXPECT_EQ(knobOf("threads:1 stores:past").toStdString(), "several");
    EXPECT_EQ(knobOf("part:128").toStdString(), "part");
}

TEST(TuningWords, SayWhyACandidateIsCut) {
    iir2d::Explanation said;
    said.candidates = {{.config = {.threads = 1}, .predicted_ratio = 0.8, .kept = true},
                       {.config = {.threads = 2}, .predicted_ratio = 0.84},
                       {.config = {}, .predicted_ratio = 1.0}};
    const iir2d::TuneOptions options{.top_k = 1, .threshold = 1.1};
    EXPECT_EQ(keptWords(said, 0, options).toStdString(), "kept");
    EXPECT_THAT(keptWords(said, 1, options).toStdString(), HasSubstr("first 1"));
    EXPECT_THAT(keptWords(said, 2, options).toStdString(), HasSubstr("1.25 of the best"));
}

}  // namespace
}  // namespace workbench
