// SPDX-License-Identifier: MIT
#include "core/synth/library.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/support/error.h"
#include "core/support/try.h"
#include "core/synth/expect.h"
#include "iir2d/reference.h"

namespace workbench::synth {

namespace {

std::unexpected<Error> other_form() {
    return fail(ErrorKind::check_failed, "it has not the form that is compared with the library");
}

// A kernel's tree, from which what is not the library's is taken.
struct Bare {
    Tree tree;

    const Expr& expr(Id id) const { return tree.exprs[id]; }
    bool is_symbol(Id id) const { return expr(id).op == Op::symbol; }
    bool is_literal(Id id) const { return expr(id).op == Op::literal; }
    double literal(Id id) const { return literal_value(expr(id)); }
    // Below casts: signed sums are computed unsigned.
    Id below_casts(Id id) const {
        while (expr(id).op == Op::cast) id = expr(id).args[0];
        return id;
    }
    const Stmt* first_loop(const std::vector<Id>& list) const {
        for (const Id id : list) {
            if (tree.stmts[id].kind == StmtKind::for_loop) return &tree.stmts[id];
        }
        return nullptr;
    }
    // What a symbol is declared with, in a list; nothing: it is not.
    Id declared(const std::vector<Id>& list, Id symbol) const {
        for (const Id id : list) {
            const Stmt& s = tree.stmts[id];
            if (s.kind == StmtKind::let && s.symbol == symbol) return s.value;
        }
        return nothing;
    }
};

// What the kernel without the rest gives on a first set of inputs.
struct Ran {
    std::vector<Argument> arguments;
    std::vector<double> input;   // n lines of m samples
    std::vector<double> output;  // likewise
    std::size_t m = 0;
    double largest = 1;  // of the input's magnitudes
};

Result<Ran> run(Tree tree, std::string_view canonical) {
    finish(tree);
    Ran made{.arguments = draw_inputs(tree, canonical, 0, 0), .m = inner_extent(canonical)};
    const auto numbers = [](const Argument& argument) {
        std::vector<double> all(argument.slots.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = argument.number(k);
        return all;
    };
    // The array that lines are read from.
    Id in = nothing;
    for (const Expr& e : tree.exprs) {
        if (e.op == Op::load && tree.symbols[e.symbol].kind == SymbolKind::input &&
            tree.symbols[e.symbol].extent.by_m == 1)
            in = e.symbol;
    }
    const auto place_of = [&](auto is_it) {
        const auto& parameters = tree.kernel.parameters;
        return static_cast<std::size_t>(std::ranges::find_if(parameters, is_it) - parameters.begin());
    };
    const std::size_t from = place_of([&](Id id) { return id == in; });
    const std::size_t to = place_of([&](Id id) { return is_written(tree.symbols[id].kind); });
    if (from == made.arguments.size() || to == made.arguments.size()) return other_form();
    made.input = numbers(made.arguments[from]);
    const Interpreted done = interpret(tree, made.arguments, {.mode = Mode::values});
    if (!done.error.empty()) return fail(ErrorKind::check_failed, done.error);
    made.output = numbers(made.arguments[to]);
    if (made.input.size() != launch_n * made.m || made.output.size() != made.input.size())
        return other_form();
    for (const double x : made.input) made.largest = std::max(made.largest, std::abs(x));
    return made;
}

std::string differs(std::size_t line, std::size_t sample, double got, double wanted) {
    return "line " + std::to_string(line) + ", sample " + std::to_string(sample) + ": " +
           std::to_string(got) + ", by the library " + std::to_string(wanted);
}

// ---- Filters

struct Filter {
    std::vector<iir2d::Section> sections;
    bool is_reversed = false;
    bool starts_at_edge = false;  // else from zeros
    Type type = Type::f32;
};

// One section's "b0 * x + b1 * x1 - a1 * y1 - a2 * y2", and the statements behind it that move its history.
class SectionReader {
  public:
    SectionReader(const Bare& bare, Id input, Id result) : m_bare(bare), m_input(input), m_result(result) {}

    void take_move(const Stmt& s) {
        if (!m_bare.is_symbol(s.value)) return;
        const Id moved = m_bare.expr(s.value).symbol;
        (moved == m_input ? m_x1 : moved == m_result ? m_y1 : m_y2) = s.symbol;
    }
    std::optional<iir2d::Section> section(Id value) {
        m_made.order = m_y2 == nothing ? 1 : 2;
        m_made.b = {0, 0, 0};
        if (m_y1 == nothing || !add_terms(value, 1)) return std::nullopt;
        return m_made;
    }
    // Its history, which has to begin alike.
    std::vector<Id> history() const {
        std::vector<Id> made;
        for (const Id id : {m_x1, m_y1, m_y2}) {
            if (id != nothing) made.push_back(id);
        }
        return made;
    }

  private:
    bool add_terms(Id id, double sign) {
        const Expr& e = m_bare.expr(id);
        if (e.op == Op::add || e.op == Op::sub)
            return add_terms(e.args[0], sign) && add_terms(e.args[1], e.op == Op::sub ? -sign : sign);
        if (e.op != Op::mul || !m_bare.is_literal(e.args[0]) || !m_bare.is_symbol(e.args[1])) return false;
        const double factor = sign * m_bare.literal(e.args[0]);
        const Id symbol = m_bare.expr(e.args[1]).symbol;
        if (symbol == m_input)
            m_made.b[0] += factor;
        else if (symbol == m_x1)
            m_made.b[1] += factor;
        else if (symbol == m_y1)
            m_made.a[0] += factor;
        else if (symbol == m_y2)
            m_made.a[1] += factor;
        else
            return false;
        return true;
    }

    const Bare& m_bare;
    Id m_input, m_result;
    Id m_x1 = nothing, m_y1 = nothing, m_y2 = nothing;
    iir2d::Section m_made;
};

// Reads the sections, and takes from the tree what scales samples before and changes results after them.
Result<Filter> read_filter(Bare& bare) {
    const Stmt* const loop = bare.first_loop(bare.tree.kernel.body);
    if (loop == nullptr || loop->body.size() < 3) return other_form();
    Filter made{.is_reversed = loop->step < 0};
    std::vector<Id> body = loop->body;
    const auto stmt = [&](std::size_t k) -> const Stmt& { return bare.tree.stmts[body[k]]; };
    Id input = stmt(0).symbol;
    if (stmt(0).kind != StmtKind::let || bare.expr(stmt(0).value).op != Op::load) return other_form();
    made.type = bare.tree.symbols[input].type;
    if (stmt(1).kind == StmtKind::assign && stmt(1).symbol == input) body.erase(body.begin() + 1);
    std::size_t k = 1;
    while (k < body.size() && stmt(k).kind == StmtKind::let) {
        const Id result = stmt(k).symbol, value = stmt(k).value;
        SectionReader reader(bare, input, result);
        for (++k; k < body.size() && stmt(k).kind == StmtKind::assign; ++k) reader.take_move(stmt(k));
        const auto section = reader.section(value);
        if (!section) return other_form();
        for (const Id history : reader.history()) {
            const Id start = bare.declared(bare.tree.kernel.body, history);
            if (start == nothing) return other_form();
            made.starts_at_edge = bare.is_symbol(start);
            if (!made.starts_at_edge && !(bare.is_literal(start) && bare.literal(start) == 0))
                return other_form();
        }
        made.sections.push_back(*section);
        input = result;
    }
    if (k + 1 != body.size() || stmt(k).kind != StmtKind::store || made.sections.empty()) return other_form();
    // The loop's statements are those of the copy above.
    Stmt& store = bare.tree.stmts[body[k]];
    bare.tree.exprs.push_back({.op = Op::symbol, .type = made.type, .symbol = input});
    store.value = static_cast<Id>(bare.tree.exprs.size() - 1);
    for (Stmt& s : bare.tree.stmts) {
        if (s.kind == StmtKind::for_loop) s.body = body;
    }
    return made;
}

iir2d::FilterData data_of(const Filter& filter, std::span<const iir2d::Section> sections) {
    const auto kind = filter.is_reversed ? iir2d::Stage::Kind::anticausal : iir2d::Stage::Kind::causal;
    return {.horizontal = {{{.kind = kind, .sections = {sections.begin(), sections.end()}}}},
            .vertical = {{{.sections = {{.order = 0}}}}}};
}

// One section over lines, in place, from a history of zeros; before the line stand samples of `before`.
Result<void> run_section(const Filter& filter, iir2d::Section section, std::span<double> line,
                         double before) {
    section.start_b = {0, 0, 0};
    const iir2d::FilterDesc desc{.shape = {1, 1, 1, static_cast<std::int64_t>(line.size())},
                                 .border = iir2d::Border::constant,
                                 .border_const = before,
                                 .precision = iir2d::Precision::f64,
                                 .data = {data_of(filter, {&section, 1})}};
    return from_kernel(iir2d::reference::filter(desc, line, line));
}

// The library makes a section's history of its own input; a kernel's is the line's first sample, for sections
// behind the first too. So sections go one by one, from zeros, and what a history of that sample gives by
// itself is added: a section without taps over the samples that the history makes.
Result<std::vector<double>> filtered(const Filter& filter, const Ran& ran) {
    std::vector<double> lines = ran.input;
    for (std::size_t row = 0; row < launch_n; ++row) {
        const std::span line = std::span(lines).subspan(row * ran.m, ran.m);
        const double edge = !filter.starts_at_edge ? 0 : filter.is_reversed ? line.back() : line.front();
        for (const iir2d::Section& section : filter.sections) {
            IIR2D_RETURN_IF_ERROR(run_section(filter, section, line, edge));
            if (edge == 0) continue;
            std::vector<double> history(ran.m);
            const auto at = [&](std::size_t k) -> double& {
                return history[filter.is_reversed ? ran.m - 1 - k : k];
            };
            at(0) = (section.a[0] + section.a[1]) * edge;
            at(1) = section.a[1] * edge;
            iir2d::Section alone = section;
            alone.b = {1, 0, 0};
            IIR2D_RETURN_IF_ERROR(run_section(filter, alone, history, 0));
            for (std::size_t k = 0; k < ran.m; ++k) line[k] += history[k];
        }
    }
    return lines;
}

Result<void> compare_filter(const Tree& tree, std::string_view canonical) {
    Bare bare{tree};
    IIR2D_TRY(const Filter filter, read_filter(bare));
    IIR2D_TRY(const Ran ran, run(std::move(bare.tree), canonical));
    IIR2D_TRY(const auto wanted, filtered(filter, ran));
    const iir2d::FilterDesc desc{
        .shape = {1, 1, launch_n, static_cast<std::int64_t>(ran.m)},
        .precision = filter.type == Type::f64 ? iir2d::Precision::f64 : iir2d::Precision::f32,
        .data = {data_of(filter, filter.sections)}};
    IIR2D_TRY(const auto cpu, from_kernel(iir2d::Device::cpu(1)));
    IIR2D_TRY(const auto plan, from_kernel(iir2d::FilterPlan::make(cpu, desc)));
    // A plan's bound is of samples from 0 to 1; these have both signs.
    const double bound = plan.precision().max_abs_error.value_or(0) * 2 * ran.largest;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (!(std::abs(ran.output[k] - wanted[k]) <= bound))
            return fail(ErrorKind::check_failed, differs(k / ran.m, k % ran.m, ran.output[k], wanted[k]));
    }
    return {};
}

// ---- Pooling

struct Pool {
    enum class Kind { max, min, sum, mean } kind = Kind::max;
    std::int64_t size = 0, stride = 1, padding = 0, dilation = 1;
    Type type = Type::f32;
};

// "j * stride + k * dilation - padding", within min and max where places are held inside of the line.
bool read_place(const Bare& bare, Id place, Pool& made) {
    while (bare.expr(place).op == Op::min || bare.expr(place).op == Op::max) place = bare.expr(place).args[0];
    if (bare.expr(place).op == Op::sub) {
        made.padding = static_cast<std::int64_t>(bare.literal(bare.expr(place).args[1]));
        place = bare.expr(place).args[0];
    }
    const Expr& sum = bare.expr(place);
    if (sum.op != Op::add) return false;
    const Expr &first = bare.expr(sum.args[0]), &tap = bare.expr(sum.args[1]);
    if (first.op != Op::mul || !bare.is_literal(first.args[1])) return false;
    made.stride = static_cast<std::int64_t>(bare.literal(first.args[1]));
    if (tap.op == Op::mul) made.dilation = static_cast<std::int64_t>(bare.literal(tap.args[1]));
    return tap.op == Op::mul || tap.op == Op::symbol;
}

// A sample's place in "in[i * m + place]".
Id place_of(const Bare& bare, Id sample) {
    const Expr& load = bare.expr(bare.below_casts(sample));
    if (load.op != Op::load || bare.expr(load.args[0]).op != Op::add) return nothing;
    return bare.expr(load.args[0]).args[1];
}

// Weighted samples become the samples.
void take_weights(Bare& bare) {
    for (Expr& e : bare.tree.exprs) {
        if (e.op != Op::mul) continue;
        const Id factor = bare.below_casts(e.args[1]), sample = bare.below_casts(e.args[0]);
        const Expr& of = bare.expr(sample);
        if (of.op == Op::load && bare.is_symbol(factor) &&
            bare.tree.symbols[bare.expr(factor).symbol].kind == SymbolKind::local)
            e = Expr(bare.expr(e.args[0]));
    }
}

// The result alone of "result", "result / size" and what is made of either.
void take_changes(Bare& bare, Stmt& store, Id best, Pool& made) {
    const auto is_result = [&](Id id) {
        const Expr& e = bare.expr(bare.below_casts(id));
        if (e.op == Op::symbol) return e.symbol == best;
        return e.op == Op::div && bare.is_symbol(e.args[0]) && bare.expr(e.args[0]).symbol == best &&
               bare.is_literal(e.args[1]);
    };
    Id value = store.value;
    if (!is_result(value)) value = bare.expr(bare.below_casts(value)).args[0];
    value = bare.below_casts(value);
    if (bare.expr(value).op == Op::div) made.kind = Pool::Kind::mean;
    store.value = value;
}

Result<Pool> read_pool(Bare& bare) {
    take_weights(bare);
    const Stmt* const windows = bare.first_loop(bare.tree.kernel.body);
    const Stmt* const taps = windows == nullptr ? nullptr : bare.first_loop(windows->body);
    if (taps == nullptr || windows->body.size() != 3 || !bare.is_literal(taps->index) ||
        !bare.is_literal(taps->value))
        return other_form();
    Stmt& store = bare.tree.stmts[windows->body[2]];
    const Id best = bare.tree.stmts[windows->body[0]].symbol;
    Pool made{.size = static_cast<std::int64_t>(bare.literal(taps->index)),
              .type = bare.tree.symbols[best].type};
    const Stmt& tap = bare.tree.stmts[taps->body[0]];
    Id place = nothing;
    if (tap.kind == StmtKind::assign) {
        const Expr& folded = bare.expr(tap.value);
        made.kind = folded.op == Op::min ? Pool::Kind::min : Pool::Kind::max;
        if (folded.op == Op::min || folded.op == Op::max) place = place_of(bare, folded.args[1]);
    } else if (tap.kind == StmtKind::let) {
        made.kind = Pool::Kind::sum;
        place = tap.value;
    }
    if (place == nothing || !read_place(bare, place, made) || store.kind != StmtKind::store)
        return other_form();
    take_changes(bare, store, best, made);
    return made;
}

// A line as windows read it: beyond its ends the last sample, of sums zeros.
std::vector<double> extended(const Pool& pool, std::span<const double> line, std::int64_t windows) {
    const bool repeats = pool.kind == Pool::Kind::max || pool.kind == Pool::Kind::min;
    const auto m = static_cast<std::int64_t>(line.size());
    std::vector<double> made;
    const std::int64_t size = (windows - 1) * pool.stride + (pool.size - 1) * pool.dilation + 1;
    for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t at = k - pool.padding;
        const double value = line[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, m - 1))];
        made.push_back(repeats || (at >= 0 && at < m) ? (pool.kind == Pool::Kind::min ? -value : value) : 0);
    }
    return made;
}

Result<void> compare_pool(const Tree& tree, std::string_view canonical) {
    Bare bare{tree};
    IIR2D_TRY(const Pool pool, read_pool(bare));
    IIR2D_TRY(const Ran ran, run(std::move(bare.tree), canonical));
    const auto m = static_cast<std::int64_t>(ran.m), windows = (m + pool.stride - 1) / pool.stride;
    const bool is_fold = pool.kind == Pool::Kind::max || pool.kind == Pool::Kind::min;
    iir2d::PoolDesc desc{.op = is_fold ? iir2d::PoolOp::max : iir2d::PoolOp::avg,
                         .window = {1, pool.size},
                         .stride = iir2d::Extent{1, pool.stride},
                         .dilation = {1, pool.dilation},
                         .element = iir2d::ElementType::f64};
    if (pool.kind == Pool::Kind::sum) desc.divisor_override = 1;
    // docs/pooling.md: of the sum of the window's magnitudes over the divisor.
    const double share = is_fold || is_integer(pool.type) ? 0 : pool.type == Type::f64 ? 1e-12 : 2e-6;
    std::vector<double> wanted(static_cast<std::size_t>(windows));
    for (std::size_t row = 0; row < launch_n; ++row) {
        const auto line = extended(pool, std::span(ran.input).subspan(row * ran.m, ran.m), windows);
        desc.shape = {1, 1, 1, static_cast<std::int64_t>(line.size())};
        IIR2D_RETURN_IF_ERROR(from_kernel(iir2d::reference::pool(desc, line, wanted)));
        for (std::int64_t j = 0; j < windows; ++j) {
            double magnitudes = 0;
            for (std::int64_t k = 0; k < pool.size; ++k)
                magnitudes += std::abs(line[static_cast<std::size_t>(j * pool.stride + k * pool.dilation)]);
            if (pool.kind == Pool::Kind::mean) magnitudes /= static_cast<double>(pool.size);
            const auto at = static_cast<std::size_t>(j);
            const double got = ran.output[row * ran.m + at];
            const double want = pool.kind == Pool::Kind::min ? -wanted[at] : wanted[at];
            // Sums of integers are those of 32 bits.
            const double off = is_integer(pool.type) ? std::remainder(got - want, 0x1p32) : got - want;
            if (!(std::abs(off) <= share * magnitudes))
                return fail(ErrorKind::check_failed, differs(row, at, got, want));
        }
    }
    return {};
}

}  // namespace

std::string library_disagreement(Category category, const Tree& tree, std::string_view canonical) {
    if (category != Category::iir && category != Category::pool) return "";
    const auto done =
        category == Category::iir ? compare_filter(tree, canonical) : compare_pool(tree, canonical);
    return done ? "" : done.error().message;
}

}  // namespace workbench::synth
