// SPDX-License-Identifier: MIT
// Data sets of few kernels, compiled by the host's compiler; the stored text is their source.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>

#include "core/support/files.h"
#include "core/synth/data_set.h"
#include "tests/core/synth/synth_testing.h"

namespace synth_test {

namespace fs = std::filesystem;
using workbench::Result;

// Returns the sources as what a compiler made of them.
inline std::vector<KernelText> texts_as_given(const std::vector<KernelSource>& sources) {
    std::vector<KernelText> made;
    for (const KernelSource& source : sources) made.push_back({source.text, "", false});
    return made;
}

class HostCompiler : public Toolchain {
  public:
    explicit HostCompiler(fs::path folder) : m_folder(std::move(folder)) { fs::create_directories(m_folder); }

    Result<std::vector<KernelText>> compile(const Target&,
                                            const std::vector<KernelSource>& sources) override {
        return texts_as_given(sources);
    }

    Result<std::vector<std::string>> run(const Target&, std::vector<Execution>& runs) override {
        std::vector<std::string> texts;
        for (const Execution& one : runs) texts.push_back(*one.text);
        void* const library = compiled(join_sources(texts));
        for (Execution& one : runs) {
            const void* const kernel = dlsym(library, one.tree->kernel.name.c_str());
            EXPECT_NE(kernel, nullptr);
            for (auto& set : one.sets) call(kernel, *one.tree, set);
            if (wrong && ++asked == wrong) flip(*one.tree, one.sets[0]);
        }
        return std::vector<std::string>(runs.size());
    }

    static inline std::atomic<int> wrong = 0, asked = 0;  // the run whose result is changed; 0: none

  protected:
    // Changes bits of the first element of each output.
    static void flip(const Tree& tree, std::vector<Argument>& set, std::uint64_t bits = 1) {
        for (std::size_t k = 0; k < set.size(); ++k) {
            if (is_written(tree.symbols[tree.kernel.parameters[k]].kind)) set[k].slots[0] ^= bits;
        }
    }

  private:
    // Runs of one seed ask for the same batches.
    void* compiled(const std::string& joined) const {
        static std::map<std::string, void*> libraries;
        static std::mutex mutex;
        const std::lock_guard lock(mutex);
        void*& library = libraries[joined];
        if (!library) {
            const std::string base = (m_folder / std::to_string(libraries.size())).string();
            std::ofstream(base + ".cpp") << joined;
            const std::string command = std::string(IIR2D_HOST_COMPILER) +
                                        " -w -O0 -ffp-contract=off -fPIC -shared -o " + base + ".so " + base +
                                        ".cpp";
            EXPECT_EQ(std::system(command.c_str()), 0);
            library = dlopen((base + ".so").c_str(), RTLD_NOW);
        }
        return library;
    }

    // Kernels of pointers and whole numbers alone are called by their registers.
    static void call(const void* kernel, const Tree& tree, std::vector<Argument>& set) {
        std::vector<std::vector<std::byte>> memory;
        std::vector<std::uint64_t> words;
        for (std::size_t k = 0; k < set.size(); ++k) {
            memory.push_back(bytes_of(set[k]));
            const bool is_pointer = is_array_parameter(tree.symbols[tree.kernel.parameters[k]].kind);
            words.push_back(is_pointer ? reinterpret_cast<std::uint64_t>(memory.back().data())
                                       : set[k].slots[0]);
        }
        words.resize(8, 0);
        std::uint64_t floats[8] = {};
        std::size_t next = 0;
        std::vector<std::uint64_t> whole;
        for (std::size_t k = 0; k < set.size(); ++k) {
            if (!is_array_parameter(tree.symbols[tree.kernel.parameters[k]].kind) && is_float(set[k].type))
                floats[next++] = words[k];
            else
                whole.push_back(words[k]);
        }
        whole.resize(8, 0);
        double f[8];
        std::memcpy(f, floats, sizeof f);
        using Word = std::uint64_t;
        using Call = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, double, double, double, double);
        reinterpret_cast<Call>(const_cast<void*>(kernel))(whole[0], whole[1], whole[2], whole[3], whole[4],
                                                          whole[5], whole[6], whole[7], f[0], f[1], f[2],
                                                          f[3]);
        for (std::size_t k = 0; k < set.size(); ++k) take_bytes(set[k], memory[k].data());
    }

    fs::path m_folder;
};

// Gives what the interpreter gives: of a run that is killed, the files matter.
class InterpreterToolchain : public Toolchain {
  public:
    // After so many runs it gives nothing more and waits.
    explicit InterpreterToolchain(int runs = std::numeric_limits<int>::max()) : m_runs(runs) {}
    Result<std::vector<KernelText>> compile(const Target&,
                                            const std::vector<KernelSource>& sources) override {
        return texts_as_given(sources);
    }
    Result<std::vector<std::string>> run(const Target&, std::vector<Execution>& runs) override {
        while (m_runs == 0) ::pause();
        --m_runs;
        for (Execution& one : runs) {
            for (auto& set : one.sets) interpret(*one.tree, set);
        }
        return std::vector<std::string>(runs.size());
    }

  private:
    int m_runs;
};

class DataSet : public testing::Test {
  protected:
    void SetUp() override {
        m_folder = fs::path(testing::TempDir()) / ("synth-set-" + std::to_string(::getpid()));
        fs::remove_all(m_folder);
        HostCompiler::wrong = HostCompiler::asked = 0;
    }
    void TearDown() override { fs::remove_all(m_folder); }

    GenerateOptions options(const std::string& name) const {
        GenerateOptions made{.folder = m_folder / name, .count = 30, .seed = 5, .shard = 8};
        made.judge.targets = {target_named("llvm-host-test")};
        return made;
    }
    Result<GenerateProgress> generate_it(const GenerateOptions& options) {
        return generate_data_set(options, [this]() -> Result<std::unique_ptr<Toolchain>> {
            return std::make_unique<HostCompiler>(m_folder / ("tools" + std::to_string(++m_made)));
        });
    }
    static std::map<std::string, std::string> contents(const fs::path& folder) {
        std::map<std::string, std::string> made;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file())
                made[fs::relative(entry.path(), folder).string()] = *workbench::read_file(entry.path());
        }
        return made;
    }

    fs::path m_folder;
    int m_made = 0;
};

}  // namespace synth_test
