// SPDX-License-Identifier: MIT
// What verdicts of duels are worth: plants slowdowns of a known size, by a library that repeats a calibrated
// part of the work, and counts verdicts. Prints Markdown tables. Trials go round: the first of every cell of
// the table, then the second, so that a run that is cut has as many of each.
//   duel_bench [--trials 40] [--slowdowns 0,3,5,10] [--margin 2] [--unchanged-margin 5] [--filters 1,4,6]
//              [--sizes 512,2048] [--threads 1,2] [--no-pool] [--budget 20] [--beside COMMAND]
//              [--state NAME] [--trials-out FILE] [--seconds N]
//   duel_bench --table FILE
// --beside runs a shell command again and again meanwhile, such as a compiler. --trials-out keeps every trial
// as a line of CSV as soon as it has ended; what the file has is not measured again, so that the same command
// goes on with a run that was cut. A file has trials of one build. --seconds ends a run after so long.
// --table prints the tables of a file.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/duel/duel.h"
#include "core/support/files.h"
#include "iir2d/iir2d_core.h"
#include "tests/bench/duel_trials.h"

namespace {

using namespace workbench;
using Clock = std::chrono::steady_clock;

struct Options {
    int trials = 40;
    std::vector<double> slowdowns = {0, 3, 5, 10};
    double margin = 2;
    double unchanged_margin = 0;  // 0: none
    std::vector<int> filters = {1, 4, 6};
    std::vector<int> sizes = {512, 2048};
    std::vector<int> threads = {1, 2};
    bool pool = true;
    double budget = 20;
    std::string beside;
    std::string state;
    std::string trials_out;
    double seconds = 0;  // 0: however long it takes
    std::string table;
};

[[noreturn]] void refuse(const std::string& why) {
    std::fprintf(stderr, "duel_bench: %s\n", why.c_str());
    std::exit(1);
}

// Exits where an option is wrong, or was --help.
Options read_options(int argc, char** argv) {
    Options o;
    CLI::App app("What verdicts of duels are worth: plants slowdowns of a known size and counts verdicts");
    app.add_option("--trials", o.trials, "duels of each cell of the table")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--slowdowns", o.slowdowns, "in percent")->delimiter(',')->check(CLI::NonNegativeNumber);
    app.add_option("--margin", o.margin, "in percent")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--unchanged-margin", o.unchanged_margin,
                   "measures the unchanged build with this margin too")
        ->check(CLI::PositiveNumber);
    app.add_option("--filters", o.filters, "ids")->delimiter(',')->check(CLI::Range(1, 8));
    app.add_option("--sizes", o.sizes, "width and height")->delimiter(',')->check(CLI::Range(16, 1 << 15));
    app.add_option("--threads", o.threads, "of a call")->delimiter(',')->check(CLI::Range(1, 1024));
    app.add_flag("!--no-pool", o.pool, "leaves out max 2x2");
    app.add_option("--budget", o.budget, "seconds of a case")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--beside", o.beside, "a shell command that runs again and again meanwhile");
    app.add_option("--state", o.state,
                   "what the table calls the machine; default: idle, with --beside: beside a compiler");
    app.add_option("--trials-out", o.trials_out,
                   "a file for every trial as a line of CSV; those it has are not measured again");
    app.add_option("--seconds", o.seconds, "starts no trial after so long")->check(CLI::PositiveNumber);
    app.add_option("--table", o.table, "prints the tables of such a file and measures nothing");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        std::exit(app.exit(e) == 0 ? 0 : 2);
    }
    if (o.state.empty()) o.state = o.beside.empty() ? "idle" : "beside a compiler";
    if (o.state.find_first_of(",\"\n") != std::string::npos) refuse("--state has a comma, a quote or a line");
    return o;
}

// Runs a command again and again until it is destroyed, or this program ends.
class Beside {
  public:
    explicit Beside(const std::string& command) {
        if (command.empty()) return;
        const int parent = ::getpid();
        m_process = ::fork();
        if (m_process < 0) refuse("the command beside could not be started");
        if (m_process > 0) return;
        ::setpgid(0, 0);
        // The loop ends with this program, however that ends.
        if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) ::_exit(127);
        const std::string loop = "while :; do " + command + "; done >/dev/null 2>&1";
        ::execl("/bin/sh", "sh", "-c", loop.c_str(), nullptr);
        ::_exit(127);
    }
    ~Beside() {
        if (m_process <= 0) return;
        ::kill(-m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

    void pause() const { tell(SIGSTOP); }
    void go_on() const { tell(SIGCONT); }

  private:
    void tell(int signal) const {
        if (m_process > 0) ::kill(-m_process, signal);
    }
    int m_process = -1;
};

int filter_of(const DuelTrial& cell) {
    return cell.what.starts_with("filter ") ? std::atoi(cell.what.c_str() + 7) : 0;
}

DuelSettings settings_of(const DuelTrial& cell) {
    DuelSettings s;
    s.matrix.sizes = {{cell.size, cell.size}};
    const int filter = filter_of(cell);
    s.matrix.filter_ids = filter > 0 ? std::vector{filter} : std::vector<int>{};
    if (filter == 0) s.matrix.pools = {PoolOperation{.op = iir2d::PoolOp::max}};
    s.matrix.precisions = {iir2d::Precision::f32};
    s.matrix.device = "cpu";
    s.matrix.threads = cell.threads;
    s.rule.margin = cell.margin_percent / 100;
    s.budget_seconds = cell.budget_seconds;
    return s;
}

LibraryFile library(const char* kind) {
    auto found = find_library(kind, std::string(IIR2D_PLANTED_DIR) + "/pools_" + kind + ".so");
    if (!found) refuse(found.error().message);
    return *found;
}

// The commit of the library whose calls are repeated.
std::string own_build() {
    const auto build = build_of(LibraryFile{.fingerprint = iir2d_build_fingerprint()});
    if (build.commit.empty()) return "not known";
    return build.commit.substr(0, 12) + (build.has_local_changes ? " with changes" : "");
}

void plant(int rows, int columns) {
    ::setenv("IIR2D_PLANTED_ROWS", std::to_string(rows).c_str(), 1);
    ::setenv("IIR2D_PLANTED_COLUMNS", std::to_string(columns).c_str(), 1);
}

// Returns the ratio that a repeated part gives, from many launches.
double measured_ratio(const DuelTrial& cell, int rows, int columns) {
    DuelSettings s = settings_of(cell);
    s.rule.least_pairs = 4;
    s.rule.most_pairs = 400;
    s.rule.margin = 1e-6;  // or it could end before it is known how much
    s.launches = 20;
    s.budget_seconds = 12;
    plant(rows, columns);
    const auto duel = run_duel(s, library("plain"), library("slower"));
    if (!duel) refuse(cell.what + ": not measured: " + duel.error().message);
    if (duel->cases[0].last() == nullptr) refuse(cell.what + ": not measured: " + duel->cases[0].reason);
    return duel->cases[0].last()->effect.ratio;
}

// Chooses the part of the plane that gives the slowdown, and notes what it gives. What a part costs is not in
// proportion to its samples, a call having costs of its own, so that a few measurements are needed: a part as
// high in proportion as it is wide, whose width is then changed.
void calibrate(DuelTrial& cell) {
    cell.rows = cell.columns = 0;
    cell.planted_ratio = 1;
    if (cell.planted_percent == 0) return;
    const double wanted = cell.planted_percent / 100;
    const int side = std::clamp(static_cast<int>(std::lround(cell.size * std::sqrt(wanted))), 2, cell.size);
    int rows = (side + 1) / 2 * 2;  // windows of pooling are two samples high
    int columns = side;
    double best = -1;
    for (int i = 0; i < 4; ++i) {
        const double got = measured_ratio(cell, rows, columns) - 1;
        if (best < 0 || std::abs(got - wanted) < std::abs(cell.planted_ratio - 1 - wanted)) {
            best = got;
            cell.rows = rows;
            cell.columns = columns;
            cell.planted_ratio = got + 1;
        }
        if (std::abs(got - wanted) < 0.08 * wanted) break;
        const double factor = std::clamp(wanted / std::max(got, 0.2 * wanted), 0.4, 2.5);
        const double next = columns * factor;
        if (next > cell.size || next < 16) {
            const int other = static_cast<int>(std::lround(rows * factor / 2)) * 2;
            rows = std::clamp(other, 2, cell.size);
        } else {
            columns = static_cast<int>(std::lround(next));
        }
    }
}

std::vector<DuelTrial> cells_of(const Options& o) {
    std::vector<DuelTrial> cells;
    for (const int threads : o.threads) {
        for (const int size : o.sizes) {
            std::vector<std::string> names;
            for (const int filter : o.filters) names.push_back("filter " + std::to_string(filter));
            if (o.pool) names.emplace_back("max 2x2");
            for (const std::string& name : names) {
                DuelTrial cell{.state = o.state,
                               .margin_percent = o.margin,
                               .budget_seconds = o.budget,
                               .what = name,
                               .size = size,
                               .threads = threads,
                               .build = own_build()};
                for (const double percent : o.slowdowns) {
                    cell.planted_percent = percent;
                    cells.push_back(cell);
                }
                if (!(o.unchanged_margin > 0)) continue;
                cell.planted_percent = 0;
                cell.margin_percent = o.unchanged_margin;
                cells.push_back(cell);
            }
        }
    }
    return cells;
}

std::vector<DuelTrial> trials_in(const std::string& path, std::size_t& complete_bytes) {
    const auto text = read_file(path, std::size_t{1} << 30);
    if (!text) refuse(text.error().message);
    auto read = read_duel_trials(*text);
    if (!read) refuse(path + ": " + read.error().message);
    complete_bytes = read->complete_bytes;
    return std::move(read->trials);
}

// Opens the file to add to it, and reads what it has: a line that was cut is removed.
std::FILE* open_trials(const std::string& path, std::vector<DuelTrial>& trials) {
    if (path.empty()) return nullptr;
    if (std::filesystem::exists(path)) {
        std::size_t complete = 0;
        trials = trials_in(path, complete);
        const std::string build = own_build();
        const auto other = std::ranges::find_if(trials, [&](const DuelTrial& t) { return t.build != build; });
        if (other != trials.end())
            refuse(path + " has trials of " + other->build + ", and this build is " + build +
                   ": name another file");
        std::filesystem::resize_file(path, complete);
    }
    std::FILE* file = std::fopen(path.c_str(), "a");
    if (file == nullptr) refuse(path + " cannot be written");
    if (std::filesystem::file_size(path) == 0) std::fputs(duel_trials_header().c_str(), file);
    std::fflush(file);
    return file;
}

void print_tables(const std::vector<DuelTrial>& trials) {
    std::printf("%s\n%s", duel_trials_table(trials).c_str(), duel_trials_summary(trials).c_str());
    std::fflush(stdout);
}

DuelTrial measure(const DuelTrial& cell, int number) {
    DuelTrial trial = cell;
    trial.number = number;
    DuelSettings s = settings_of(cell);
    s.rule.seed = static_cast<std::uint64_t>(number) + 1;
    plant(cell.rows, cell.columns);
    const auto duel = run_duel(s, library("plain"), library("slower"));
    if (!duel) refuse(duel.error().message);
    const DuelCase& c = duel->cases[0];
    trial.verdict = name_of(c.verdict);
    trial.reason = c.reason;
    trial.pairs = c.pairs();
    trial.seconds = c.seconds;
    if (const DuelLook* look = c.last()) {
        trial.ratio = look->effect.ratio;
        trial.low = look->effect.interval.low;
        trial.high = look->effect.interval.high;
        trial.control = look->control.ratio;
    }
    std::array<double, 1> load{};
    if (::getloadavg(load.data(), 1) == 1) trial.load = load[0];
    return trial;
}

}  // namespace

int main(int argc, char** argv) {
    const Options o = read_options(argc, argv);
    std::vector<DuelTrial> trials;
    if (!o.table.empty()) {
        std::size_t complete = 0;
        print_tables(trials_in(o.table, complete));
        return 0;
    }
    ::setenv("IIR2D_PLANTED_REAL", IIR2D_REAL_LIBRARY, 1);
    const auto start = Clock::now();
    std::FILE* file = open_trials(o.trials_out, trials);
    std::vector<DuelTrial> cells = cells_of(o);
    std::vector<bool> calibrated(cells.size());
    const Beside beside(o.beside);
    bool out_of_time = false;
    for (int number = 0; number < o.trials && !out_of_time; ++number) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            DuelTrial& cell = cells[i];
            if (std::ranges::any_of(trials, [&](const DuelTrial& t) {
                    return t.is_of_same_cell(cell) && t.number == number;
                }))
                continue;
            out_of_time =
                o.seconds > 0 && std::chrono::duration<double>(Clock::now() - start).count() > o.seconds;
            if (out_of_time) break;
            if (!calibrated[i]) {
                // What a part costs depends on the build alone: any trial of it has been calibrated.
                const auto known = std::ranges::find_if(trials, [&](const DuelTrial& t) {
                    return t.what == cell.what && t.size == cell.size && t.threads == cell.threads &&
                           t.planted_percent == cell.planted_percent;
                });
                if (known != trials.end()) {
                    cell.rows = known->rows;
                    cell.columns = known->columns;
                    cell.planted_ratio = known->planted_ratio;
                } else {
                    beside.pause();
                    calibrate(cell);
                    beside.go_on();
                }
                calibrated[i] = true;
            }
            trials.push_back(measure(cell, number));
            if (file == nullptr) continue;
            std::fputs(line_of(trials.back()).c_str(), file);
            if (std::fflush(file) != 0) refuse(o.trials_out + " cannot be written");
        }
    }
    if (file != nullptr) std::fclose(file);
    print_tables(trials);
    return 0;
}
