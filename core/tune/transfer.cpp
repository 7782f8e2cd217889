// SPDX-License-Identifier: MIT
#include "core/tune/transfer.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"

namespace workbench::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "iir2d-tune-measurements";
constexpr int format_version = 1;
// A sample takes 30 bytes or so; a collection of a thousand problems has a million of them.
constexpr JsonLimits limits{.bytes = std::size_t{1} << 28, .values = std::size_t{1} << 25, .depth = 16};

struct FigureName {
    const char* name;
    double Figures::*value;
    bool is_time = false;
};
constexpr FigureName figure_names[] = {{"op_ms_min", &Figures::op_ms_min, true},
                                       {"op_ms_p50", &Figures::op_ms_p50, true},
                                       {"op_ms_mad", &Figures::op_ms_mad},
                                       {"use_ms_p50", &Figures::use_ms_p50, true},
                                       {"ln_op", &Figures::ln_op},
                                       {"ln_use", &Figures::ln_use},
                                       {"ln_low", &Figures::ln_low},
                                       {"ln_high", &Figures::ln_high}};

std::string cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') quoted += c;
    }
    return quoted + "\"";
}

// The columns before and after the copy's.
std::string row_of(const MeasuredProblem& problem, std::size_t number, const Visit& visit,
                   const Measurement& one) {
    std::string row;
    const auto add = [&row](const std::string& text) { row += (row.empty() ? "" : ",") + text; };
    for (const std::string* text :
         {&problem.set, &problem.spec, &problem.key, &problem.family, &visit.machine, &visit.build})
        add(cell(*text));
    add(std::to_string(number));
    add(std::string(name_of(visit.state)));
    add(format_number(visit.parallel_ratio));
    add(cell(one.config));
    add(std::string(name_of(one.status)));
    add(cell(one.reason));
    add(std::to_string(one.samples.size()));
    add(std::to_string(one.marked()));
    const Measurement* const copy = visit.of(copy_text);
    add(copy != nullptr && copy->figures ? format_number(copy->figures->op_ms_p50) : "");
    for (const FigureName& figure : figure_names)
        add(one.figures ? format_number((*one.figures).*figure.value) : "");
    return row + "\n";
}

Json json_of(const Identity& one) {
    return {{"id", one.id}, {"json", one.json}};
}

Json json_of(const Measurement& one) {
    Json figures = nullptr;
    if (one.figures) {
        figures = Json::object();
        for (const FigureName& figure : figure_names) figures[figure.name] = (*one.figures).*figure.value;
    }
    Json samples = Json::array();
    for (const Sample& s : one.samples)
        samples.push_back({s.round, s.calls, s.op_ms, s.use_ms, s.marked ? 1 : 0});
    return {{"config", one.config},
            {"status", name_of(one.status)},
            {"reason", one.reason.empty() ? Json() : Json(one.reason)},
            {"figures", std::move(figures)},
            {"samples", std::move(samples)}};
}

Json json_of(const Visit& visit) {
    Json made{{"machine", visit.machine},
              {"build", visit.build},
              {"started_utc", visit.started_utc},
              {"seed", visit.seed},
              {"rounds", visit.rounds},
              {"parallel_ratio", visit.parallel_ratio},
              {"load1", visit.load1 ? Json(*visit.load1) : Json()},
              {"state", name_of(visit.state)},
              {"input_sha256", visit.input_sha256},
              {"output_sha256", visit.output_sha256},
              {"measurements", Json::array()}};
    for (const Measurement& one : visit.measurements) made["measurements"].push_back(json_of(one));
    return made;
}

// One line a measurement, so that a difference of two files is read.
void write_visit(const Visit& visit, std::string& text) {
    Json head = json_of(visit);
    head["measurements"] = Json::array();
    std::string line = head.dump(-1, ' ', false, Json::error_handler_t::replace);
    line.resize(line.size() - 2);  // "]}"
    text += "   " + line;
    for (std::size_t i = 0; i < visit.measurements.size(); ++i) {
        text += (i == 0 ? "\n    " : ",\n    ") +
                json_of(visit.measurements[i]).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    text += "]}";
}

// Reads members, with the first thing that is wrong.
class Member {
  public:
    Member(const nlohmann::json& json, std::string path) : m_json(json), m_path(std::move(path)) {}

    std::unexpected<Error> wrong(const std::string& why) const {
        return fail(ErrorKind::bad_input, "the JSON's " + m_path + " " + why);
    }
    Result<Member> at(const char* name) const {
        if (!m_json.is_object() || !m_json.contains(name))
            return fail(ErrorKind::bad_input, "the JSON's " + m_path + " has no " + name);
        return Member(m_json[name], m_path + "." + name);
    }
    Result<std::vector<Member>> items() const {
        if (!m_json.is_array()) return wrong("is not an array");
        std::vector<Member> all;
        all.reserve(m_json.size());
        for (std::size_t i = 0; i < m_json.size(); ++i)
            all.emplace_back(m_json[i], m_path + "[" + std::to_string(i) + "]");
        return all;
    }
    Result<std::string> text() const {
        if (!m_json.is_string()) return wrong("is not a text");
        return m_json.get<std::string>();
    }
    Result<double> number() const {
        if (!m_json.is_number()) return wrong("is not a number");
        const double value = m_json.get<double>();
        if (!std::isfinite(value)) return wrong("is not a number");
        return value;
    }
    Result<double> time() const {
        IIR2D_TRY(const double value, number());
        if (!(value > 0)) return wrong("is not above 0");
        return value;
    }
    Result<int> count(int least) const {
        if (!m_json.is_number_integer() || m_json < least || m_json > std::numeric_limits<int>::max())
            return wrong("is not a whole number from " + std::to_string(least) + " on");
        return m_json.get<int>();
    }
    Result<std::uint64_t> seed() const {
        if (!m_json.is_number_unsigned()) return wrong("is not a whole number from 0 on");
        return m_json.get<std::uint64_t>();
    }
    bool is_null() const { return m_json.is_null(); }

  private:
    const nlohmann::json& m_json;
    std::string m_path;
};

Result<std::string> text_at(const Member& member, const char* name) {
    IIR2D_TRY(const auto found, member.at(name));
    return found.text();
}

Result<Sample> sample_from(const Member& member) {
    IIR2D_TRY(const auto values, member.items());
    if (values.size() != 5) return member.wrong("has not five values");
    Sample sample;
    IIR2D_TRY(sample.round, values[0].count(1));
    IIR2D_TRY(sample.calls, values[1].count(1));
    IIR2D_TRY(sample.op_ms, values[2].time());
    IIR2D_TRY(sample.use_ms, values[3].time());
    IIR2D_TRY(const int marked, values[4].count(0));
    sample.marked = marked != 0;
    return sample;
}

Result<Measurement> measurement_from(const Member& member) {
    Measurement one;
    IIR2D_TRY(one.config, text_at(member, "config"));
    IIR2D_TRY(const auto status, text_at(member, "status"));
    const auto named_status = status_from_name(status);
    if (!named_status) return member.wrong("has the status \"" + escaped(status) + "\"");
    one.status = *named_status;
    IIR2D_TRY(const auto reason, member.at("reason"));
    if (!reason.is_null()) {
        IIR2D_TRY(one.reason, reason.text());
    }
    IIR2D_TRY(const auto figures, member.at("figures"));
    if (!figures.is_null()) {
        one.figures.emplace();
        for (const FigureName& figure : figure_names) {
            IIR2D_TRY(const auto value, figures.at(figure.name));
            IIR2D_TRY((*one.figures).*figure.value, figure.is_time ? value.time() : value.number());
        }
    }
    IIR2D_TRY(const auto samples, member.at("samples"));
    IIR2D_TRY(const auto all, samples.items());
    std::set<int> rounds;
    for (const Member& each : all) {
        IIR2D_TRY(one.samples.emplace_back(), sample_from(each));
        if (!rounds.insert(one.samples.back().round).second)
            return each.wrong("has a round that is there twice");
    }
    if (!one.samples.empty() && !one.figures) return member.wrong("has samples and no figures");
    return one;
}

Result<Visit> visit_from(const Member& member) {
    Visit visit;
    IIR2D_TRY(visit.machine, text_at(member, "machine"));
    IIR2D_TRY(visit.build, text_at(member, "build"));
    IIR2D_TRY(visit.started_utc, text_at(member, "started_utc"));
    IIR2D_TRY(visit.input_sha256, text_at(member, "input_sha256"));
    IIR2D_TRY(visit.output_sha256, text_at(member, "output_sha256"));
    IIR2D_TRY(const auto seed, member.at("seed"));
    IIR2D_TRY(visit.seed, seed.seed());
    IIR2D_TRY(const auto rounds, member.at("rounds"));
    IIR2D_TRY(visit.rounds, rounds.count(0));
    IIR2D_TRY(const auto ratio, member.at("parallel_ratio"));
    IIR2D_TRY(visit.parallel_ratio, ratio.time());
    IIR2D_TRY(const auto load, member.at("load1"));
    if (!load.is_null()) {
        IIR2D_TRY(visit.load1, load.number());
    }
    IIR2D_TRY(const auto state, text_at(member, "state"));
    const auto named_state = visit_state_from_name(state);
    if (!named_state) return member.wrong("has the state \"" + escaped(state) + "\"");
    visit.state = *named_state;
    IIR2D_TRY(const auto measurements, member.at("measurements"));
    IIR2D_TRY(const auto all, measurements.items());
    std::set<std::string> configs;
    for (const Member& each : all) {
        IIR2D_TRY(visit.measurements.emplace_back(), measurement_from(each));
        if (!configs.insert(visit.measurements.back().config).second)
            return each.wrong("has a config that is there twice");
    }
    return visit;
}

Result<MeasuredProblem> problem_from(const Member& member) {
    MeasuredProblem problem;
    for (const auto& [name, text] : {std::pair{"spec", &MeasuredProblem::spec},
                                     {"key", &MeasuredProblem::key},
                                     {"purpose", &MeasuredProblem::purpose},
                                     {"family", &MeasuredProblem::family},
                                     {"set", &MeasuredProblem::set},
                                     {"source", &MeasuredProblem::source}}) {
        IIR2D_TRY(problem.*text, text_at(member, name));
    }
    IIR2D_TRY(const auto visits, member.at("visits"));
    IIR2D_TRY(const auto all, visits.items());
    for (const Member& each : all) {
        IIR2D_TRY(problem.visits.emplace_back(), visit_from(each));
    }
    return problem;
}

Result<std::vector<Identity>> identities_from(const Member& member, const char* name, bool are_hashed) {
    IIR2D_TRY(const auto list, member.at(name));
    IIR2D_TRY(const auto items, list.items());
    std::vector<Identity> all;
    for (const Member& each : items) {
        Identity one;
        IIR2D_TRY(one.id, text_at(each, "id"));
        IIR2D_TRY(one.json, text_at(each, "json"));
        if (are_hashed && !is_whole(one)) return each.wrong("has an id that is not its JSON's");
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace

std::string to_csv(const Measurements& all) {
    std::string text =
        "set,spec,key,family,machine,kernels,visit,state,parallel_ratio,config,status,reason,samples,marked,"
        "copy_ms_p50,op_ms_min,op_ms_p50,op_ms_mad,use_ms_p50,ln_op,ln_use,ln_low,ln_high\n";
    for (const MeasuredProblem& problem : all.problems) {
        for (std::size_t v = 0; v < problem.visits.size(); ++v) {
            for (const Measurement& one : problem.visits[v].measurements)
                text += row_of(problem, v + 1, problem.visits[v], one);
        }
    }
    return text;
}

std::string to_json(const Measurements& all) {
    const auto dumped = [](const Json& json) {
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    Json meta = Json::object();
    for (const auto& [key, value] : all.meta) meta[key] = value;
    const auto list = [](const std::vector<Identity>& identities) {
        Json made = Json::array();
        for (const Identity& one : identities) made.push_back(json_of(one));
        return made;
    };
    std::string text = "{\"format\":" + dumped(format_name) +
                       ",\"version\":" + std::to_string(format_version) + ",\n\"meta\":" + dumped(meta) +
                       ",\n\"machines\":" + dumped(list(all.machines)) +
                       ",\n\"builds\":" + dumped(list(all.builds)) + ",\n\"problems\":[";
    for (std::size_t p = 0; p < all.problems.size(); ++p) {
        const MeasuredProblem& problem = all.problems[p];
        std::string head = dumped({{"spec", problem.spec},
                                   {"key", problem.key},
                                   {"purpose", problem.purpose},
                                   {"family", problem.family},
                                   {"set", problem.set},
                                   {"source", problem.source}});
        head.pop_back();  // "}"
        text += (p == 0 ? "\n " : ",\n ") + head + ",\"visits\":[";
        for (std::size_t v = 0; v < problem.visits.size(); ++v) {
            text += v == 0 ? "\n" : ",\n";
            write_visit(problem.visits[v], text);
        }
        text += "]}";
    }
    return text + "]}\n";
}

Result<Measurements> from_json(std::string_view text) {
    auto json = parse_json_strictly(text, limits);
    if (!json) return fail(ErrorKind::bad_input, "the JSON " + json.error().message);
    const Member root(*json, "text");
    IIR2D_TRY(const auto format, text_at(root, "format"));
    IIR2D_TRY(const auto version, root.at("version"));
    IIR2D_TRY(const auto number, version.count(1));
    if (format != format_name || number != format_version)
        return root.wrong("is " + escaped(format) + " of version " + std::to_string(number) + ", and " +
                          std::string(format_name) + " of version " + std::to_string(format_version) +
                          " is known here");
    Measurements all;
    IIR2D_TRY(const auto meta, root.at("meta"));
    if (!(*json)["meta"].is_object()) return meta.wrong("is not an object");
    for (const auto& [key, value] : (*json)["meta"].items()) {
        if (!value.is_string()) return meta.wrong("has a value that is not a text");
        all.meta.emplace_back(key, value.get<std::string>());
    }
    IIR2D_TRY(all.machines, identities_from(root, "machines", true));
    IIR2D_TRY(all.builds, identities_from(root, "builds", false));
    IIR2D_TRY(const auto problems, root.at("problems"));
    IIR2D_TRY(const auto items, problems.items());
    std::set<std::string> specs;
    for (const Member& each : items) {
        IIR2D_TRY(all.problems.emplace_back(), problem_from(each));
        if (!specs.insert(all.problems.back().spec).second)
            return each.wrong("has a spec that is there twice");
    }
    return all;
}

}  // namespace workbench::tune
