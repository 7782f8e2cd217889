// SPDX-License-Identifier: MIT
// The command line program: arguments in, exit code out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "app/iir2d/evidence.h"
#include "app/iir2d/options.h"
#include "core/support/package.h"
#include "core/tune/use.h"

#if defined(__GLIBC__)
#include <execinfo.h>
#endif

namespace {

constexpr const char* has_empty_value = " has an empty value: give one, or leave it out";

// CLI11's sentence in our words, where they are terse.
std::string sentence_of(const CLI::ParseError& error) {
    std::string text = error.what();
    // It puts the name before what a check returned.
    if (const auto at = text.find(": "); at != std::string::npos && text.ends_with(has_empty_value))
        return text.substr(at + 2);
    if (text == "The following argument was not expected: ") return "an empty argument was not expected";
    const std::string option = text.substr(0, text.find(':'));
    if (text.find(": At Most 1 required") != std::string::npos) return option + " is given more than once";
    if (text.find(": 1 required") != std::string::npos && text.ends_with(" missing"))
        return option + " needs a value";
    if (text == "A subcommand is required") return "a command is required";
    return text;
}

// An empty value is refused wherever one can be given: it would read as if the option were not there, and a
// check that was asked for would not be made. For an option whose help says what empty means, leave it out
// here.
void refuse_empty_values(CLI::App& parser) {
    for (CLI::Option* option : parser.get_options()) {
        if (option->get_items_expected_max() == 0) continue;  // a flag
        const std::string name = option->get_name();
        // Before the option's own checks, whose sentences would be about a value.
        option->transform(CLI::Validator(
            [name](std::string& text) { return text.empty() ? name + has_empty_value : std::string(); }, ""));
    }
    for (CLI::App* command : parser.get_subcommands({})) refuse_empty_values(*command);
}

// "--name=", which CLI11 reads as if the next argument were the value.
std::optional<std::string> option_without_value(const std::vector<std::string>& arguments) {
    for (const std::string& text : arguments) {
        if (text == "--") break;
        if (text.starts_with("--") && text.find('=') == text.size() - 1)
            return text.substr(0, text.size() - 1) + has_empty_value;
    }
    return std::nullopt;
}

// CLI11 only says that a command is missing.
std::optional<std::string> unknown_command(const CLI::App& parser, std::span<const std::string> arguments) {
    const auto word =
        std::ranges::find_if(arguments, [](const std::string& text) { return !text.starts_with('-'); });
    if (word == arguments.end()) return std::nullopt;
    const auto named =
        parser.get_subcommands([&](const CLI::App* command) { return command->get_name() == *word; });
    if (named.empty()) return "\"" + *word + "\" is not a command";
    // A command of a command stands right behind it.
    const auto next = word + 1;
    if (named.front()->get_subcommands({}).empty() || next == arguments.end() || next->starts_with('-'))
        return std::nullopt;
    return unknown_command(*named.front(), {next, arguments.end()});
}

// glibc looks for what unwinds its own frames (std::call_once has one) when an exception first passes one,
// and aborts when there is no memory left to find it with: found now, it is found.
void prepare_unwinding() {
#if defined(__GLIBC__)
    void* frame = nullptr;
    static_cast<void>(backtrace(&frame, 1));
#endif
}

int run(int argc, char** argv) {
    CLI::App parser(
        "Recursive (IIR) filters and pooling on images, with evidence.\n"
        "Exit codes: 0 done, 2 bad argument, 3 bad input, 4 device failure, 5 a check failed,\n"
        "6 the output could not be written, 130 interrupted.",
        "iir2d");
    parser.set_version_flag("--version", workbench::version_text("iir2d"));
    parser.require_subcommand(1);
    // Commands of commands take this from the parser: "/folder/file" is a file on Windows too.
    parser.allow_windows_style_options(false);
    parser.option_defaults()->always_capture_default(false);
    app::Action chosen;
    app::add_filter_command(parser, chosen);
    app::add_pool_command(parser, chosen);
    app::add_run_command(parser, chosen);
    app::add_batch_command(parser, chosen);
    app::add_info_command(parser, chosen);
    app::add_compare_command(parser, chosen);
    app::add_devices_command(parser, chosen);
    app::add_bench_command(parser, chosen);
    app::add_parity_command(parser, chosen);
    app::add_verify_command(parser, chosen);
    app::add_compare_records_command(parser, chosen);
    app::add_duel_command(parser, chosen);
    app::add_key_command(parser, chosen);
    app::add_history_command(parser, chosen);
    app::add_ptx_command(parser, chosen);
    app::add_release_command(parser, chosen);
    app::add_reproduce_command(parser, chosen);
    app::add_solve_command(parser, chosen);
#ifdef IIR2D_HAS_SYNTH
    app::add_synth_command(parser, chosen);
#endif
    app::add_tune_command(parser, chosen);
    app::add_completion_command(parser, chosen);
    app::add_man_command(parser, chosen);

    refuse_empty_values(parser);

    auto arguments = app::with_hyphens(argc, argv);
    constexpr const char* hint = " (iir2d --help lists commands and options)";
    if (const auto wrong = option_without_value(arguments))
        return app::report({workbench::ErrorKind::bad_argument, *wrong + hint});
    const auto unknown = unknown_command(parser, arguments);
    std::ranges::reverse(arguments);  // CLI11 takes them from the back
    try {
        parser.parse(arguments);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {  // --help, --version
            std::ostringstream text;
            parser.exit(error, text, text);
            app::print_text(text.str());
            return 0;
        }
        return app::report({workbench::ErrorKind::bad_argument, unknown.value_or(sentence_of(error)) + hint});
    }
    // Gone before anything is reported: it may end the program with a report of its own.
    auto interruption = std::make_unique<app::Interruption>();
    const auto code = chosen(*interruption);
    interruption.reset();
    workbench::tune::keep_use();
    return code ? *code : app::report(code.error());
}

}  // namespace

int main(int argc, char** argv) {
    prepare_unwinding();
    app::prepare_standard_streams();
    try {
        const int code = run(argc, argv);
        // A full disk or a closed pipe behind stdout is a failed output, not a success. Another failure has
        // been reported already.
        const auto written = app::finish_standard_output();
        return written || code != 0 ? code : app::report(written.error());
    } catch (const std::bad_alloc&) {
        return app::report({workbench::ErrorKind::device_failure, "there is not enough memory for this job"});
    } catch (const std::exception& error) {
        return app::report(
            {workbench::ErrorKind::device_failure, std::string("unexpected failure: ") + error.what()});
    }
}
