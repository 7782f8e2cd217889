// SPDX-License-Identifier: MIT
#include "core/compile/compiler.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/compile/process.h"
#include "core/compile/wire.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench::compile {

namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto patience_of_questions = 60s;

std::string as_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Sources, paths and definitions go as they are, whatever their bytes are.
Json json_of(const std::vector<std::string>& all, Parcel& parcel) {
    Json made = Json::array();
    for (const std::string& one : all) made.push_back(parcel.put(one));
    return made;
}

Json json_of(const Source& source, Parcel& parcel) {
    return {
        {"text", parcel.put(source.text)}, {"name", parcel.put(source.name)}, {"kernels", source.kernels}};
}

Json json_of(const HostRun& run, Parcel& parcel) {
    Json sets = Json::array();
    for (const auto& set : run.sets) {
        Json arguments = Json::array();
        for (const Argument& argument : set)
            arguments.push_back({{"bytes", parcel.put(argument.bytes)},
                                 {"array", argument.is_array},
                                 {"output", argument.is_output}});
        sets.push_back(std::move(arguments));
    }
    return {{"text", parcel.put(run.text)}, {"kernel", run.kernel}, {"sets", std::move(sets)}};
}

// What an answer points to. A process that was overwritten may point anywhere.
std::string_view piece_in(std::string_view bytes, const Json& place) {
    const auto piece = piece_of(bytes, place.get<Parcel::Place>());
    if (!piece) throw Json::other_error::create(501, "a place beyond the answer", nullptr);
    return *piece;
}

// Texts as JSON can have them.
std::string text_in(std::string_view bytes, const Json& place) {
    const std::string_view text = piece_in(bytes, place);
    return is_utf8(text) ? std::string(text) : printable_utf8(text);
}

Compiled compiled_of(const Json& json, std::string_view bytes) {
    Compiled made;
    if (json.contains("error")) {
        made.end = Compiled::End::compiler_error;
        made.message = json["error"].get<std::string>();
        return made;
    }
    for (const Json& kernel : json.at("kernels")) {
        KernelText text{.kernel = kernel.at("kernel").get<std::string>(),
                        .text = text_in(bytes, kernel.at("text")),
                        .lines = {}};
        if (kernel.contains("lines")) text.lines = kernel["lines"].get<std::vector<std::pair<int, int>>>();
        made.kernels.push_back(std::move(text));
    }
    return made;
}

HostResult host_result_of(const Json& json, std::string_view bytes) {
    HostResult made;
    if (json.contains("error")) {
        made.error = json["error"].get<std::string>();
        return made;
    }
    for (const Json& set : json.at("sets")) {
        auto& outputs = made.outputs.emplace_back();
        for (const Json& output : set) {
            const std::string_view piece = piece_in(bytes, output);
            const auto* begin = reinterpret_cast<const std::byte*>(piece.data());
            outputs.emplace_back(begin, begin + piece.size());
        }
    }
    return made;
}

// The process is of this build, but it may have been overwritten by what it was given.
template <class Read>
auto guarded(Read read) -> decltype(read()) {
    try {
        return read();
    } catch (const Json::exception& error) {
        return fail(ErrorKind::device_failure,
                    std::string("the compiler process answered what is not understood: ") + error.what());
    }
}

}  // namespace

struct Compiler::State {
    std::unique_ptr<Process> process;

    // Absent: the process died, and `died` says how.
    Result<std::optional<Json>> ask(Json question, const Parcel& parcel, std::chrono::milliseconds patience,
                                    const std::stop_token& stop);
    template <class Item, class Made>
    Result<void> ask_halving(std::span<const Item> items, std::span<Made> made,
                             const std::function<Json(std::span<const Item>, Parcel&)>& question,
                             const std::function<Made(const Json&, std::string_view)>& read,
                             const std::function<Made(const std::string&)>& dead,
                             std::chrono::milliseconds patience, const std::stop_token& stop);
    std::string died;
    Clock::time_point deadline = Clock::time_point::max();  // of every question
    bool was_late = false;
    bool was_fresh = true;    // the process that was asked last: nothing had been asked of it before
    std::int64_t number = 0;  // of the last question
    std::string answer;       // the last one, and what of it is pointed into
    std::string_view bytes;
};

Result<std::optional<Json>> Compiler::State::ask(Json question, const Parcel& parcel,
                                                 std::chrono::milliseconds patience,
                                                 const std::stop_token& stop) {
    was_late = false;
    was_fresh = !process;
    if (!process) {
        IIR2D_TRY(process, Process::start());
    }
    question["id"] = ++number;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    patience = std::min(patience, std::max<std::chrono::milliseconds>(left, 1ms));
    auto given = process->ask(framed(as_text(question), parcel.bytes()), patience, stop);
    if (!given) {
        process.reset();
        died = given.error().what;
        switch (given.error().why) {
            case NoAnswer::Why::cancelled:
                return fail(ErrorKind::cancelled, "cancelled");
            case NoAnswer::Why::late:
                was_late = true;
                return fail(ErrorKind::device_failure, "the compiler " + died + ", its limit, and was ended");
            case NoAnswer::Why::died:
                return std::optional<Json>();
        }
    }
    answer = *std::move(given);
    const auto message = unframed(answer);
    Json json = Json::parse(message ? message->json : std::string_view(), nullptr, false);
    bytes = message ? message->bytes : std::string_view();
    if (json.is_discarded() || !json.is_object()) {
        process.reset();
        died = "answered what is no JSON";
        return std::optional<Json>();
    }
    return guarded([&]() -> Result<std::optional<Json>> {
        if (json.at("id") != number) {
            process.reset();
            died = "answered another question";
            return std::optional<Json>();
        }
        if (json.contains("refused"))
            return fail(ErrorKind::device_failure, json["refused"].get<std::string>());
        return std::optional<Json>(std::move(json));
    });
}

template <class Item, class Made>
Result<void> Compiler::State::ask_halving(std::span<const Item> items, std::span<Made> made,
                                          const std::function<Json(std::span<const Item>, Parcel&)>& question,
                                          const std::function<Made(const Json&, std::string_view)>& read,
                                          const std::function<Made(const std::string&)>& dead,
                                          std::chrono::milliseconds patience, const std::stop_token& stop) {
    if (items.empty()) return {};
    Parcel parcel;
    Json asked = question(items, parcel);
    IIR2D_TRY(const std::optional<Json> made_of, ask(std::move(asked), parcel, patience, stop));
    if (made_of) {
        return guarded([&]() -> Result<void> {
            const Json& parts = made_of->at("items");
            if (parts.size() != items.size())
                return fail(ErrorKind::device_failure, "the compiler process answered for other sources");
            for (std::size_t k = 0; k < items.size(); ++k) made[k] = read(parts[k], bytes);
            return {};
        });
    }
    if (items.size() == 1) {
        // What an old process had been given before may have ended it.
        if (!was_fresh) return ask_halving(items, made, question, read, dead, patience, stop);
        made[0] = dead(died);
        return {};
    }
    const std::size_t half = items.size() / 2;
    IIR2D_RETURN_IF_ERROR(
        ask_halving(items.first(half), made.first(half), question, read, dead, patience, stop));
    return ask_halving(items.subspan(half), made.subspan(half), question, read, dead, patience, stop);
}

Compiler::Compiler() : m_state(std::make_unique<State>()) {}
Compiler::~Compiler() = default;
Compiler::Compiler(Compiler&&) noexcept = default;
Compiler& Compiler::operator=(Compiler&&) noexcept = default;

void Compiler::set_deadline(Clock::time_point deadline) {
    m_state->deadline = deadline;
}

bool Compiler::was_late() const {
    return m_state->was_late;
}

std::optional<int> Compiler::process_id() const {
    if (!m_state->process) return std::nullopt;
    return m_state->process->process_id();
}

Result<std::vector<TargetState>> Compiler::targets(const std::stop_token& stop) {
    const auto answer = m_state->ask({{"do", "targets"}}, {}, patience_of_questions, stop);
    if (!answer && answer.error().kind == ErrorKind::cancelled) return std::unexpected(answer.error());
    if (!answer || !*answer) {
        std::vector<TargetState> none;
        const std::string why = answer ? "the compiler process " + m_state->died : answer.error().message;
        for (const std::string& target : all_targets())
            none.push_back({.target = target,
                            .is_available = false,
                            .version = {},
                            .path = {},
                            .flags = {},
                            .reason = why,
                            .stored_reason = "there is no compiler process"});
        return none;
    }
    return guarded([&]() -> Result<std::vector<TargetState>> {
        std::vector<TargetState> made;
        for (const Json& one : (*answer)->at("targets"))
            made.push_back({.target = one.at("target"),
                            .is_available = one.at("available"),
                            .version = one.at("version"),
                            .path = one.at("path"),
                            .flags = one.at("flags"),
                            .reason = one.at("reason"),
                            .stored_reason = one.at("stored_reason")});
        return made;
    });
}

Result<std::vector<Compiled>> Compiler::compile(const std::string& target, std::span<const Source> sources,
                                                const CompileOptions& options, const std::stop_token& stop) {
    std::vector<Compiled> made(sources.size());
    const auto question = [&](std::span<const Source> some, Parcel& parcel) {
        Json json{{"do", "compile"},
                  {"target", target},
                  {"include", json_of(options.include_folders, parcel)},
                  {"define", json_of(options.definitions, parcel)},
                  {"lines", options.with_lines},
                  {"minimal", options.is_minimal},
                  {"sources", Json::array()}};
        for (const Source& source : some) json["sources"].push_back(json_of(source, parcel));
        return json;
    };
    const auto dead = [](const std::string& how) {
        return Compiled{.end = Compiled::End::compiler_died, .kernels = {}, .message = "the compiler " + how};
    };
    IIR2D_RETURN_IF_ERROR(m_state->ask_halving<Source, Compiled>(sources, made, question, compiled_of, dead,
                                                                 options.patience, stop));
    return made;
}

Result<Compiled> Compiler::assemble(const std::string& ptx, int sm, const std::stop_token& stop) {
    Parcel parcel;
    Json question{{"do", "assemble"}, {"sm", sm}, {"text", parcel.put(ptx)}};
    IIR2D_TRY(const auto answer, m_state->ask(std::move(question), parcel, patience_of_questions, stop));
    // What an old process had been given before may have ended it.
    if (!answer && !m_state->was_fresh) return assemble(ptx, sm, stop);
    if (!answer)
        return Compiled{
            .end = Compiled::End::compiler_died, .kernels = {}, .message = "the assembler " + m_state->died};
    return guarded([&]() -> Result<Compiled> { return compiled_of(*answer, m_state->bytes); });
}

Result<std::vector<HostResult>> Compiler::run_host(std::span<const HostRun> runs,
                                                   const std::stop_token& stop) {
    std::vector<HostResult> made(runs.size());
    const auto question = [](std::span<const HostRun> some, Parcel& parcel) {
        Json json{{"do", "run"}, {"runs", Json::array()}};
        for (const HostRun& run : some) json["runs"].push_back(json_of(run, parcel));
        return json;
    };
    const auto dead = [](const std::string& how) {
        return HostResult{.outputs = {}, .error = "the process " + how, .has_died = true};
    };
    IIR2D_RETURN_IF_ERROR(m_state->ask_halving<HostRun, HostResult>(runs, made, question, host_result_of,
                                                                    dead, CompileOptions{}.patience, stop));
    return made;
}

}  // namespace workbench::compile
