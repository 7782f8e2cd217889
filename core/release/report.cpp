// SPDX-License-Identifier: MIT
// Writes what a release is, for programs (release.json) and for people (release.md).
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/evidence/compare.h"
#include "core/release/release.h"
#include "core/release/requirements.h"
#include "core/support/counted.h"
#include "core/support/listed.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

using Json = nlohmann::ordered_json;

std::string cell(const std::string& text) {
    return text.empty() ? "-" : markdown_escaped(text);
}

std::string checklist(const Evaluation& evaluation) {
    std::string out;
    for (const Gate& gate : gates()) {
        out += fmt::format("\n### Gate {}: {}\n\n", gate.letter, gate.name);
        for (const auto& r : evaluation.requirements) {
            if (r.gate() != gate.letter) continue;
            out += fmt::format("- [{}] **{}** {}: {}{}\n", r.holds() ? 'x' : ' ', r.id, r.title,
                               markdown_escaped(r.finding),
                               r.needed || !r.holds() ? "" : " _(not needed at this stage)_");
        }
    }
    return out;
}

std::string evidence_table(const ReleaseState& state) {
    if (state.attachments.empty()) return "None is attached.\n";
    std::string out = "| Name | kind | commit | SHA-256 | attached |\n| --- | --- | --- | --- | --- |\n";
    for (const auto& a : state.attachments) {
        out += markdown_row(
            {cell(a.name), cell(a.kind), cell(a.commit.substr(0, 12)), cell(a.sha256), cell(a.utc)});
    }
    return out;
}

std::string waivers_table(const ReleaseState& state, const std::string& as_of) {
    if (state.waivers.empty()) return "None.\n";
    std::string out = "| Scope | risk | owner | counts until | |\n| --- | --- | --- | --- | --- |\n";
    for (const auto& w : state.waivers) {
        out += markdown_row({cell(w.scope), cell(w.risk), cell(w.owner), cell(w.expires),
                             days_left(w, as_of) < 0 ? "expired" : "counts"});
    }
    return out;
}

std::string sign_offs_table(const ReleaseState& state) {
    std::string out = "| Role | key | signed by | at | what they saw |\n| --- | --- | --- | --- | --- |\n";
    for (const auto& [role, key] : state.holders) {
        const SignOff* last = state.last_sign_off(role);
        const std::string name = cell(role), digits = cell(key.substr(0, 12));
        if (last == nullptr) {
            out += markdown_row({name, digits, "pending", "-", "-"});
        } else {
            out += markdown_row({name, digits, cell(last->person), cell(last->utc),
                                 last->seen.substr(0, 12) + (last->seen == state.seen() ? "" : ", stale")});
        }
    }
    return state.holders.empty() ? "No role has a key.\n" : out;
}

}  // namespace

std::string release_json(const ReleaseState& state) {
    Json attachments = Json::array();
    for (const auto& a : state.attachments) {
        attachments.push_back({{"name", a.name},
                               {"kind", a.kind},
                               {"sha256", a.sha256},
                               {"folder", a.folder},
                               {"commit", a.commit.empty() ? Json() : Json(a.commit)},
                               {"attached_utc", a.utc}});
    }
    Json waivers = Json::array();
    for (const auto& w : state.waivers) {
        waivers.push_back({{"scope", w.scope},
                           {"risk", w.risk},
                           {"owner", w.owner},
                           {"expires", w.expires},
                           {"waived_utc", w.utc}});
    }
    Json sign_offs = Json::array();
    for (const auto& s : state.sign_offs) {
        sign_offs.push_back({{"role", s.role},
                             {"person", s.person},
                             {"key", s.key},
                             {"seen", s.seen},
                             {"signature", s.signature},
                             {"signed_utc", s.utc},
                             {"stale", s.seen != state.seen()}});
    }
    const Json document{{"schema", "iir2d-workbench/release"},
                        {"schema_version", 1},
                        {"id", state.id},
                        {"stage", name_of(state.stage)},
                        {"commit", state.commit},
                        {"max_regression", state.max_regression},
                        {"created_utc", state.created_utc},
                        {"changed_utc", state.changed_utc},
                        {"promoted_utc", state.promoted_utc ? Json(*state.promoted_utc) : Json()},
                        {"role_holders", state.holders},
                        {"seen", state.seen()},
                        {"attachments", attachments},
                        {"waivers", waivers},
                        {"sign_offs", sign_offs},
                        {"log_entries", state.entries},
                        {"log_head", state.log_head}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string release_markdown(const ReleaseState& state, const Evaluation& evaluation) {
    std::string out = "# Release " + markdown_escaped(state.id) + "\n\n";
    out += fmt::format("Stage {}, commit {}, begun {}.\n", name_of(state.stage), state.commit,
                       state.created_utc);
    const auto blockers = evaluation.blockers();
    if (state.promoted_utc && blockers.empty()) {
        out += "**Promoted** on " + *state.promoted_utc + ".\n";
    } else if (state.promoted_utc) {
        out += "**Not accepted**: " + markdown_escaped(wrong_with_promotion(state, evaluation)) + ".\n";
    } else if (blockers.empty()) {
        out += "**May be promoted**, as of " + evaluation.as_of + ".\n";
    } else {
        out += fmt::format("**May not be promoted**, as of {}: {} not hold.\n", evaluation.as_of,
                           counted(blockers.size(), "requirement does", "requirements do"));
    }
    out += "\n## Gates\n" + checklist(evaluation);
    out += "\n## Evidence\n\n" + evidence_table(state);
    out += "\n## Waivers\n\n" + waivers_table(state, evaluation.as_of);
    out +=
        "\n## Sign-offs\n\nEach is one person's signature on the hash of what they saw. That of what there "
        "is now: " +
        state.seen() + ".\n\n" + sign_offs_table(state);
    out += fmt::format("\nMade from log.jsonl ({}, last {}); `iir2d release verify` checks all of it.\n",
                       counted(state.entries, "entry", "entries"), state.log_head);
    return out;
}

}  // namespace workbench
