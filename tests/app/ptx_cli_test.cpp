// SPDX-License-Identifier: MIT
// iir2d ptx: exit codes and JSON.
#include <nlohmann/json.hpp>

#include "tests/app/cli_folder.h"

namespace app_test {
namespace {

using Json = nlohmann::json;

class PtxCli : public CliFolder {
  protected:
    std::string text(const std::string& name, const std::string& parameters, const std::string& body) const {
        return write_text(
            name, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(" + parameters +
                      ")\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<8>;\n" +
                      body + "\n}\n");
    }
    std::string saxpy() const {
        return text("saxpy.ptx", ".param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n",
                    "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 bra "
                    "L;\nld.param.f32 %f1, [a];\n"
                    "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 "
                    "%rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\n"
                    "ld.global.f32 %f2, [%rd1];\nld.global.f32 %f3, [%rd2];\nfma.rn.f32 %f4, %f1, %f2, "
                    "%f3;\nst.global.f32 [%rd2], %f4;\nL: ret;");
    }
    static std::vector<std::string> run(const std::string& file, const std::vector<std::string>& more) {
        std::vector<std::string> made{"ptx",    "run", file,      "--kernel", "k",
                                      "--grid", "1",   "--block", "32",       "--json"};
        for (const std::string& word : more) {
            made.push_back("--arg");
            made.push_back(word);
        }
        return made;
    }
};

TEST_F(PtxCli, RunsSaxpy) {
    const auto outcome =
        iir2d(run(saxpy(), {"f32:2", "in:f32:1,2,3.5,inf", "inout:f32:0.1,-1,nan,4", "u32:4"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["kernel"], "k");
    EXPECT_EQ(json["arguments"],
              Json::parse(R"([{"index": 2, "type": "f32", "values": [2.1, 3.0, "nan", "inf"]}])"));
    EXPECT_EQ(json["findings"], Json::array());
    EXPECT_EQ(json["findings_total"], 0);
    const Json& counts = json["counts"];
    EXPECT_EQ(counts["global"]["load"], Json::parse(R"({"requests": 2, "sectors": 2, "distinct": 2})"));
    EXPECT_EQ(counts["global"]["store"], Json::parse(R"({"requests": 1, "sectors": 1, "distinct": 1})"));
    std::uint64_t sum = 0;
    for (const Json& count : counts["instructions"]["by_kind"]) sum += count.get<std::uint64_t>();
    EXPECT_EQ(counts["instructions"]["lane"], sum);
    EXPECT_EQ(counts["instructions"]["by_kind"].size(), 12U);
    for (const char* const key : {"barriers", "warp_syncs", "divergent_branches", "atomics"})
        EXPECT_TRUE(counts.contains(key)) << key;
}

TEST_F(PtxCli, ReadsArraysOfFiles) {
    write_text("x.raw", std::string("\0\0\x80\x3f\0\0\0\x40", 8));
    const auto outcome = iir2d(run(saxpy(), {"f32:1", "in:f32:@" + path("x.raw"), "inout:f32:1,1", "u32:2"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["arguments"][0]["values"], Json::parse("[2.0, 3.0]"));
}

TEST_F(PtxCli, AFindingIsFiveAfterTheOutputs) {
    const auto outcome = iir2d(run(saxpy(), {"f32:2", "in:f32:1", "inout:f32:1,1", "u32:2"}));
    expect_failure(outcome, 5, "k has 1 finding: out_of_bounds: thread (1, 0, 0)");
    const Json json = Json::parse(outcome.out);
    ASSERT_EQ(json["findings_total"], 1);
    const Json& finding = json["findings"][0];
    EXPECT_EQ(finding["kind"], "out_of_bounds");
    EXPECT_EQ(finding["thread"], Json::parse("[1, 0, 0]"));
    EXPECT_EQ(finding["block"], Json::parse("[0, 0, 0]"));
    EXPECT_EQ(finding["space"], "global");
    for (const char* const key : {"kernel", "line", "source_line", "address", "message"})
        EXPECT_TRUE(finding.contains(key)) << key;
    EXPECT_EQ(json["arguments"][0]["values"][0], 3.0);
}

TEST_F(PtxCli, AnEndlessLoopIsFive) {
    const auto outcome = iir2d({"ptx", "run", text("loop.ptx", "", "L: bra L;"), "--kernel", "k", "--grid",
                                "1", "--block", "1", "--budget", "1000", "--json"});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_EQ(Json::parse(outcome.out)["findings"][0]["kind"], "no_end");
}

TEST_F(PtxCli, MoreSharedMemoryThanThereIsIsFive) {
    const std::string file = text("shared.ptx", "", "ret;");
    for (const char* bytes : {"49153", "1000000", "2147483647"}) {
        const auto outcome = iir2d({"ptx", "run", file, "--kernel", "k", "--grid", "1", "--block", "1",
                                    "--shared", bytes, "--json"});
        expect_failure(outcome, 5, "shared_limit");
        EXPECT_EQ(Json::parse(outcome.out)["findings"][0]["kind"], "shared_limit");
    }
}

TEST_F(PtxCli, RefusedOpcodesAreThreeWithLineAndName) {
    const std::string file = text(
        "mma.ptx", "", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};\nret;");
    const auto outcome = iir2d(run(file, {}));
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("line 10: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"),
              std::string::npos)
        << outcome.err;
    const auto info = iir2d({"ptx", "info", file, "--json"});
    EXPECT_EQ(info.code, 0);
    EXPECT_EQ(Json::parse(info.out)["refused"][0]["line"], 10);
}

TEST_F(PtxCli, ATextThatIsNoneIsThree) {
    for (const std::string& content :
         {std::string(), std::string("hello"), std::string("\0\1\2\xff", 4), std::string(1 << 20, '{')}) {
        const auto outcome = iir2d(run(write_text("bad.ptx", content), {}));
        EXPECT_EQ(outcome.code, 3);
        EXPECT_NE(outcome.err.find("line 1"), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(iir2d(run(path("missing.ptx"), {})).code, 3);
}

TEST_F(PtxCli, ArgumentsThatDoNotFitAreTwo) {
    const std::string file = saxpy();
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"f32:2"},
                                               {"f64:2", "in:f32:1", "inout:f32:1", "u32:1"},
                                               {"f32:two", "in:f32:1", "inout:f32:1", "u32:1"},
                                               {"f32:2", "in:f32:1,", "inout:f32:1", "u32:1"},
                                               {"f32:2", "in:f33:1", "inout:f32:1", "u32:1"},
                                               {"f32:2", "out:f32:0", "inout:f32:1", "u32:1"},
                                               {"f32:2", "in:f32:1", "inout:f32:1", "u32:-1"},
                                               {"bytes:0", "in:f32:1", "inout:f32:1", "u32:1"}})
        EXPECT_EQ(iir2d(run(file, arguments)).code, 2) << arguments[0];
    auto other = run(file, {"f32:2", "in:f32:1", "inout:f32:1", "u32:1"});
    other[4] = "saxpy";
    EXPECT_EQ(iir2d(other).code, 2);
}

TEST_F(PtxCli, ListsOpcodes) {
    const auto outcome = iir2d({"ptx", "opcodes", "--json"});
    EXPECT_EQ(outcome.code, 0);
    const Json json = Json::parse(outcome.out);
    EXPECT_NE(std::find(json.begin(), json.end(), "fma.rn.f32"), json.end());
    EXPECT_GT(json.size(), 343U);
}

}  // namespace
}  // namespace app_test
