// SPDX-License-Identifier: MIT
#include "core/release/entries.h"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "core/release/requirements.h"
#include "core/support/canonical_json.h"
#include "core/support/escaped.h"
#include "core/support/hex.h"
#include "core/support/signing.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"

namespace workbench {

namespace {

using nlohmann::json;

constexpr std::size_t longest_text = 500;
const std::string safe_name_rule =
    "letters, digits, '.', '_' and '-', at most 64, not first '.' or '-', not last '.', and none of Windows' "
    "devices";

// Says what is wrong with a text that a person wrote; empty: nothing. `what` names it.
std::string wrong_with_text(const std::string& what, const std::string& text) {
    if (text.find_first_not_of(" \t\n") == std::string::npos)
        return what + " is empty: a waiver needs scope, risk, owner and expiry, a sign-off a person";
    if (text.size() > longest_text)
        return what + " is longer than " + std::to_string(longest_text) + " bytes";
    if (printable_utf8(text) != text) return what + " has characters that cannot be shown";
    return {};
}

std::string wrong_with_keys(const ReleaseState& state) {
    std::set<std::string> keys;
    for (const auto& [role, hex] : state.holders) {
        if (!is_release_role(role)) return "the role " + shown(role) + " is not known";
        if (const auto wrong = weakness_of_key(hex); !wrong.empty())
            return "the key of the " + role + " is refused: " + wrong;
        if (!keys.insert(hex).second) return "two roles have the same key: one sign-off is one person's";
    }
    const StageRow& stage = row_of(state.stage);
    for (const auto role : release_roles) {
        if (stage.needs_keys && !state.holders.contains(std::string(role)))
            return "the stage " + std::string(stage.name) + " needs a key of the " + std::string(role);
    }
    return {};
}

// Says what is wrong with an entry's time; empty: nothing. Dates never go back, and an entry's date is the
// clock's or, where the clock is behind, that of the entry before.
std::string wrong_with_time(const ReleaseState& state, const EntryTime& time) {
    for (const auto& text : {time.utc, time.clock}) {
        if (!time_from(text)) return "its time " + shown(text) + " is not a time of the calendar";
    }
    if (time.utc < state.changed_utc)
        return "it is dated " + time.utc + ", before the entry before it (" + state.changed_utc + ")";
    if (time.utc != std::max(time.clock, state.changed_utc))
        return "its clock was at " + time.clock +
               ", and its date is neither that nor the one of the entry before it";
    return {};
}

std::string text_in(const json& event, const char* key) {
    return event.at(key).get<std::string>();
}

std::string apply_new(ReleaseState& s, const json& e, const EntryTime& time) {
    s.id = text_in(e, "id");
    const auto stage = stage_from_name(text_in(e, "stage"));
    if (!stage) return stage.error().message;
    s.stage = *stage;
    s.commit = text_in(e, "commit");
    s.max_regression = e.at("max_regression").get<double>();
    s.holders = e.at("holders").get<std::map<std::string, std::string>>();
    s.created_utc = time.utc;
    return wrong_with_beginning(s);
}

std::string apply_attach(ReleaseState& s, const json& e, const EntryTime& time) {
    Attachment a{.name = text_in(e, "name"),
                 .kind = text_in(e, "kind"),
                 .sha256 = text_in(e, "sha256"),
                 .folder = e.at("folder").get<bool>(),
                 .commit = text_in(e, "commit"),
                 .utc = time.utc,
                 .line = s.entries + 1};
    if (auto wrong = wrong_with_attachment(s, a); !wrong.empty()) return wrong;
    s.attachments.push_back(std::move(a));
    return {};
}

std::string apply_waive(ReleaseState& s, const json& e, const EntryTime& time) {
    Waiver w{.scope = text_in(e, "scope"),
             .risk = text_in(e, "risk"),
             .owner = text_in(e, "owner"),
             .expires = text_in(e, "expires"),
             .utc = time.utc};
    if (auto wrong = wrong_with_waiver(w, time.clock); !wrong.empty()) return wrong;
    s.waivers.push_back(std::move(w));
    return {};
}

std::string apply_sign_off(ReleaseState& s, const json& e, const EntryTime& time) {
    SignOff o{text_in(e, "role"), text_in(e, "person"),    text_in(e, "key"),
              text_in(e, "seen"), text_in(e, "signature"), time.utc};
    if (auto wrong = wrong_with_sign_off(s, o.role, o.person, o.key); !wrong.empty()) return wrong;
    if (o.seen != s.seen()) return "what it signed is not what there was";
    const auto key = public_key_from_hex(o.key);
    if (!key || !is_signature(*key, sign_off_message(s, o.role, o.person, o.seen, time), o.signature))
        return "its signature is not the key's for what there was and its date";
    s.sign_offs.push_back(std::move(o));
    return {};
}

std::string apply_promote(ReleaseState& s, const json& /*event*/, const EntryTime& time) {
    s.promoted_utc = time.utc;
    return {};
}

struct EntryType {
    std::string_view name;
    std::vector<std::string_view> fields;  // beside "type"
    std::string (*apply)(ReleaseState&, const json&, const EntryTime&);
};

const std::vector<EntryType>& entry_types() {
    static const std::vector<EntryType> types = {
        {"new", {"id", "stage", "commit", "max_regression", "holders"}, apply_new},
        {"attach", {"name", "kind", "sha256", "folder", "commit"}, apply_attach},
        {"waive", {"scope", "risk", "owner", "expires"}, apply_waive},
        {"sign-off", {"role", "person", "key", "seen", "signature"}, apply_sign_off},
        {"promote", {}, apply_promote}};
    return types;
}

// Does to the state what an entry's event says; returns a sentence when the entry cannot follow.
std::string apply(ReleaseState& s, const EntryType& type, const LogEntry& entry) {
    if (auto wrong = wrong_with_time(s, entry.time); !wrong.empty()) return wrong;
    if ((type.name == "new") != (s.entries == 0))
        return "a release begins with one entry \"new\" and has no other";
    if (s.promoted_utc) return "nothing follows a promotion";
    for (const auto& [field, value] : entry.event.items()) {
        if (field != "type" && std::ranges::find(type.fields, field) == type.fields.end())
            return "it has the field " + shown(field) + ", which an entry of its type does not have";
    }
    try {
        return type.apply(s, entry.event, entry.time);
    } catch (const std::exception&) {
        return "it lacks a field that its type needs, or has one of another kind";
    }
}

}  // namespace

std::string wrong_with_beginning(const ReleaseState& state) {
    if (!is_safe_name(state.id)) {
        return "the id " + shown(state.id) + " is not a name: " + safe_name_rule;
    }
    if (!is_commit(state.commit))
        return "the commit " + shown(state.commit) + " is not 40 lower-case hex digits";
    if (!(state.max_regression >= 0 && state.max_regression <= 1))
        return "the largest regression is out of range: give 0 to 100 %";
    return wrong_with_keys(state);
}

std::string wrong_with_attachment(const ReleaseState& state, const Attachment& a) {
    if (!is_safe_name(a.name)) {
        return "the name " + shown(a.name) + " is not safe everywhere: " + safe_name_rule +
               "; give another with --name";
    }
    if (const Attachment* there = state.find_like(a.name))
        return "evidence/" + there->name +
               " is attached already: evidence is never replaced, give another --name";
    const auto kind = evidence_kind_from_name(a.kind);
    if (!kind) return kind.error().message;
    if (!is_sha256(a.sha256)) return "its SHA-256 is not 64 lower-case hex digits";
    const bool is_record = kind->is_record();
    if (is_record && !a.folder) return "a " + a.kind + " is a record directory, not a file";
    if (!is_record && a.folder) return "a " + a.kind + " is a file, not a folder";
    const bool has_commit = kind->needs_commit || (is_record && a.kind != "baseline-record");
    if (has_commit && !is_commit(a.commit))
        return a.kind + " needs the 40 digits of the commit that it is about";
    if (!has_commit && !a.commit.empty()) return a.kind + " has no commit of its own";
    const auto same = std::ranges::find_if(state.attachments, [&](const Attachment& other) {
        return other.kind == a.kind && other.sha256 == a.sha256;
    });
    if (same != state.attachments.end())
        return "the same content is attached as evidence/" + same->name + " already";
    return {};
}

std::string wrong_with_waiver(const Waiver& waiver, std::string_view clock) {
    const std::pair<const char*, const std::string*> texts[] = {
        {"the scope", &waiver.scope}, {"the risk", &waiver.risk}, {"the owner", &waiver.owner}};
    for (const auto& [what, text] : texts) {
        if (auto wrong = wrong_with_text(what, *text); !wrong.empty()) return wrong;
    }
    if (!is_waivable(waiver.scope)) {
        return shown(waiver.scope) + " cannot be waived: give issue:ID for an open P1, or " +
               waivable_requirements();
    }
    if (!is_date(waiver.expires))
        return "the expiry " + shown(waiver.expires) + " is not a date: write YYYY-MM-DD";
    if (waiver.expires < clock.substr(0, 10)) return "the expiry " + waiver.expires + " is past";
    return {};
}

std::string wrong_with_sign_off(const ReleaseState& state, std::string_view role, std::string_view person,
                                std::string_view key) {
    if (!is_release_role(role)) return "the role " + shown(role) + " is not known";
    if (auto wrong = wrong_with_text("the person", std::string(person)); !wrong.empty()) return wrong;
    const auto holder = state.holders.find(std::string(role));
    if (holder == state.holders.end())
        return "no key was named for the " + std::string(role) + " when the release was begun";
    if (holder->second != key) {
        return "this key is not the " + std::string(role) + "'s: it is " + escaped(key, 64) +
               ", the role's is " + holder->second;
    }
    return {};
}

std::string place_of(std::size_t line, std::string_view type) {
    return "log.jsonl: line " + std::to_string(line) + " (" + std::string(type) + "): ";
}

Result<ReleaseState> replay(const std::vector<LogEntry>& log) {
    ReleaseState state;
    for (const auto& entry : log) {
        const std::size_t line = state.entries + 1;
        const auto type_name = text_in(entry.event, "type");
        const auto& types = entry_types();
        const auto type = std::ranges::find(types, type_name, &EntryType::name);
        if (type == types.end()) {
            return fail(ErrorKind::bad_input, "log.jsonl: line " + std::to_string(line) + ": its type " +
                                                  shown(type_name) + " is not known");
        }
        const std::string place = place_of(line, type->name);
        if (line > most_entries)
            return fail(ErrorKind::bad_input,
                        place + "a release has at most " + std::to_string(most_entries) + " entries");
        if (auto wrong = apply(state, *type, entry); !wrong.empty())
            return fail(ErrorKind::bad_input, place + wrong);
        ++state.entries;
        state.changed_utc = entry.time.utc;
        state.clock_utc = entry.time.clock;
        for (auto& w : state.waivers) w.latest_clock = std::max(w.latest_clock, entry.time.clock);
        state.log_head = entry.hash;
    }
    return state;
}

std::string sign_off_message(const ReleaseState& state, std::string_view role, std::string_view person,
                             std::string_view seen, const EntryTime& time) {
    return "iir2d release sign-off 3\n" + canonical_json({{"id", state.id},
                                                          {"role", role},
                                                          {"person", person},
                                                          {"seen", seen},
                                                          {"log_head", state.log_head},
                                                          {"utc", time.utc},
                                                          {"clock", time.clock}});
}

}  // namespace workbench
