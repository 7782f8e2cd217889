// SPDX-License-Identifier: MIT
// Reading data sets that anybody wrote, the schema of records, and what verifying finds.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/synth/adjoint.h"
#include "core/synth/data_set_reader.h"
#include "core/synth/edits.h"
#include "core/synth/export.h"
#include "core/synth/record_shape.h"
#include "core/synth/shards.h"
#include "core/synth/verify.h"
#include "tests/core/record/schema_judge.h"
#include "tests/core/synth/data_set_testing.h"

namespace {

using namespace synth_test;  // NOLINT: the helpers of these tests
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using workbench::ErrorKind;

class VerifyDataSet : public DataSet {
  protected:
    void SetUp() override {
        DataSet::SetUp();
        ASSERT_TRUE(generate_it(options("set")));
    }
    fs::path file(const std::string& name) const { return m_folder / "set" / name; }
    Result<Verified> verify_it(VerifyOptions options = {}) {
        options.folder = m_folder / "set";
        options.compiled = {"llvm-host-test"};
        return verify_data_set(options, [this]() -> Result<std::unique_ptr<Toolchain>> {
            return std::make_unique<HostCompiler>(m_folder / ("tools" + std::to_string(++m_made)));
        });
    }
    // All faults, a line each.
    std::string faults() {
        const auto made = verify_it();
        if (!made) return "error: " + made.error().message;
        std::string lines;
        for (const Fault& one : made->faults) lines += one.id + ": " + one.level + ": " + one.what + "\n";
        return lines;
    }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(file(name), std::ios::binary) << bytes;
    }
    // Changes the first record of the second shard; sums and statistics are left as they are.
    void change(const std::function<void(Json&)>& how) const {
        const char* const shard = "shards/00001.jsonl.zst";
        auto lines = *read_lines(file(shard));
        Json record = Json::parse(lines[0]);
        how(record);
        lines[0] = record.dump();
        write(shard, *compressed_lines(lines));
    }
};

TEST_F(VerifyDataSet, FindsNothingInWhatWasMade) {
    const auto made = verify_it();
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(faults(), "");
    EXPECT_EQ(made->records, 30U);
    EXPECT_EQ(made->checked.at("record"), 30U);
    EXPECT_EQ(made->checked.at("V0"), 30U);
    EXPECT_EQ(made->checked.at("V2"), 30U);
    VerifyOptions some;
    some.sample = 7;
    some.levels = {"V2"};
    some.jobs = 2;
    const auto sampled = verify_it(some);
    ASSERT_TRUE(sampled);
    EXPECT_EQ(sampled->checked.at("record"), 7U);
    EXPECT_FALSE(sampled->checked.contains("V0"));
    // Mutants of sources; those of PTX have no text here, and other kinds are made instead.
    some.mutants = 40;
    some.levels = {"V0", "V2"};
    const auto mutated = verify_it(some);
    ASSERT_TRUE(mutated);
    EXPECT_EQ(mutated->mutants.made, 40U);
    EXPECT_EQ(mutated->mutants.passed, 0U) << mutated->faults[0].what;
    EXPECT_EQ(mutated->mutants.rejected + mutated->mutants.equivalent, 40U);
    EXPECT_LE(mutated->mutants.equivalent, 10U);
    EXPECT_GE(mutated->mutants.by_kind.size(), 8U);
}

// Its texts have PTX behind the source, and a change of that shows in no result.
class BlindToPtx : public InterpreterToolchain {
  public:
    Result<std::vector<KernelText>> compile(const Target& target,
                                            const std::vector<KernelSource>& sources) override {
        auto made = InterpreterToolchain::compile(target, sources);
        for (KernelText& one : *made) one.text += "\t@%p1 add.s32 \t%r2, %r1, 4;\n\tbar.sync \t0;\n";
        return made;
    }
};

TEST_F(VerifyDataSet, MoreThanAQuarterOfEquivalentMutantsIsAFault) {
    const MakeToolchain make = []() -> Result<std::unique_ptr<Toolchain>> {
        return std::make_unique<BlindToPtx>();
    };
    GenerateOptions wanted = options("ptx");
    wanted.judge.targets = {target_named("ptx-nvrtc:sm_90")};
    ASSERT_TRUE(generate_data_set(wanted, make));
    const auto verified = [&](std::uint64_t mutants) {
        VerifyOptions options{.folder = wanted.folder, .mutants = mutants};
        options.compiled = {"ptx-nvrtc:sm_90"};
        return verify_data_set(options, make);
    };
    const auto without = verified(0);
    ASSERT_TRUE(without) << without.error().message;
    EXPECT_TRUE(without->faults.empty()) << without->faults[0].what;
    const auto made = verified(34);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->mutants.passed, 0U);
    EXPECT_EQ(made->mutants.made, 34U);
    EXPECT_GT(made->mutants.equivalent, 8U);
    ASSERT_EQ(made->faults.size(), 1U) << made->faults[0].what;
    EXPECT_EQ(made->faults[0].level, "mutant");
    EXPECT_EQ(made->faults[0].what, std::to_string(made->mutants.equivalent) +
                                        " of 34 mutants are equivalent, more than a quarter");
}

// A GPU whose driver changes bits of results, as its compiler is asked to optimise or not.
class WrongGpu : public HostCompiler {
  public:
    WrongGpu(const fs::path& folder, std::map<DriverCompiles, std::uint64_t> bits, std::string error)
        : HostCompiler(folder), m_bits(std::move(bits)), m_error(std::move(error)) {}
    Result<std::vector<std::string>> run_on_gpu(const Target& target, std::vector<Execution>& runs,
                                                DriverCompiles how) override {
        auto made = run(target, runs);
        for (Execution& one : runs) flip(*one.tree, one.sets[0], m_bits[how]);
        if (how == DriverCompiles::without_optimisation) made->front() = m_error;
        return made;
    }

  private:
    std::map<DriverCompiles, std::uint64_t> m_bits;
    std::string m_error;
};

TEST_F(VerifyDataSet, SaysWhatATextThatDiffersOnAGpuGivesWithoutOptimisation) {
    const auto fault = [&](std::uint64_t usual, std::uint64_t without, const std::string& error = "") {
        VerifyOptions options{.folder = m_folder / "set", .levels = {"V4"}, .sample = 1};
        options.on_gpu = {"llvm-host-test"};
        const auto made = verify_data_set(options, [&]() -> Result<std::unique_ptr<Toolchain>> {
            return std::make_unique<WrongGpu>(
                m_folder / ("tools" + std::to_string(++m_made)),
                std::map<DriverCompiles, std::uint64_t>{{DriverCompiles::as_usual, usual},
                                                        {DriverCompiles::without_optimisation, without}},
                error);
        });
        EXPECT_TRUE(made) << made.error().message;
        return made->faults.empty() ? "none" : made->faults[0].level + ": " + made->faults[0].what;
    };
    const std::string differs = "^V4: llvm-host-test: set 0, .* is expected";
    EXPECT_EQ(fault(0, 0), "none");
    EXPECT_EQ(fault(0, 1, "nobody asks"), "none");
    EXPECT_THAT(fault(2, 0), ContainsRegex(differs + "; compiled by the driver without optimisation it gives "
                                                     "what is expected, so the driver's optimiser makes the "
                                                     "difference$"));
    EXPECT_THAT(fault(2, 2),
                ContainsRegex(differs + "; also when the driver compiles it without optimisation$"));
    EXPECT_THAT(fault(2, 6),
                ContainsRegex(differs + "; compiled by the driver without optimisation: set 0, .* "
                                        "is expected$"));
    EXPECT_THAT(fault(2, 0, "no memory"),
                ContainsRegex(differs + "; compiled by the driver without optimisation: no memory$"));
}

TEST_F(VerifyDataSet, NamesEachMemberThatIsNotTheSources) {
    const auto expect_fault = [&](const std::function<void(Json&)>& how, const std::string& words) {
        const std::string shard = *workbench::read_file(file("shards/00001.jsonl.zst"));
        change(how);
        EXPECT_THAT(faults(), HasSubstr(words));
        write("shards/00001.jsonl.zst", shard);
    };
    expect_fault([](Json& r) { r["split"] = r["split"] == "train" ? "test" : "train"; },
                 ": record: split is ");
    expect_fault([](Json& r) { r["canonical"] = std::string(64, '0'); }, ": record: canonical is ");
    expect_fault([](Json& r) { r["outputs"]["sha256"] = std::string(64, '0'); },
                 ": record: outputs.sha256 is ");
    expect_fault([](Json& r) { r["ops"].push_back("zzz"); }, ": record: ops is ");
    expect_fault([](Json& r) { r["source"]["cpp"] = r["source"]["cpp"].get<std::string>() + "\n"; },
                 ": record: source.cpp: line ");
    expect_fault([](Json& r) { r["source"]["cuda"] = "int x;"; }, ": record: source.cuda is outside");
    expect_fault([](Json& r) { r["launch"]["n"] = 201; }, ": record: launch.n is 201, not 200");
    expect_fault([](Json& r) { r["verification"][0]["max_ulp"] = 1.0; }, "verification of V2");
    expect_fault([](Json& r) { r["ir"].clear(); }, ": record: there is no text for llvm-host-test");
    expect_fault(
        [](Json& r) {
            std::string text = r["ir"][0]["text"];
            text.insert(text.rfind('}'), "\n");
            r["ir"][0]["text"] = text;
        },
        ": V0: llvm-host-test: line ");
    expect_fault([](Json& r) { r["index"] = "7"; }, ": schema: has index, which is not a whole number");
    expect_fault([](Json& r) { r["more"] = 1; }, ": schema: has the member \"more\"");
    expect_fault([](Json& r) { r["index"] = r["index"].get<int>() + 14; }, "of the run is another kernel");
    EXPECT_EQ(faults(), "");
}

TEST_F(VerifyDataSet, NamesEachFileThatIsNotTheRecords) {
    const std::string first = *workbench::read_file(file("shards/00000.jsonl.zst"));
    const std::string second = *workbench::read_file(file("shards/00001.jsonl.zst"));
    write("shards/00001.jsonl.zst", second.substr(0, second.size() / 2));
    EXPECT_THAT(faults(), HasSubstr("shards/00001.jsonl.zst: files: "));
    write("shards/00001.jsonl.zst", first);
    EXPECT_THAT(faults(), HasSubstr(": unique: canonical is that of "));
    fs::remove(file("shards/00001.jsonl.zst"));
    EXPECT_THAT(faults(), HasSubstr("shards/00001.jsonl.zst: files: it is missing"));
    write("shards/00001.jsonl.zst", second);
    fs::remove(file("shards/00003.jsonl.zst"));
    fs::remove(file("shards/00003.rejected.jsonl.zst"));
    EXPECT_THAT(faults(), HasSubstr("shards/00003.jsonl.zst: files: it is missing"));
    fs::remove_all(file(""));
    EXPECT_EQ(verify_it().error().kind, ErrorKind::bad_input);
    ASSERT_TRUE(generate_it(options("set")));
    write("shards/x", "");
    EXPECT_THAT(faults(), HasSubstr("shards/x: files: it is not a file of a data set"));
    fs::remove(file("shards/x"));
    for (const char* name : {"stats.json", "stats.md", "manifest.json", "SHA256SUMS"}) {
        std::string text = *workbench::read_file(file(name));
        const std::string before = text;
        const std::size_t at = text.find_first_of("0123456789");
        text[at] = text[at] == '9' ? '8' : '9';
        write(name, text);
        EXPECT_NE(faults(), "") << name;
        fs::remove(file(name));
        EXPECT_THAT(faults(), HasSubstr(std::string(name) + ": files: it is missing"));
        write(name, before);
    }
    std::string stats = *workbench::read_file(file("stats.json"));
    stats.replace(stats.find("\"records\": 30"), 13, "\"records\": 31");
    write("stats.json", stats);
    EXPECT_THAT(faults(), HasSubstr("stats.json: files: all.records: 31, not 30"));
    write("run.json", "{}");
    EXPECT_EQ(verify_it().error().kind, ErrorKind::bad_input);
}

TEST_F(VerifyDataSet, NamesTargetsThatWereLeftOutWhereRunAndManifestDiffer) {
    fs::remove_all(file(""));
    GenerateOptions wanted = options("set");
    wanted.unavailable = {"llvm-host-o2: no Clang is installed"};
    ASSERT_TRUE(generate_it(wanted));
    EXPECT_EQ(faults(), "");
    std::string run = *workbench::read_file(file("run.json"));
    run.replace(run.find("no Clang"), 8, "an old Clang");
    write("run.json", run);
    EXPECT_THAT(faults(), HasSubstr("manifest.json: files: "));
}

TEST_F(VerifyDataSet, IsFoundByIdAndCounted) {
    const auto lines = *read_lines(file("shards/00001.jsonl.zst"));
    const Json record = Json::parse(lines[2]);
    EXPECT_EQ(*find_record(file(""), record["id"]), record);
    EXPECT_EQ(find_record(file(""), "array-0000000000000000").error().kind, ErrorKind::bad_argument);
    EXPECT_EQ(find_record(m_folder / "none", "x").error().kind, ErrorKind::bad_input);
    const auto statistics = read_statistics(file(""));
    ASSERT_TRUE(statistics);
    EXPECT_EQ(statistics->json().dump(2) + "\n", *workbench::read_file(file("stats.json")));
    EXPECT_EQ(statistics->json()["categories"]["math"]["records"], 3);
}

TEST_F(VerifyDataSet, WithoutTargetsIsNotExported) {
    Json run = Json::parse(*workbench::read_file(file("run.json")));
    run["targets"] = run["compilers"] = Json::array();
    write("run.json", run.dump(2) + "\n");
    for (const auto form : {ExportOptions::Form::pairs, ExportOptions::Form::seed_jax}) {
        const auto made = export_data_set({.folder = file(""), .out = m_folder / "out", .form = form});
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().kind, ErrorKind::bad_input);
        EXPECT_THAT(made.error().message, HasSubstr("has no targets"));
    }
}

TEST_F(VerifyDataSet, HostileLinesAreErrorsInBoundedMemory) {
    Json record = Json::parse(read_lines(file("shards/00001.jsonl.zst"))->front());
    const auto read = [&](const std::string& bytes) {
        write("shards/00001.jsonl.zst", bytes);
        const auto made = read_statistics(file(""));
        return made ? "read" : made.error().message;
    };
    EXPECT_THAT(read("no Zstandard\n"), HasSubstr("00001.jsonl.zst"));
    EXPECT_THAT(read(*compressed_lines({std::string(std::size_t{40} << 20, 'x')})),
                HasSubstr("more than 16 MiB"));
    EXPECT_THAT(read(*compressed_lines({"[1, 2"})), HasSubstr("line 1: is not valid JSON"));
    EXPECT_THAT(read(*compressed_lines({std::string(100'000, '[')})), HasSubstr("nested more than 16 deep"));
    EXPECT_THAT(read(*compressed_lines({"{}"})), HasSubstr("line 1: has no schema"));
    EXPECT_THAT(read(*compressed_lines({"[]"})), HasSubstr("which is not an object"));
    EXPECT_EQ(read(*compressed_lines({record.dump()})), "read");
    const std::string without = "line 1: has backward IR and no backward.source";
    record["ir"][0]["direction"] = "backward";
    EXPECT_THAT(read(*compressed_lines({record.dump()})), HasSubstr(without));
    record["backward"] = {{"reason", "integer"}};
    EXPECT_THAT(read(*compressed_lines({record.dump()})), HasSubstr(without));
}

// IIR2D_UPDATE_GOLDEN=1 writes the file anew.
TEST(SynthSchema, IsMadeFromTheTableOfMembersAndAgreesWithAGeneralValidator) {
    const auto file = fs::path(IIR2D_SOURCE_DIR) / "resources/schemas/synth-1.schema.json";
    if (std::getenv("IIR2D_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << record_schema();
    EXPECT_EQ(record_schema(), workbench::read_file(file).value_or(""));
    // A record with every member.
    Judged judged{.index = 3, .candidate = generate(Category::math, 1, 3)};
    judged.backward = adjoint_of(judged.candidate.tree);
    judged.expected = expect(judged.candidate.tree, judged.candidate.canonical).expected;
    judged.texts = {{0, false, "text\n"}};
    judged.verifications = {{"V3", 0, false, false, 1.5, 0.25}};
    JudgeOptions options{.targets = {target_named("ptx-nvrtc:sm_90")}, .backward = true};
    const Json good = Json::parse(record_line(judged, options));
    const auto complaint = [](const Json& record) {
        const auto read = read_record(record.dump());
        return read ? "valid" : read.error().message;
    };
    EXPECT_EQ(complaint(good), "valid");
    const auto tried = workbench::testing::judge_with_general_validator(good, record_schema(), complaint);
    EXPECT_GT(tried.tried, 200);
    EXPECT_GT(tried.refused, 100);
}

TEST(InstructionMix, CountsPtxAndLlvm) {
    const auto ptx = instruction_mix(
        ".version 9.0\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .pred \t%p<2>;\n"
        "\tld.param.u64 \t%rd1, [k_param_0];\n\t@%p1 bra \t$L__BB0_2;\n\tcall.uni (retval0), \n\thelper, "
        "\n\t(\n"
        "\tparam0\n\t);\n$L__BB0_2:\n\tret;\n}\n");
    EXPECT_EQ(ptx, (Counts{{"ld", 1}, {"bra", 1}, {"call", 1}, {"ret", 1}}));
    const auto llvm = instruction_mix(
        "target triple = \"x\"\n\ndefine void @k(ptr %x) #0 {\nentry:\n  %0 = load ptr, ptr %x, align 8\n"
        "  %1 = tail call float @sinf(float 1.0)\n  switch i32 %2, label %a [\n    i32 0, label %b\n  ]\n"
        "  ret void\n}\n\nattributes #0 = { nounwind }\n");
    EXPECT_EQ(llvm, (Counts{{"load", 1}, {"call", 1}, {"switch", 1}, {"ret", 1}}));
    EXPECT_TRUE(instruction_mix("AAAA").empty());
}

TEST(Edits, ChangeOnePlace) {
    const auto all = [](const std::vector<Edit>& edits, const std::string& text) {
        std::vector<std::string> made;
        for (const Edit& one : edits) made.push_back(one.applied_to(text));
        return made;
    };
    using ::testing::ElementsAre;
    EXPECT_THAT(all(source_edits("operator", "a - b; // a + b\n"), "a - b; // a + b\n"),
                ElementsAre("a + b; // a + b\n"));
    EXPECT_THAT(all(source_edits("operand order", "x = a / 2;"), "x = a / 2;"), ElementsAre("x = 2 / a;"));
    EXPECT_THAT(all(source_edits("parentheses", "f(a) * (b + c)"), "f(a) * (b + c)"),
                ElementsAre("f(a) * b + c"));
    EXPECT_THAT(all(source_edits("literal", "x[i] = 9e-1f;"), "x[i] = 9e-1f;"), ElementsAre("x[i] = 1e-1f;"));
    EXPECT_THAT(
        all(source_edits("statement", "    int a = 1;\n    a += 2;\n"), "    int a = 1;\n    a += 2;\n"),
        ElementsAre("    int a = 1;\n"));
    const std::string ptx = "\t@%p1 add.s32 \t%r2, %r1, 4;\n\tbar.sync \t0;\n";
    EXPECT_THAT(all(ptx_edits("opcode", ptx), ptx),
                ElementsAre("\t@%p1 sub.s32 \t%r2, %r1, 4;\n\tbar.sync \t0;\n"));
    EXPECT_THAT(all(ptx_edits("register", ptx), ptx),
                ElementsAre("\t@%p1 add.s32 \t%r2, %r2, 4;\n\tbar.sync \t0;\n"));
    EXPECT_THAT(all(ptx_edits("predicate", ptx), ptx),
                ElementsAre("\t@!%p1 add.s32 \t%r2, %r1, 4;\n\tbar.sync \t0;\n"));
    EXPECT_THAT(all(ptx_edits("barrier", ptx), ptx), ElementsAre("\t@%p1 add.s32 \t%r2, %r1, 4;\n"));
}

}  // namespace
