// SPDX-License-Identifier: MIT
// What verdicts of duels are worth: plants slowdowns of a known size, by a library that repeats a calibrated
// part of the work, and counts verdicts. Prints a Markdown table, and with --trials-out every trial as a line
// of CSV.
//   duel_bench [--trials 40] [--slowdowns 0,3,5,10] [--margin 2] [--filters 1,4,6] [--sizes 512,2048]
//              [--threads 1,2] [--no-pool] [--budget 20] [--beside COMMAND] [--trials-out FILE]
// --beside runs a shell command again and again meanwhile, such as a compiler.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/duel/duel.h"

namespace {

using namespace workbench;

struct Options {
    int trials = 40;
    std::vector<double> slowdowns = {0, 3, 5, 10};
    double margin = 2;
    std::vector<int> filters = {1, 4, 6};
    std::vector<int> sizes = {512, 2048};
    std::vector<int> threads = {1, 2};
    bool pool = true;
    double budget = 20;
    std::string beside;
    std::string trials_out;
};

// Exits where an option is wrong, or was --help.
Options read_options(int argc, char** argv) {
    Options o;
    CLI::App app("What verdicts of duels are worth: plants slowdowns of a known size and counts verdicts");
    app.add_option("--trials", o.trials, "duels of each cell of the table")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--slowdowns", o.slowdowns, "in percent")->delimiter(',')->check(CLI::NonNegativeNumber);
    app.add_option("--margin", o.margin, "in percent")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--filters", o.filters, "ids")->delimiter(',')->check(CLI::Range(1, 8));
    app.add_option("--sizes", o.sizes, "width and height")->delimiter(',')->check(CLI::Range(1, 1 << 15));
    app.add_option("--threads", o.threads, "of a call")->delimiter(',')->check(CLI::Range(1, 1024));
    app.add_flag("!--no-pool", o.pool, "leaves out max 2x2");
    app.add_option("--budget", o.budget, "seconds of a case")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--beside", o.beside, "a shell command that runs again and again meanwhile");
    app.add_option("--trials-out", o.trials_out, "a file for every trial as a line of CSV");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        std::exit(app.exit(e) == 0 ? 0 : 2);
    }
    return o;
}

// Runs a command again and again until it is destroyed.
class Beside {
  public:
    explicit Beside(const std::string& command) {
        if (command.empty()) return;
        m_process = ::fork();
        if (m_process != 0) return;
        ::setpgid(0, 0);
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

  private:
    int m_process = -1;
};

struct What {
    std::string name;
    int filter = 0;  // 0: max pooling, 2x2
    int size = 512;
    int threads = 1;
};

DuelSettings settings_of(const What& what, const Options& o) {
    DuelSettings s;
    s.matrix.sizes = {{what.size, what.size}};
    s.matrix.filter_ids = what.filter > 0 ? std::vector{what.filter} : std::vector<int>{};
    if (what.filter == 0) s.matrix.pools = {PoolOperation{.op = iir2d::PoolOp::max}};
    s.matrix.precisions = {iir2d::Precision::f32};
    s.matrix.device = "cpu";
    s.matrix.threads = what.threads;
    s.rule.margin = o.margin / 100;
    s.budget_seconds = o.budget;
    return s;
}

LibraryFile library(const char* kind) {
    auto found = find_library(kind, std::string(IIR2D_PLANTED_DIR) + "/pools_" + kind + ".so");
    if (!found) {
        std::fprintf(stderr, "%s\n", found.error().message.c_str());
        std::exit(1);
    }
    return *found;
}

void plant(int rows) {
    ::setenv("IIR2D_PLANTED_ROWS", std::to_string(rows).c_str(), 1);
}

// Returns the ratio that so many repeated rows give, from many pairs and one look.
double measured_ratio(const What& what, const Options& o, int rows) {
    DuelSettings s = settings_of(what, o);
    s.rule.least_pairs = s.rule.most_pairs = 400;
    s.budget_seconds = 60;
    plant(rows);
    const auto duel = run_duel(s, library("plain"), library("slower"));
    if (!duel || duel->cases[0].last() == nullptr) {
        std::fprintf(stderr, "%s: not measured: %s\n", what.name.c_str(),
                     duel ? duel->cases[0].reason.c_str() : duel.error().message.c_str());
        std::exit(1);
    }
    return duel->cases[0].last()->effect.ratio;
}

// Returns how many rows give the slowdown, and what they give. What a part of a plane costs is not in
// proportion to its rows, so that a few measurements are needed.
std::pair<int, double> calibrated(const What& what, const Options& o, double percent) {
    if (percent == 0) return {0, 1.0};
    const double wanted = percent / 100;
    std::pair<int, double> best{0, 1.0};
    int rows = std::max(2, static_cast<int>(std::lround(wanted * what.size)));
    for (int i = 0; i < 5; ++i) {
        const double got = measured_ratio(what, o, rows) - 1;
        if (best.first == 0 || std::abs(got - wanted) < std::abs(best.second - 1 - wanted))
            best = {rows, got + 1};
        if (std::abs(got - wanted) < 0.05 * wanted) break;
        const int next =
            static_cast<int>(std::lround(rows * std::clamp(wanted / std::max(got, 0.2 * wanted), 0.5, 2.0)));
        if (next == rows || next < 1) break;
        rows = std::min(next, what.size);
    }
    return best;
}

double median(std::vector<double> values) {
    return values.empty() ? 0 : percentile(values, 50);
}

}  // namespace

int main(int argc, char** argv) {
    const Options o = read_options(argc, argv);
    ::setenv("IIR2D_PLANTED_REAL", IIR2D_REAL_LIBRARY, 1);
    std::vector<What> all;
    for (const int threads : o.threads) {
        for (const int size : o.sizes) {
            for (const int filter : o.filters)
                all.push_back({"filter " + std::to_string(filter), filter, size, threads});
            if (o.pool) all.push_back({"max 2x2", 0, size, threads});
        }
    }
    std::FILE* trials = o.trials_out.empty() ? nullptr : std::fopen(o.trials_out.c_str(), "w");
    if (trials == nullptr && !o.trials_out.empty()) {
        std::perror(o.trials_out.c_str());
        return 1;
    }
    if (trials != nullptr)
        std::fputs(
            "case,size,threads,planted_percent,planted_ratio,trial,verdict,ratio,low,high,control,pairs,"
            "seconds,reason\n",
            trials);
    std::printf(
        "| case | size | threads | planted | calibrated to | SAME | FASTER | SLOWER | AMBIGUOUS | other | "
        "median s |\n");
    std::printf("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for (const What& what : all) {
        for (const double percent : o.slowdowns) {
            const auto [rows, ratio] = calibrated(what, o, percent);
            const Beside beside(o.beside);
            std::map<DuelVerdict, int> counts;
            std::vector<double> seconds;
            for (int trial = 0; trial < o.trials; ++trial) {
                DuelSettings s = settings_of(what, o);
                s.rule.seed = static_cast<std::uint64_t>(trial) + 1;
                plant(rows);
                const auto duel = run_duel(s, library("plain"), library("slower"));
                if (!duel) {
                    std::fprintf(stderr, "%s\n", duel.error().message.c_str());
                    return 1;
                }
                const DuelCase& c = duel->cases[0];
                ++counts[c.verdict];
                seconds.push_back(c.seconds);
                const DuelLook look = c.last() != nullptr ? *c.last() : DuelLook{};
                if (trials != nullptr) {
                    std::fprintf(trials, "%s,%d,%d,%g,%.4f,%d,%s,%.5f,%.5f,%.5f,%.5f,%zu,%.2f,\"%s\"\n",
                                 what.name.c_str(), what.size, what.threads, percent, ratio, trial,
                                 std::string(name_of(c.verdict)).c_str(), look.effect.ratio,
                                 look.effect.interval.low, look.effect.interval.high, look.control.ratio,
                                 c.pairs(), c.seconds, c.reason.c_str());
                    std::fflush(trials);
                }
            }
            const int known = counts[DuelVerdict::same] + counts[DuelVerdict::faster] +
                              counts[DuelVerdict::slower] + counts[DuelVerdict::ambiguous];
            std::printf("| %s | %d | %d | %g %% | %+.1f %% | %d | %d | %d | %d | %d | %.1f |\n",
                        what.name.c_str(), what.size, what.threads, percent, 100 * (ratio - 1),
                        counts[DuelVerdict::same], counts[DuelVerdict::faster], counts[DuelVerdict::slower],
                        counts[DuelVerdict::ambiguous], o.trials - known, median(seconds));
            std::fflush(stdout);
        }
    }
    if (trials != nullptr) std::fclose(trials);
    return 0;
}
