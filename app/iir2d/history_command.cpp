// SPDX-License-Identifier: MIT
// history: records over time, in a database.
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "core/duel/duel_record.h"
#include "core/evidence/history.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;
using workbench::History;

namespace {

struct HistoryArguments {
    std::string file;
    std::vector<std::string> records;
    std::string id;
    std::string key;
    std::string metric = "ratio-to-copy";
    std::string device;
    std::string note;
    bool remove_note = false;
    bool json = false;
    bool quiet = false;

    std::filesystem::path path() const {
        return file.empty() ? workbench::default_history_file() : std::filesystem::path(file);
    }
};

Result<int> run_add(const HistoryArguments& a, const Interruption& interruption) {
    outlive_readers();
    std::error_code error;
    if (a.file.empty()) std::filesystem::create_directories(a.path().parent_path(), error);
    IIR2D_TRY(auto history, History::open(a.path()));
    for (const auto& record : a.records) {
        if (interruption.token().stop_requested())
            return fail(ErrorKind::cancelled,
                        "interrupted before \"" + record + "\"; what was added before is kept");
        IIR2D_TRY(const auto added, workbench::is_duel_record(record)
                                        ? workbench::add_duel_to(history, record, a.note)
                                        : history.add(record, a.note));
        if (!a.quiet) {
            std::printf("%s %s%s\n", shown(added.record_id).c_str(), shown(record).c_str(),
                        added.added ? "" : " (was there already)");
            std::fflush(stdout);
        }
    }
    return 0;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Result<int> run_list(const HistoryArguments& a) {
    IIR2D_TRY(const auto history, History::open_to_read(a.path()));
    IIR2D_TRY(const auto entries, history.list());
    if (a.json) {
        Json all = Json::array();
        for (const auto& e : entries) {
            all.push_back({{"record_id", e.record_id},
                           {"added_utc", e.added_utc},
                           {"started_utc", e.started_utc},
                           {"host", text_or_null(e.host)},
                           {"device", e.device_id},
                           {"device_name", e.device_name},
                           {"version", e.version},
                           {"commit", text_or_null(e.commit)},
                           {"cases", e.cases},
                           {"note", text_or_null(e.note)}});
        }
        print_json({{"records", all}});
        return 0;
    }
    std::printf("%-12s %-20s %5s %-16s %-24s %-12s %s\n", "record", "measured", "cases", "host", "device",
                "commit", "note");
    for (const auto& e : entries) {
        std::printf("%-12s %-20s %5lld %-16s %-24s %-12s %s\n",
                    shown(workbench::short_id(e.record_id)).c_str(), shown(e.started_utc).c_str(),
                    static_cast<long long>(e.cases), shown(e.host).c_str(), shown(e.device_name).c_str(),
                    shown(e.commit.substr(0, 12)).c_str(), shown(e.note).c_str());
    }
    return 0;
}

Result<int> run_note(const HistoryArguments& a) {
    if (a.note.empty() != a.remove_note)
        return fail(ErrorKind::bad_argument, "give the note's TEXT, or --remove");
    // Of one that exists: a mistyped name makes no empty history.
    IIR2D_RETURN_IF_ERROR(History::open_to_read(a.path()));
    IIR2D_TRY(auto history, History::open(a.path()));
    IIR2D_TRY(const auto id, history.set_note(a.id, a.note));
    if (!a.quiet) std::printf("%s %s\n", id.c_str(), a.remove_note ? "has no note" : shown(a.note).c_str());
    return 0;
}

Result<int> print_record(const HistoryArguments& a) {
    IIR2D_TRY(const auto history, History::open_to_read(a.path()));
    IIR2D_TRY(const auto json, history.record(a.id));
    print_text(json);
    return 0;
}

Result<int> print_keys(const History& history, bool json) {
    IIR2D_TRY(const auto keys, history.keys());
    if (json) print_json({{"cases", keys}});
    for (const auto& key : keys) {
        if (!json) std::printf("%s\n", shown(key).c_str());
    }
    return 0;
}

Result<int> run_trend(const HistoryArguments& a) {
    IIR2D_TRY(const auto metric, workbench::metric_from_name(a.metric));
    IIR2D_TRY(const auto history, History::open_to_read(a.path()));
    if (a.key.empty()) return print_keys(history, a.json);
    IIR2D_TRY(const auto points, history.trend(a.key, metric, a.device));
    if (a.json) {
        Json all = Json::array();
        for (const auto& p : points) {
            all.push_back({{"record_id", p.record_id},
                           {"started_utc", p.started_utc},
                           {"host", text_or_null(p.host)},
                           {"device_name", p.device_name},
                           {"commit", text_or_null(p.commit)},
                           {"samples", p.samples},
                           {"p50", p.p50},
                           {"p50_interval", {p.p50_interval.low, p.p50_interval.high}},
                           {"p95", p.p95},
                           {"input_sha256", text_or_null(p.input_sha256)},
                           {"output_sha256", text_or_null(p.output_sha256)}});
        }
        print_json({{"case", a.key}, {"metric", a.metric}, {"points", all}});
        return 0;
    }
    std::printf("%-12s %-20s %-12s %12s %26s %12s %8s  %s\n", "record", "measured", "commit", "p50",
                "95 % interval", "p95", "change", "device");
    double before = 0;
    std::string device;
    for (const auto& p : points) {
        // A change from one device to another is none of the program.
        const bool alike = before > 0 && device == p.device_name + "\n" + p.host;
        std::printf("%-12s %-20s %-12s %12.5g %12.5g to %10.5g %12.5g %8s  %s\n",
                    shown(workbench::short_id(p.record_id)).c_str(), shown(p.started_utc).c_str(),
                    shown(p.commit.substr(0, 12)).c_str(), p.p50, p.p50_interval.low, p.p50_interval.high,
                    p.p95, alike ? workbench::percent_text(p.p50 / before - 1).c_str() : "-",
                    shown(p.device_name).c_str());
        before = p.p50;
        device = p.device_name + "\n" + p.host;
    }
    return 0;
}

Result<int> run_changes(const HistoryArguments& a) {
    IIR2D_TRY(const auto history, History::open_to_read(a.path()));
    IIR2D_TRY(const auto duels, history.duels(a.key));
    if (a.json) {
        Json all = Json::array();
        for (const auto& d : duels) {
            Json changes = Json::array();
            for (const auto& c : d.changes) {
                Json one{
                    {"case", c.key}, {"verdict", c.verdict}, {"ratio", c.measured ? Json(c.ratio) : Json()}};
                one["interval"] = c.measured ? Json{c.interval.low, c.interval.high} : Json();
                changes.push_back(std::move(one));
            }
            all.push_back({{"record_id", d.record_id},
                           {"started_utc", d.started_utc},
                           {"host", text_or_null(d.host)},
                           {"base_commit", text_or_null(d.base_commit)},
                           {"new_commit", text_or_null(d.now_commit)},
                           {"note", text_or_null(d.note)},
                           {"changes", std::move(changes)}});
        }
        print_json({{"duels", all}});
        return 0;
    }
    std::printf("%-12s %-20s %-12s %-12s %-10s %8s %19s  %s\n", "duel", "measured", "base", "new", "verdict",
                "change", "interval", "case");
    for (const auto& d : duels) {
        for (const auto& c : d.changes) {
            std::printf("%-12s %-20s %-12s %-12s %-10s %8s %19s  %s\n",
                        shown(workbench::short_id(d.record_id)).c_str(), shown(d.started_utc).c_str(),
                        shown(d.base_commit.substr(0, 12)).c_str(), shown(d.now_commit.substr(0, 12)).c_str(),
                        shown(c.verdict).c_str(), c.measured ? workbench::change_text(c.ratio).c_str() : "-",
                        c.measured ? workbench::change_text(c.interval).c_str() : "-", shown(c.key).c_str());
        }
    }
    return 0;
}

Result<int> run_check(const HistoryArguments& a) {
    IIR2D_TRY(const auto history, History::open_to_read(a.path()));
    IIR2D_TRY(const auto problems, history.check());
    if (!a.quiet) {
        for (const auto& problem : problems) std::printf("problem  %s\n", shown(problem).c_str());
    }
    if (!problems.empty()) {
        return fail(ErrorKind::check_failed,
                    "the history \"" + a.path().string() + "\" is damaged: " + problems.front());
    }
    IIR2D_TRY(const auto entries, history.list());
    if (!a.quiet) std::printf("accepted %s\n", workbench::counted(entries.size(), "record").c_str());
    return 0;
}

}  // namespace

void add_history_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("history", "Keep records in a database, and show them over time");
    command->require_subcommand(1);
    auto a = std::make_shared<HistoryArguments>();
    const auto sub = [&](const char* name, const char* help, auto run) {
        CLI::App* one = command->add_subcommand(name, help);
        one->add_option("--db", a->file, "The database (default: in the settings folder)");
        one->callback([a, run, &chosen] {
            chosen = [a, run](const Interruption& interruption) -> Result<int> {
                if (a->file.empty() && !workbench::has_config_directory()) {
                    return fail(
                        ErrorKind::bad_argument,
                        "this user has no home folder for the history: give --db FILE, or set HOME or "
                        "IIR2D_CONFIG_DIR");
                }
                return run(*a, interruption);
            };
        });
        return one;
    };
    CLI::App* add = sub("add", "Verify records and keep them", run_add);
    add->add_option("RECORD", a->records, "Record directories, or their record.json")->required();
    add->add_option("--note", a->note, "A note of one line for each record; history note changes it");
    add_quiet(*add, a->quiet);
    CLI::App* note = sub("note", "Write or remove a record's note",
                         [](const HistoryArguments& h, const Interruption&) { return run_note(h); });
    note->add_option("RECORD_ID", a->id, "Its record_id, or the first digits of it")->required();
    note->add_option("TEXT", a->note, "The note: one line");
    note->add_flag("--remove", a->remove_note, "Remove the note");
    add_quiet(*note, a->quiet);
    CLI::App* list = sub("list", "List the records, oldest first",
                         [](const HistoryArguments& h, const Interruption&) { return run_list(h); });
    list->add_flag("--json", a->json, "Print JSON");
    CLI::App* show = sub("show", "Print a record's JSON",
                         [](const HistoryArguments& h, const Interruption&) { return print_record(h); });
    show->add_option("RECORD_ID", a->id, "Its record_id, or the first digits of it")->required();
    CLI::App* trend = sub("trend", "Show a case over time; without a case, list the cases there are",
                          [](const HistoryArguments& h, const Interruption&) { return run_trend(h); });
    trend->add_option("CASE", a->key, "The case's key");
    trend->add_option("--metric", a->metric, "The figure to show: ratio-to-copy, latency or throughput")
        ->capture_default_str();
    trend->add_option("--device", a->device, "Only this device, by its name or id");
    trend->add_flag("--json", a->json, "Print JSON");
    CLI::App* changes = sub("changes", "List what duels say of each case, oldest first",
                            [](const HistoryArguments& h, const Interruption&) { return run_changes(h); });
    changes->add_option("CASE", a->key, "Only this case, by its key");
    changes->add_flag("--json", a->json, "Print JSON");
    CLI::App* check = sub("check", "Check the database and every record in it",
                          [](const HistoryArguments& h, const Interruption&) { return run_check(h); });
    add_quiet(*check, a->quiet);
}

}  // namespace app
