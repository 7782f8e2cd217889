// SPDX-License-Identifier: MIT
#include "core/compile/extract.h"

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/ptx/ptx.h"
#include "core/support/escaped.h"
#include "core/support/listed.h"
#include "core/support/try.h"

namespace workbench::compile {

namespace {

// How a kernel may be named, the most exact way first: whole, with its arguments, without them, without those
// of its template, and both of these without what it lies in.
std::vector<std::string> ways_to_name(const std::string& symbol) {
    const std::string whole = readable(symbol);
    // Brackets in front of `at`, from the left.
    const auto depth = [&](std::size_t at) {
        return std::ranges::count_if(whole.substr(0, at), [](char c) { return c == '(' || c == '<'; }) -
               std::ranges::count_if(whole.substr(0, at), [](char c) { return c == ')' || c == '>'; });
    };
    const auto last = [&](char c, std::size_t end) {  // outside of brackets
        for (std::size_t at = end; at-- > 0;) {
            if (whole[at] == c && depth(at) == 0) return at;
        }
        return std::string::npos;
    };
    const std::size_t arguments = whole.ends_with(')') ? last('(', whole.size()) : whole.size();
    const std::size_t type = last(' ', arguments);  // that it returns: of a template only
    const std::size_t begin = type == std::string::npos ? 0 : type + 1;
    const std::size_t angle = whole[arguments - 1] == '>' ? last('<', arguments) : arguments;
    const std::size_t colon = last(':', angle);
    const std::size_t own = colon == std::string::npos || colon < begin ? begin : colon + 1;
    return {whole,
            whole.substr(begin),
            whole.substr(begin, arguments - begin),
            whole.substr(begin, angle - begin),
            whole.substr(own, arguments - own),
            whole.substr(own, angle - own)};
}

// The symbol that is meant: one of this very name, or the only one that is named so.
Result<std::string> find_kernel(const std::vector<KernelText>& kernels, const std::string& wanted) {
    std::vector<std::string> found;
    std::size_t best = std::string::npos;
    for (const KernelText& one : kernels) {
        if (one.kernel == wanted) return wanted;
        const auto ways = ways_to_name(one.kernel);
        const auto way = static_cast<std::size_t>(std::ranges::find(ways, wanted) - ways.begin());
        if (way == ways.size() || way > best) continue;
        if (way < best) found.clear();
        best = way;
        found.push_back(one.kernel);
    }
    if (found.size() == 1) return found.front();
    const auto names = [](const std::vector<std::string>& symbols) {
        return joined(symbols, ", ", [](const std::string& s) { return escaped(readable(s)); });
    };
    if (!found.empty())
        return fail(ErrorKind::bad_argument, "--kernel " + escaped(wanted) + " is one of several: " +
                                                 names(found) + "; name it with its arguments");
    std::vector<std::string> all;
    for (const KernelText& one : kernels) all.push_back(one.kernel);
    return fail(ErrorKind::bad_argument, "there is no kernel \"" + escaped(wanted) + "\"; there " +
                                             (all.empty()       ? "is none"
                                              : all.size() == 1 ? "is " + names(all)
                                                                : "are " + names(all)));
}

// Of default targets those that take CUDA; a named one must be there.
Result<std::vector<TargetState>> choose(const std::vector<TargetState>& all, const ExtractRequest& request,
                                        std::vector<std::string>& unavailable) {
    std::vector<TargetState> made;
    const auto find = [&](const std::string& name) {
        return std::ranges::find(all, name, &TargetState::target);
    };
    for (const std::string& name : request.targets) {
        const auto state = find(name);
        if (state == all.end())
            return fail(ErrorKind::bad_argument, "--targets: there is no target \"" + escaped(name) +
                                                     "\"; iir2d synth targets lists them");
        if (!state->is_available)
            return fail(ErrorKind::device_failure,
                        "the target " + name + " is not available: " + state->reason);
        if (!takes_cuda(name))
            return fail(ErrorKind::bad_argument,
                        "--targets: " + name +
                            " takes the host's source, which is printed of kernels of the language alone");
        made.push_back(*state);
    }
    if (!request.targets.empty()) return made;
    for (const std::string& name : default_targets()) {
        const auto state = find(name);
        if (!takes_cuda(name) || state == all.end()) continue;
        if (state->is_available)
            made.push_back(*state);
        else
            unavailable.push_back(name + ": " + state->reason);
    }
    if (made.empty())
        return fail(ErrorKind::device_failure, "there is no compiler: " + joined(unavailable, "; "));
    return made;
}

void add_parameters(Extracted& made, const std::string& ptx) {
    const auto module = ptx::Module::parse(ptx);
    const ptx::EntryInfo* entry = module ? module->entry(made.symbol) : nullptr;
    if (entry == nullptr) return;
    for (const ptx::ParameterInfo& one : entry->parameters)
        made.parameters.push_back({.name = one.name, .type = one.type, .bytes = one.bytes});
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "FILE:LINE: what" of a line of a log that is an error: NVRTC's "FILE(LINE): [catastrophic ]error: what" and
// Clang's "FILE:LINE:COLUMN: [fatal ]error: what".
std::optional<std::string> error_in(const std::string& line) {
    constexpr std::string_view mark = "error: ";
    for (std::size_t at = line.find(mark); at != std::string::npos; at = line.find(mark, at + 1)) {
        std::string_view head = std::string_view(line).substr(0, at);
        for (const std::string_view grade : {"catastrophic ", "fatal "}) {
            if (head.ends_with(grade)) head.remove_suffix(grade.size());
        }
        if (!head.ends_with(": ")) continue;
        head.remove_suffix(2);
        const std::string what = ": " + line.substr(at + mark.size());
        const std::size_t open = head.rfind('(');
        if (head.ends_with(')') && open != std::string_view::npos &&
            is_number(head.substr(open + 1, head.size() - open - 2)))
            return std::string(head.substr(0, open)) + ":" +
                   std::string(head.substr(open + 1, head.size() - open - 2)) + what;
        if (is_number(head.substr(head.rfind(':') + 1))) return std::string(head) + what;
    }
    return std::nullopt;
}

}  // namespace

std::string readable(const std::string& symbol) {
    // A name such as "a" or "b" is read as a type's: "signed char", "bool".
    if (!symbol.starts_with("_Z")) return symbol;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : symbol;
}

Result<Compiled> compile_one(Compiler& compiler, const std::string& target, const Source& source,
                             const CompileOptions& options, const std::stop_token& stop) {
    auto made = compiler.compile(target, std::span(&source, 1), options, stop);
    if (!made && compiler.was_late())
        return fail(ErrorKind::bad_input, escaped(source.name) + ": " + made.error().message);
    if (!made) return std::unexpected(made.error());
    Compiled& one = made->front();
    if (one.end == Compiled::End::made) return std::move(one);
    return fail(ErrorKind::bad_input, one.end == Compiled::End::compiler_died
                                          ? escaped(source.name) + ": " + one.message
                                          : first_error(one.message, source.name));
}

std::string first_error(const std::string& log, const std::string& file) {
    std::size_t at = 0;
    std::string first;
    while (at < log.size()) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        const std::string line = log.substr(at, end - at);
        at = end + 1;
        if (line.empty()) continue;
        if (first.empty()) first = line;
        if (const auto error = error_in(line)) return escaped(*error, 1000);
    }
    return escaped(file) + ": " + (first.empty() ? "does not compile" : escaped(first, 1000));
}

Result<Extracted> extract(Compiler& compiler, const ExtractRequest& request, const std::stop_token& stop) {
    Extracted made;
    // A compiler would take what is before it for the whole.
    if (request.text.find('\0') != std::string::npos)
        return fail(ErrorKind::bad_input, escaped(request.file) + " is not text: it has a byte 0");
    IIR2D_TRY(const auto all, compiler.targets(stop));
    IIR2D_TRY(const auto targets, choose(all, request, made.unavailable));
    CompileOptions options{.include_folders = {},
                           .definitions = request.definitions,
                           .with_lines = false,
                           .is_minimal = false,
                           .patience = patience_of_extract};
    const std::filesystem::path folder = std::filesystem::path(request.file).parent_path();
    options.include_folders.push_back(folder.empty() ? "." : folder.string());
    options.include_folders.insert(options.include_folders.end(), request.include_folders.begin(),
                                   request.include_folders.end());
    Source source{.text = request.text, .name = request.file, .kernels = {}};
    made.deadline = std::chrono::steady_clock::now() + patience_of_extract;
    const auto left = [&] {
        return std::max(std::chrono::milliseconds(1), std::chrono::duration_cast<std::chrono::milliseconds>(
                                                          made.deadline - std::chrono::steady_clock::now()));
    };
    for (const TargetState& target : targets) {
        options.patience = left();
        auto compiled = compile_one(compiler, target.target, source, options, stop);
        if (!compiled) return std::unexpected(compiled.error());
        if (made.symbol.empty()) {
            IIR2D_TRY(made.symbol, find_kernel(compiled->kernels, request.kernel));
        }
        const auto text = std::ranges::find(compiled->kernels, made.symbol, &KernelText::kernel);
        if (text == compiled->kernels.end())
            return fail(ErrorKind::bad_input,
                        escaped(source.name) + ": " + target.target + " made no kernel " + made.symbol);
        ExtractedIr ir{.target = target.target, .compiler = target.version, .text = text->text, .lines = {}};
        source.kernels = {made.symbol};
        if (request.with_lines && !target.target.starts_with("cubin")) {
            CompileOptions with_lines = options;
            with_lines.with_lines = true;
            with_lines.patience = left();
            IIR2D_TRY(const Compiled marked, compile_one(compiler, target.target, source, with_lines, stop));
            if (!marked.kernels.empty() && marked.kernels.front().text == ir.text)
                ir.lines = marked.kernels.front().lines;
        }
        if (made.parameters.empty() && makes_ptx(target.target)) add_parameters(made, ir.text);
        made.ir.push_back(std::move(ir));
    }
    return made;
}

}  // namespace workbench::compile
