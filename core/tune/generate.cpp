// SPDX-License-Identifier: MIT
#include "core/tune/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "core/benchmark/draws.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/machine.h"

namespace workbench::tune {

namespace {

template <class T, std::size_t count>
Result<T> from_names(const std::array<std::pair<std::string_view, T>, count>& names, std::string_view what,
                     std::string_view name) {
    for (const auto& [known, value] : names) {
        if (known == name) return value;
    }
    return fail(ErrorKind::bad_argument,
                std::string(what) + " \"" + escaped(name) + "\" is not one of " +
                    joined(names, ", ", [](const auto& known) { return known.first; }));
}

constexpr std::array<std::pair<std::string_view, ProblemKind>, 7> kinds{
    {{"lognormal", ProblemKind::lognormal},
     {"pow2", ProblemKind::pow2},
     {"odd", ProblemKind::odd},
     {"thin", ProblemKind::thin},
     {"batch", ProblemKind::batch},
     {"edges", ProblemKind::edges},
     {"mixed", ProblemKind::mixed}}};
constexpr std::array<std::pair<std::string_view, TunedOp>, 3> ops{
    {{"iir", TunedOp::iir}, {"pool", TunedOp::pool}, {"pool-backward", TunedOp::pool_backward}}};
constexpr std::array<std::pair<std::string_view, ProblemSet>, 2> sets{
    {{"train", ProblemSet::train}, {"validation", ProblemSet::validation}}};

std::string_view name_of(ProblemKind kind) {
    return std::ranges::find(kinds, kind, &std::pair<std::string_view, ProblemKind>::second)->first;
}

// One problem's draws.
class Drawn {
  public:
    Drawn(std::uint64_t seed, const CacheSizes& caches) : m_draws(seed), m_caches(caches) {}

    // From least to most, both included.
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(m_draws.below(static_cast<std::size_t>(most - least + 1)));
    }
    bool one_in(std::size_t count) { return m_draws.below(count) == 0; }
    template <class T, std::size_t count>
    T one_of(const std::array<T, count>& values) {
        return values[m_draws.below(count)];
    }
    // In (0, 1].
    double part() { return (static_cast<double>(m_draws.next() >> 11) + 1) * 0x1p-53; }
    // Alike on a scale of logarithms.
    std::int64_t log_between(std::int64_t least, std::int64_t most) {
        const double low = std::log(static_cast<double>(least));
        const double high = std::log(static_cast<double>(most) + 1);
        const double value = std::exp(low + (high - low) * (1 - part()));
        return std::clamp(static_cast<std::int64_t>(value), least, most);
    }

    void draw_operation(Problem& problem, TunedOp op);
    void draw_size(Problem& problem, ProblemKind kind);

  private:
    std::int64_t normal_size();
    void draw_pool(Problem& problem, TunedOp op);
    void draw_edge(Problem& problem);

    Draws m_draws;
    CacheSizes m_caches;
};

// 512 times e to the power of a normal number (Box and Muller 1958).
std::int64_t Drawn::normal_size() {
    const double radius = std::sqrt(-2 * std::log(part()));
    const double normal = radius * std::cos(2 * std::numbers::pi * part());
    return std::clamp<std::int64_t>(std::llround(512 * std::exp(normal)), 16, 4096);
}

void Drawn::draw_size(Problem& problem, ProblemKind kind) {
    problem.planes = one_in(4) ? 3 : 1;
    switch (kind) {
        case ProblemKind::lognormal:
        case ProblemKind::mixed:
            problem.width = normal_size();
            problem.height = normal_size();
            break;
        case ProblemKind::pow2:
            problem.width = std::int64_t{1} << between(4, 12);
            problem.height = std::int64_t{1} << between(4, 12);
            break;
        case ProblemKind::odd:
            problem.width = log_between(8, 1024) * 2 + 1;
            problem.height = log_between(8, 1024) * 2 + 1;
            break;
        case ProblemKind::thin:
            problem.width = log_between(1, 64);
            problem.height = log_between(1024, 16384);
            if (one_in(2)) std::swap(problem.width, problem.height);
            break;
        case ProblemKind::batch:
            problem.planes = log_between(2, 64);
            problem.width = log_between(32, 512);
            problem.height = log_between(32, 512);
            break;
        case ProblemKind::edges:
            draw_edge(problem);
            break;
    }
}

// Bytes within 30 % of a cache's, of where stores change (8 and 16 MiB) or, of filters, threads (65,536
// samples).
void Drawn::draw_edge(Problem& problem) {
    const auto size = static_cast<std::int64_t>(iir2d::element_size(element_of(problem)));
    std::vector<std::int64_t> edges{std::int64_t{8} << 20, std::int64_t{16} << 20};
    if (problem.filter() != nullptr) edges.push_back(65536 * size);
    if (m_caches.l2 > 0) edges.push_back(m_caches.l2);
    if (m_caches.l3 > 0) edges.push_back(m_caches.l3);
    const std::int64_t edge = edges[m_draws.below(edges.size())];
    const double bytes = static_cast<double>(edge) * (0.7 + 0.6 * part());
    const double samples = bytes / static_cast<double>(size * problem.planes);
    const double aspect = std::exp2(4 * part() - 2);  // from a quarter to four
    problem.width = std::max<std::int64_t>(1, std::llround(std::sqrt(samples * aspect)));
    problem.height = std::max<std::int64_t>(1, std::llround(samples / static_cast<double>(problem.width)));
}

void Drawn::draw_operation(Problem& problem, TunedOp op) {
    if (op != TunedOp::iir) return draw_pool(problem, op);
    FilterOperation filter;
    filter.filter_id = static_cast<int>(between(1, static_cast<std::int64_t>(iir2d::filter_table().size())));
    filter.border = one_of(std::array{iir2d::Border::clamp, iir2d::Border::mirror, iir2d::Border::wrap,
                                      iir2d::Border::constant});
    filter.precision = one_of(std::array{iir2d::Precision::f32, iir2d::Precision::f32,
                                         iir2d::Precision::mixed, iir2d::Precision::f64});
    filter.start = one_in(4) ? iir2d::Start::steady : iir2d::Start::truncated;
    problem.operation = filter;
}

void Drawn::draw_pool(Problem& problem, TunedOp op) {
    PoolOperation pool;
    pool.op = one_of(std::array{iir2d::PoolOp::max, iir2d::PoolOp::max, iir2d::PoolOp::max,
                                iir2d::PoolOp::avg, iir2d::PoolOp::avg, iir2d::PoolOp::lp,
                                iir2d::PoolOp::adaptive_max, iir2d::PoolOp::adaptive_avg});
    if (is_adaptive(pool.op)) {
        pool.output = {log_between(1, 256), log_between(1, 256)};
    } else {
        pool.window.h = log_between(1, 65);
        pool.window.w = one_in(4) ? log_between(1, 65) : pool.window.h;
        switch (between(0, 3)) {
            case 0:
                pool.stride = iir2d::Extent{1, 1};
                break;
            case 1:
                pool.stride = iir2d::Extent{2, 2};
                break;
            case 2:
                pool.stride = iir2d::Extent{std::max<std::int64_t>(1, pool.window.h / 2),
                                            std::max<std::int64_t>(1, pool.window.w / 2)};
                break;
            default:
                pool.stride = pool.window;
        }
        if (one_in(4)) pool.padding = {pool.window.h / 2, pool.window.w / 2};
        if (one_in(16)) pool.dilation = {2, 2};
        if (pool.op == iir2d::PoolOp::lp && one_in(2)) pool.p = 1;
    }
    problem.element =
        one_of(std::array{iir2d::ElementType::f32, iir2d::ElementType::f32, iir2d::ElementType::f32,
                          iir2d::ElementType::f64, iir2d::ElementType::f16, iir2d::ElementType::bf16});
    problem.pass = op == TunedOp::pool_backward ? PoolPass::backward : PoolPass::forward;
    problem.places = is_max(pool.op) && problem.pass == PoolPass::forward && one_in(8);
    problem.operation = pool;
}

// What of a key is the same on every machine decides.
ProblemSet set_of(std::string_view key) {
    std::uint64_t hash = 0;
    for (const char c : key.substr(0, key.find(" device:")))
        hash = splitmix64(hash, static_cast<unsigned char>(c));
    return hash % 5 == 0 ? ProblemSet::validation : ProblemSet::train;
}

}  // namespace

Result<ProblemKind> problem_kind_from_name(std::string_view name) {
    return from_names(kinds, "kind of problems", name);
}
Result<TunedOp> tuned_op_from_name(std::string_view name) {
    return from_names(ops, "operation", name);
}
std::string_view name_of(ProblemSet set) {
    return set == ProblemSet::train ? "train" : "validation";
}
Result<ProblemSet> problem_set_from_name(std::string_view name) {
    return from_names(sets, "set", name);
}

Result<NamedProblem> named(Problem problem, const iir2d::Device& device, std::string source) {
    IIR2D_TRY(auto key, key_of(problem, device));
    std::string spec = spec_of(problem);
    return NamedProblem{std::move(problem), std::move(spec), std::move(key), std::move(source)};
}

Result<std::vector<NamedProblem>> generate_problems(const GenerateOptions& options,
                                                    const iir2d::Device& device) {
    constexpr std::array each{ProblemKind::lognormal, ProblemKind::pow2,  ProblemKind::odd,
                              ProblemKind::thin,      ProblemKind::batch, ProblemKind::edges};
    const CacheSizes caches = cache_sizes();
    std::vector<NamedProblem> made;
    std::set<std::string> keys;
    constexpr int most_draws = 200;  // of one kind and operation, until something fits
    const std::uint64_t most = 5000 + 200 * static_cast<std::uint64_t>(options.count);
    std::size_t turn = 0;  // so that there are as many of each
    int draws = 0;         // in this turn
    for (std::uint64_t i = 0; i < most && made.size() < options.count; ++i) {
        Drawn drawn(splitmix64(options.seed, i), caches);
        if (draws++ == most_draws) {
            ++turn;
            draws = 1;
        }
        const TunedOp op = options.ops[turn % options.ops.size()];
        ProblemKind kind = options.kinds[turn / options.ops.size() % options.kinds.size()];
        if (kind == ProblemKind::mixed)
            kind = each[turn / options.ops.size() / options.kinds.size() % each.size()];
        Problem problem;
        drawn.draw_operation(problem, op);
        drawn.draw_size(problem, kind);
        if (problem.width * problem.height * problem.planes > options.max_samples) continue;
        if (!problem_from_spec(spec_of(problem))) continue;  // a window larger than the plane
        auto one = named(std::move(problem), device, std::string(name_of(kind)));
        if (!one || set_of(one->key) != options.set || !keys.insert(one->key).second) continue;
        made.push_back(std::move(*one));
        ++turn;
        draws = 0;
    }
    if (made.empty())
        return fail(ErrorKind::bad_argument, "no such problem has at most " +
                                                 std::to_string(options.max_samples) +
                                                 " samples: give more --max-samples or other kinds");
    return made;
}

namespace {

// The cells of a line of CSV.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[++i];
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += line[i];
        }
    }
    return cells;
}

}  // namespace

Result<std::vector<NamedProblem>> read_problems(const std::string& file, const iir2d::Device& device) {
    IIR2D_TRY(const auto text, read_file(file, std::size_t{1} << 26));
    std::vector<NamedProblem> made;
    std::set<std::string> specs;
    std::optional<std::size_t> column;
    std::size_t number = 0;
    for (std::string_view rest = text; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.starts_with('#')) continue;
        std::string spec(line);
        if (const auto cells = cells_of(line); column) {
            if (*column >= cells.size()) continue;
            spec = cells[*column];
        } else if (const auto found = std::ranges::find(cells, "spec");
                   made.empty() && found != cells.end()) {
            column = static_cast<std::size_t>(found - cells.begin());
            continue;
        }
        auto problem = problem_from_spec(spec);
        auto one = problem ? named(std::move(*problem), device, "file")
                           : Result<NamedProblem>(std::unexpected(problem.error()));
        if (!one)
            return fail(one.error().kind, quoted(std::filesystem::path(file)) + " line " +
                                              std::to_string(number) + ": " + one.error().message);
        if (specs.insert(one->spec).second) made.push_back(std::move(*one));
    }
    if (made.empty())
        return fail(ErrorKind::bad_input, quoted(std::filesystem::path(file)) + " has no problem");
    return made;
}

}  // namespace workbench::tune
