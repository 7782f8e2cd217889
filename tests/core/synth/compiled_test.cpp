// SPDX-License-Identifier: MIT
// Drawn kernels, compiled by real compilers and run: the host's source exactly, CUDA's by the PTX executor
// within the bounds.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/ptx/ptx.h"
#include "core/synth/adjoint.h"
#include "tests/core/synth/synth_testing.h"

namespace {

using namespace synth_test;  // NOLINT: the helpers of these tests
namespace fs = std::filesystem;

// A few of each category, without duplicates, and the adjoints of the first; and kernels of literals.
std::vector<Candidate> drawn_of_each(int each, std::uint64_t seed) {
    std::vector<Candidate> made;
    std::set<std::string> seen;
    for (int k = 0; k < each * categories; ++k) {
        Candidate one = generate(static_cast<Category>(k % categories), seed, static_cast<std::uint64_t>(k));
        if (!seen.insert(one.canonical).second) continue;
        Backward backward = adjoint_of(one.tree);
        made.push_back(one);
        if (k >= categories || !backward.reason.empty()) continue;
        one.tree = std::move(backward.tree);
        made.push_back(std::move(one));
    }
    for (const Type type : {Type::f32, Type::f64, Type::i32, Type::u32, Type::i64, Type::u64})
        made.push_back(kernel_of_literals(type));
    return made;
}

class Compiled : public testing::Test {
  protected:
    void SetUp() override {
        m_folder = fs::path(testing::TempDir()) / ("synth-" + std::to_string(::getpid()));
        fs::create_directories(m_folder);
    }
    void TearDown() override { fs::remove_all(m_folder); }
    std::string path(const char* name) const { return (m_folder / name).string(); }

    fs::path m_folder;
};

// A function of pointers to the arguments, which calls the kernel's.
std::string entry(const Tree& tree) {
    std::string made = "extern \"C\" void run_" + tree.kernel.name + "(void** a) { " + tree.kernel.name + "(";
    for (std::size_t k = 0; k < tree.kernel.parameters.size(); ++k) {
        const Symbol& p = tree.symbols[tree.kernel.parameters[k]];
        const std::string type(info(p.type).spelling), at = "a[" + std::to_string(k) + "]";
        made +=
            (k ? ", " : "") + (is_array_parameter(p.kind) ? "(" + type + "*)" + at : "*(" + type + "*)" + at);
    }
    return made + "); }\n";
}

TEST_F(Compiled, TheHostsSourceGivesTheInterpretersBits) {
    const auto kernels = drawn_of_each(3, 21);
    std::vector<std::string> sources;
    for (const Candidate& one : kernels) sources.push_back(print_cpp(one.tree) + entry(one.tree));
    std::ofstream(path("host.cpp")) << join_sources(sources);
    const std::string command = std::string(IIR2D_HOST_COMPILER) +
                                " -O1 -ffp-contract=off -fno-builtin -fno-math-errno -fPIC -shared -o " +
                                path("host.so") + " " + path("host.cpp");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    void* const library = dlopen(path("host.so").c_str(), RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    int sets = 0;
    for (const Candidate& one : kernels) {
        const Expectation wanted = expect(one.tree, one.canonical);
        ASSERT_EQ(wanted.error, "") << print_cpp(one.tree);
        const auto run =
            reinterpret_cast<void (*)(void**)>(dlsym(library, ("run_" + one.tree.kernel.name).c_str()));
        ASSERT_NE(run, nullptr);
        for (const ExpectedSet& set : wanted.expected.sets) {
            std::vector<std::vector<std::byte>> memory;
            std::vector<void*> arguments;
            for (const Argument& argument : set.inputs) memory.push_back(bytes_of(argument));
            for (auto& bytes : memory) arguments.push_back(bytes.data());
            run(arguments.data());
            std::vector<Argument> got = set.inputs;
            for (std::size_t k = 0; k < got.size(); ++k) take_bytes(got[k], memory[k].data());
            const Agreement agreement = agree(one.tree, set.outputs, got, true);
            EXPECT_FALSE(agreement.first) << agreement.first->text() << "\n" << print_cpp(one.tree);
            ++sets;
        }
    }
    EXPECT_GT(sets, 100);
    dlclose(library);
}

#ifdef IIR2D_SYNTH_NVCC
TEST_F(Compiled, CudasSourceGivesWhatIsExpectedWithinTheBounds) {
    const auto kernels = drawn_of_each(3, 22);
    std::vector<std::string> sources;
    for (const Candidate& one : kernels) sources.push_back(print_cuda(one.tree));
    std::ofstream(path("kernels.cu")) << join_sources(sources);
    const std::string command = std::string(IIR2D_SYNTH_NVCC) +
                                " -std=c++17 --fmad=false -arch=compute_75 -ptx -o " + path("kernels.ptx") +
                                " " + path("kernels.cu");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream file(path("kernels.ptx"));
    const auto module = workbench::ptx::Module::parse({std::istreambuf_iterator<char>(file), {}});
    ASSERT_TRUE(module) << module.error().message;
    for (const Candidate& one : kernels) {
        const Expectation wanted = expect(one.tree, one.canonical);
        ASSERT_EQ(wanted.error, "") << print_cuda(one.tree);
        for (const ExpectedSet& set : wanted.expected.sets) {
            workbench::ptx::Memory memory;
            std::vector<std::byte> parameters;
            std::vector<std::uint64_t> addresses;
            for (std::size_t k = 0; k < set.inputs.size(); ++k) {
                std::vector<std::byte> bytes = bytes_of(set.inputs[k]);
                std::uint64_t address = 0;
                if (is_array_parameter(one.tree.symbols[one.tree.kernel.parameters[k]].kind)) {
                    address = memory.allocate(bytes.size());
                    std::memcpy(memory.bytes(address, bytes.size()).data(), bytes.data(), bytes.size());
                    memory.mark_written(address, bytes.size());
                    bytes.resize(sizeof address);
                    std::memcpy(bytes.data(), &address, sizeof address);
                }
                while (parameters.size() % bytes.size()) parameters.push_back({});
                parameters.insert(parameters.end(), bytes.begin(), bytes.end());
                addresses.push_back(address);
            }
            const auto outcome = workbench::ptx::run(*module,
                                                     {.kernel = one.tree.kernel.name,
                                                      .grid = {launch_blocks, 1, 1},
                                                      .block = {block_threads, 1, 1},
                                                      .parameters = parameters},
                                                     memory);
            ASSERT_TRUE(outcome) << outcome.error().message;
            EXPECT_EQ(outcome->findings_total, 0U) << outcome->findings[0].message << "\n"
                                                   << print_cuda(one.tree);
            std::vector<Argument> got = set.inputs;
            for (std::size_t k = 0; k < got.size(); ++k) {
                if (addresses[k])
                    take_bytes(got[k], memory.bytes(addresses[k], bytes_of(got[k]).size()).data());
            }
            const Agreement agreement = agree(one.tree, set.outputs, got, false);
            EXPECT_FALSE(agreement.first) << agreement.first->text() << "\n" << print_cuda(one.tree);
        }
    }
}
#endif

TEST(Agreement, SeesOneBit) {
    const Candidate one = generate(Category::arithmetic, 1, 0);
    const Expectation wanted = expect(one.tree, one.canonical);
    ASSERT_EQ(wanted.error, "");
    std::vector<Argument> got = wanted.expected.sets[0].outputs;
    EXPECT_FALSE(agree(one.tree, wanted.expected.sets[0].outputs, got, false).first);
    for (std::size_t k = 0; k < got.size(); ++k) {
        if (one.tree.symbols[one.tree.kernel.parameters[k]].kind == SymbolKind::output) got[k].slots[17] ^= 1;
    }
    const Agreement agreement = agree(one.tree, wanted.expected.sets[0].outputs, got, false);
    ASSERT_TRUE(agreement.first);
    EXPECT_EQ(agreement.first->element, 17U);
}

// A record holds it, and JSON has no infinity.
TEST(Agreement, UnitsBesideZeroStayANumber) {
    const Tree tree = kernel("out[i] = x[i];", "double");
    std::vector<Argument> expected(tree.kernel.parameters.size()), got = expected;
    expected[1] = numbers(Type::f64, {0.0});
    expected[1].extra = {1.0};
    got[1] = numbers(Type::f64, {1.0});
    const Agreement agreement = agree(tree, expected, got, false);
    EXPECT_FALSE(agreement.first);
    EXPECT_EQ(agreement.max_ulp, std::numeric_limits<double>::max());
    EXPECT_EQ(agreement.worst_of_bound, 1.0);
}

}  // namespace
