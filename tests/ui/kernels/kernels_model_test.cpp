// SPDX-License-Identifier: MIT
// The state of the kernels page and what core/inspect gives it, without a page: no QApplication is there, so
// that any widget would end the test.
#include <gmock/gmock.h>

#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "tests/ui/kernels/kernels_testing.h"
#include "tests/ui/patience.h"
#include "ui/kernels/our_kernels.h"
#include "ui/kernels/own_source.h"
#include "ui/session/session.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class KernelsModelTest : public ::testing::Test {
  protected:
    void load(const std::string& text = testing::twoKernels) {
        const auto file = testing::installedKernels(folder, text);
        ASSERT_FALSE(file.empty());
        ours.loadFrom(file);
        ASSERT_TRUE(QTest::qWaitFor([&] { return !ours.isLoading(); }, patience_ms));
    }
    void SetUp() override { ours.setShown(true); }
    void show(const char* name) {
        ours.showKernel(QLatin1String(name));
        ASSERT_TRUE(QTest::qWaitFor([&] { return !ours.isBusy(); }, patience_ms));
    }
    void run(const inspect::RunRequest& request) {
        shown.run(request);
        ASSERT_TRUE(QTest::qWaitFor(
            [&] { return !shown.isRunning() && (shown.outcome() || !shown.runProblem().isEmpty()); },
            patience_ms));
    }

    QTemporaryDir folder;
    Session session;
    ShownKernelModel shown;
    OurKernels ours{session, shown};
};

TEST_F(KernelsModelTest, ShowsTheFirstKernelUntilAnotherIsAskedFor) {
    load();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !ours.isBusy(); }, patience_ms));
    ASSERT_NE(shown.kernel(), nullptr);
    EXPECT_EQ(shown.kernel()->kernel, ours.kernels()->kernels().front().name);
    OurKernels asked{session, shown};
    asked.setShown(true);
    const QSignalSpy names(&asked, &OurKernels::shown);
    asked.loadFrom(testing::installedKernels(folder, testing::twoKernels));
    asked.showKernel(QStringLiteral("pool_max_f32"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !asked.isBusy(); }, patience_ms));
    ASSERT_EQ(names.count(), 1);
    EXPECT_EQ(names.front().front().toString(), QLatin1String("pool_max_f32"));
}

TEST_F(KernelsModelTest, ReadsTheInstalledTextAndCutsOneKernel) {
    load();
    ASSERT_NE(ours.kernels(), nullptr);
    EXPECT_EQ(ours.kernels()->kernels().size(), 2U);
    EXPECT_EQ(ours.note().toStdString(), "2 kernels for sm_75, nvcc release 13.0");
    show("twice");
    ASSERT_NE(shown.kernel(), nullptr);
    const ShownKernel& kernel = *shown.kernel();
    EXPECT_THAT(kernel.text, HasSubstr(".entry twice"));
    EXPECT_THAT(kernel.text, Not(HasSubstr("pool_max_f32")));
    ASSERT_TRUE(kernel.facts);
    EXPECT_EQ(kernel.facts->entry.parameters.size(), 3U);
    EXPECT_EQ(kernel.facts->instructions(), 18U);
    EXPECT_EQ(kernel.facts->mix[std::size_t(ptx::Kind::f32)], 1U);
    EXPECT_EQ(kernel.facts->opcodes.front().second, 3U) << kernel.facts->opcodes.front().first;
}

TEST_F(KernelsModelTest, RunsAndSaysWhatCameOut) {
    load();
    show("twice");
    inspect::RunRequest request{
        .grid = "1", .block = "32", .arguments = {"in:f32:1,2.5,3", "out:f32:3", "i32:3"}};
    run(request);
    ASSERT_TRUE(shown.outcome()) << shown.runProblem().toStdString();
    EXPECT_EQ(shown.outcome()->outcome.findings_total, 0U);
    ASSERT_EQ(shown.outcome()->outputs.size(), 1U);
    EXPECT_EQ(shown.outcome()->outputs[0].values, "2, 5, 6");
    EXPECT_EQ(shown.outcome()->outcome.counts.global_loads.sectors, 1U);

    request.arguments[2] = "i32:4";  // one more than there are
    run(request);
    ASSERT_TRUE(shown.outcome());
    EXPECT_EQ(shown.outcome()->outcome.findings_total, 2U);
    EXPECT_EQ(shown.outcome()->outcome.findings.front().kind, ptx::FindingKind::out_of_bounds);

    request.arguments.pop_back();
    run(request);
    EXPECT_FALSE(shown.outcome());
    EXPECT_THAT(shown.runProblem().toStdString(), HasSubstr("takes 3 arguments"));
    request.block = "32,x";
    run(request);
    EXPECT_THAT(shown.runProblem().toStdString(), HasSubstr("Threads a block"));
}

TEST_F(KernelsModelTest, CancelsARunWithoutEnd) {
    load();
    show("pool_max_f32");
    inspect::RunRequest request;
    request.budget = 1'000'000'000'000;
    shown.run(request);
    ASSERT_TRUE(shown.isRunning());
    QTest::qWait(50);
    ASSERT_TRUE(shown.isRunning());
    shown.cancelRun();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.isRunning(); }, patience_ms));
    QTest::qWait(10);
    EXPECT_THAT(shown.runProblem().toStdString(), HasSubstr("cancelled"));
}

TEST_F(KernelsModelTest, CopiesTheRunAsACommandLine) {
    load();
    show("twice");
    const std::string command =
        shown
            .commandLine(
                {.grid = "1", .block = "32", .seed = 3, .arguments = {"in:f32:1", "out:f32:1", "i32:1"}})
            .toStdString();
    EXPECT_THAT(command, HasSubstr(" --kernel twice --grid 1 --block 32 --arg in:f32:1 --arg out:f32:1 --arg "
                                   "i32:1 --seed 3"));
    const auto kept = shown.keepText();
    ASSERT_TRUE(kept);
    EXPECT_THAT(command, HasSubstr(kept->string()));
    EXPECT_EQ(read_file(*kept).value_or(""), shown.kernel()->text);
}

TEST_F(KernelsModelTest, DoesNotShowWhatIsReadAfterAnothersIsShown) {
    load();
    ours.showKernel(QStringLiteral("twice"));
    ours.setShown(false);  // as on another tab
    auto other = std::make_shared<ShownKernel>();
    other->kernel = "other";
    shown.show(other);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !ours.isBusy(); }, patience_ms));
    ASSERT_NE(shown.kernel(), nullptr);
    EXPECT_EQ(shown.kernel()->kernel, "other");
    ours.setShown(true);
    ASSERT_NE(shown.kernel(), nullptr);
    EXPECT_EQ(shown.kernel()->kernel, "twice") << "back on its tab";
}

TEST_F(KernelsModelTest, ReadsPtxInTheBackgroundAndTheNewestWins) {
    const auto kernel = [](const char* name, const std::string& text) {
        auto made = std::make_shared<ShownKernel>();
        made->kernel = name;
        made->title = QLatin1String(name);
        made->text = text;
        made->isPtx = true;
        return made;
    };
    shown.show(kernel("twice", testing::twoKernels));
    EXPECT_TRUE(shown.isReading());
    EXPECT_EQ(shown.kernel(), nullptr) << "shown when it was read";
    shown.show(kernel("pool_max_f32", testing::twoKernels));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.isReading(); }, patience_ms));
    ASSERT_NE(shown.kernel(), nullptr);
    EXPECT_EQ(shown.kernel()->kernel, "pool_max_f32");
    EXPECT_TRUE(shown.kernel()->facts);
    shown.show(kernel("twice", "no PTX"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.isReading(); }, patience_ms));
    EXPECT_EQ(shown.kernel()->kernel, "twice");
    EXPECT_FALSE(shown.kernel()->module);
    EXPECT_FALSE(shown.kernel()->note.isEmpty());
    shown.show(kernel("twice", testing::twoKernels));
    shown.show(nullptr);
    QTest::qWait(50);
    EXPECT_EQ(shown.kernel(), nullptr) << "what was read for it is dropped";
}

TEST_F(KernelsModelTest, SavesTheTextInTheBackground) {
    load();
    show("twice");
    QSignalSpy wrote(&shown, &ShownKernelModel::wrote);
    QSignalSpy failed(&shown, &ShownKernelModel::failed);
    const QString file = folder.filePath(QStringLiteral("twice.ptx"));
    shown.saveText(file);
    EXPECT_EQ(wrote.count(), 0);
    ASSERT_TRUE(QTest::qWaitFor([&] { return wrote.count() == 1; }, patience_ms));
    EXPECT_EQ(read_file(file.toStdString()).value_or(""), shown.kernel()->text);
    shown.saveText(folder.filePath(QStringLiteral("absent/twice.ptx")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms));
}

TEST_F(KernelsModelTest, SaysWhatIsWrongWithAText) {
    load("no PTX\n");
    EXPECT_EQ(ours.kernels(), nullptr);
    EXPECT_THAT(ours.note().toStdString(), HasSubstr("kernels.ptx.zst"));
}

TEST_F(KernelsModelTest, OpensTheCountedKernelOfAnOperation) {
    load();
    const Operation pool{.what = PoolOperation{.op = iir2d::PoolOp::max, .window = {3, 3}}};
    ours.showOperation(pool);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !ours.isBusy(); }, patience_ms));
    ASSERT_NE(shown.kernel(), nullptr);
    EXPECT_EQ(shown.kernel()->kernel, "pool_max_f32");
    ASSERT_EQ(shown.kernel()->counted.size(), 1U);
    EXPECT_EQ(shown.kernel()->counted[0].job, "max, 3 x 3 by 2");
    const std::string note = shown.kernel()->countedNote.toStdString();
    EXPECT_THAT(note, HasSubstr("Counted, not timed"));
    EXPECT_THAT(note, HasSubstr("another stride")) << "3 by 3 was counted by strides of 2";
    QSignalSpy failed(&ours, &OurKernels::failed);
    ours.showOperation({.what = PoolOperation{.op = iir2d::PoolOp::adaptive_max}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms));
    EXPECT_THAT(failed.front().front().toString().toStdString(), HasSubstr("No kernel is known"));
}

TEST(Traffic, OfEveryFilterARowIsThere) {
    const auto table = inspect::load_traffic();
    ASSERT_TRUE(table) << table.error().message;
    for (int id = 1; id <= 8; ++id) {
        const auto row = inspect::traffic_of({.what = FilterOperation{.filter_id = id}});
        ASSERT_TRUE(row);
        EXPECT_EQ(row->difference, "");
        const inspect::JobTraffic* job = table->find(row->job);
        ASSERT_NE(job, nullptr) << row->job;
        EXPECT_GT(job->read.distinct, 3.9);
        EXPECT_FALSE(job->launches.empty());
    }
    const auto other = inspect::traffic_of(
        {.what = FilterOperation{
             .filter_id = 6, .parameters = {{"sigma", 2.0}}, .border = iir2d::Border::clamp}});
    EXPECT_EQ(other->difference, "parameters, border");
}

class OwnSourceTest : public ::testing::Test {
  protected:
    // False: there is no compiler for CUDA sources here, and that is said.
    bool compiled() {
        EXPECT_TRUE(
            QTest::qWaitFor([&] { return !own.isCompiling() && !shown.isReading(); }, 2 * patience_ms));
        if (own.compiled() || own.problemLine() > 0) return true;
        EXPECT_THAT(own.problem().toStdString(), HasSubstr("ompiler"));
        return false;
    }

    QTemporaryDir folder;
    ShownKernelModel shown;
    OwnSource own{shown};
};

TEST_F(OwnSourceTest, CompilesWhatIsTypedAndMarksLinesBothWays) {
    own.setShown(true);
    if (!compiled()) GTEST_SKIP() << own.problem().toStdString();
    ASSERT_NE(shown.kernel(), nullptr) << own.problem().toStdString();
    EXPECT_EQ(shown.kernel()->kernel, "saxpy");
    ASSERT_TRUE(shown.kernel()->module);
    EXPECT_THAT(shown.kernel()->lines, Contains(Pair(_, 5))) << "y[i] = a * x[i] + y[i]";
    const int lines = int(std::ranges::count(shown.kernel()->text, '\n'));
    for (const auto& [line, source] : shown.kernel()->lines) EXPECT_LE(line, lines);

    own.setText(QStringLiteral("__global__ void f(int* x) {\n    x[0] = 1;\n    y = 2;\n}\n"));
    EXPECT_TRUE(own.isCompiling());
    ASSERT_TRUE(compiled());
    EXPECT_EQ(own.problemLine(), 3);
    EXPECT_THAT(own.problem().toStdString(), HasSubstr("\"y\""));
    EXPECT_FALSE(own.compiled());

    own.setText(QStringLiteral(
        "__global__ void f(int* x) { x[0] = 1; }\n__global__ void g(float* x) { x[0] += 1; }\n"));
    ASSERT_TRUE(compiled());
    EXPECT_EQ(own.problem().toStdString(), "");
    ASSERT_TRUE(own.compiled());
    ASSERT_EQ(own.compiled()->kernels.size(), 2U);
    own.chooseKernel(toText(own.compiled()->kernels[1].symbol));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.isReading(); }, patience_ms));
    EXPECT_EQ(shown.kernel()->title.toStdString(), own.compiled()->kernels[1].name);
}

TEST_F(OwnSourceTest, OnlyTheNewestOfSeveralChangesIsShown) {
    own.setShown(true);
    for (const char* name : {"first", "second", "third"}) {
        own.setText(QStringLiteral("extern \"C\" __global__ void %1(int* x) { x[0] = 1; }\n")
                        .arg(QLatin1String(name)));
        QTest::qWait(30);
    }
    if (!compiled()) GTEST_SKIP() << own.problem().toStdString();
    ASSERT_NE(shown.kernel(), nullptr);
    EXPECT_EQ(shown.kernel()->kernel, "third");
}

TEST_F(OwnSourceTest, OpensAFileAndNamesItInACommand) {
    const std::string file = folder.filePath(QStringLiteral("own.cu")).toStdString();
    ASSERT_TRUE(write_file_atomically(file, "extern \"C\" __global__ void own(int* x) { x[0] = 1; }\n"));
    own.setShown(true);
    own.open(toText(file));
    ASSERT_TRUE(QTest::qWaitFor([&] { return own.file() == toText(file); }, patience_ms));
    if (!compiled()) GTEST_SKIP() << own.problem().toStdString();
    EXPECT_THAT(own.commandLine().toStdString(),
                AllOf(HasSubstr("iir2d synth extract " + file), HasSubstr("--kernel own --targets ptx-")));
    own.setText(own.text() + QStringLiteral("// typed\n"));
    EXPECT_TRUE(own.commandLine().isEmpty()) << "the file has another text";
    QSignalSpy failed(&own, &OwnSource::failed);
    own.open(folder.filePath(QStringLiteral("absent.cu")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return failed.count() == 1; }, patience_ms));
}

TEST_F(OwnSourceTest, TakesFoldersAndDefinitions) {
    ASSERT_TRUE(QDir(folder.path()).mkdir(QStringLiteral("more")));
    ASSERT_TRUE(write_file_atomically(folder.filePath(QStringLiteral("more/twice.h")).toStdString(),
                                      "#define TWICE(x) ((x) * FACTOR)\n"));
    own.setOptions({folder.filePath(QStringLiteral("more"))}, {QStringLiteral("FACTOR=2")});
    own.setSource(QStringLiteral("own"),
                  QStringLiteral("#include \"twice.h\"\n"
                                 "extern \"C\" __global__ void own(int* x) { x[0] = TWICE(x[0]); }\n"));
    own.setShown(true);
    if (!compiled()) GTEST_SKIP() << own.problem().toStdString();
    EXPECT_EQ(own.problem().toStdString(), "");
    own.setOptions({folder.filePath(QStringLiteral("more"))}, {});
    ASSERT_TRUE(compiled());
    EXPECT_THAT(own.problem().toStdString(), HasSubstr("FACTOR"));
}

TEST_F(OwnSourceTest, VerifiesTheKernelAndShowsItsBackwardKernel) {
    const std::string file = folder.filePath(QStringLiteral("own.cu")).toStdString();
    ASSERT_TRUE(write_file_atomically(file,
                                      "extern \"C\" __global__ void own(const float* x, float* y, int n) {\n"
                                      "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "    if (i >= n) return;\n"
                                      "    y[i] = x[i] * x[i];\n}\n"));
    own.setShown(true);
    own.open(toText(file));
    ASSERT_TRUE(QTest::qWaitFor([&] { return own.file() == toText(file); }, patience_ms));
    if (!compiled()) GTEST_SKIP() << own.problem().toStdString();
    ASSERT_TRUE(QTest::qWaitFor([&] { return own.check() && !own.isChecking(); }, 2 * patience_ms));
    ASSERT_TRUE(own.check()->is_inside) << own.check()->outside;
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.isReading(); }, patience_ms));
    EXPECT_FALSE(shown.kernel()->levels.empty());
    EXPECT_FALSE(shown.kernel()->runs.empty());
    EXPECT_FALSE(shown.kernel()->lines.empty()) << "they stay";
    own.setBackward(true);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.isReading(); }, patience_ms));
    EXPECT_EQ(shown.kernel()->kernel, "own_backward");
    EXPECT_THAT(own.commandLine().toStdString(), AllOf(HasSubstr("--kernel own "), HasSubstr(" --backward")));
    EXPECT_THAT(shown.kernel()->text, HasSubstr(".entry own_backward"));
    EXPECT_THAT(shown.kernel()->source, HasSubstr("adj_"));
    ASSERT_FALSE(shown.kernel()->runs.empty());
    shown.run(shown.kernel()->runs[0]);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !shown.isRunning(); }, patience_ms));
    ASSERT_TRUE(shown.outcome()) << shown.runProblem().toStdString();
    EXPECT_EQ(shown.outcome()->outcome.findings_total, 0U);
    ASSERT_TRUE(own.isBackward());
    own.setText(own.text() + QStringLiteral("broken\n"));
    ASSERT_TRUE(compiled());
    ASSERT_FALSE(own.problem().isEmpty());
    EXPECT_FALSE(own.isBackward()) << "there is none, and the source has to be seen to be mended";
}

TEST_F(OwnSourceTest, AnotherSourceIsShownForward) {
    const QString source = QStringLiteral(
        "extern \"C\" __global__ void own(const float* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i >= n) return;\n"
        "    y[i] = x[i] * x[i];\n}\n");
    own.setBackward(true);
    EXPECT_FALSE(own.isBackward()) << "none is known";
    own.setSource(QStringLiteral("own"), source);
    own.setShown(true);
    if (!compiled()) GTEST_SKIP() << own.problem().toStdString();
    ASSERT_TRUE(QTest::qWaitFor([&] { return own.hasBackward(); }, 2 * patience_ms));
    own.setBackward(true);
    ASSERT_TRUE(own.isBackward());
    own.setSource(QStringLiteral("other"), source);
    EXPECT_FALSE(own.isBackward());
}

TEST_F(OwnSourceTest, KeepsWhatIsTyped) {
    const std::filesystem::path file = folder.filePath(QStringLiteral("state/source.json")).toStdString();
    QSignalSpy failed(&own, &OwnSource::failed);
    own.keepIn(file);
    own.setText(QStringLiteral("// typed: ä"));
    own.setOptions({}, {QStringLiteral("A=1")});
    {
        OwnSource next(shown);
        ASSERT_TRUE(QTest::qWaitFor(
            [&] { return read_file(file).value_or("").find("A=1") != std::string::npos; }, patience_ms));
        QSignalSpy opened(&next, &OwnSource::opened);
        next.keepIn(file);
        ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, patience_ms));
        EXPECT_EQ(next.text(), own.text());
        EXPECT_EQ(next.definitions(), QStringList{QStringLiteral("A=1")});
    }
    EXPECT_EQ(failed.count(), 0);
}

}  // namespace
}  // namespace workbench
