// SPDX-License-Identifier: MIT
#include "core/synth/jax_expressions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

namespace workbench::synth {

namespace {

// Names of Python and of the source's own.
const std::set<std::string_view>& python_names() {
    static const std::set<std::string_view> names{
        "False", "None",     "True",  "and",    "as",   "assert",   "async",  "await", "break",
        "class", "continue", "def",   "del",    "elif", "else",     "except", "for",   "finally",
        "from",  "global",   "if",    "import", "in",   "is",       "jax",    "jnp",   "lambda",
        "lax",   "nonlocal", "not",   "or",     "pass", "raise",    "return", "range", "try",
        "while", "with",     "yield", "made",   "mask", "least_of", "most_of"};
    return names;
}

template <class T>
std::string python_float(T value) {
    if (std::isnan(value)) return "float(\"nan\")";
    if (std::isinf(value)) return value < 0 ? "-float(\"inf\")" : "float(\"inf\")";
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    std::string made(text.data(), end);
    if (made.find_first_of(".e") == std::string::npos) made += ".0";
    return made;
}

std::string python_literal(const Expr& e) {
    switch (e.type) {
        case Type::f32:
            return python_float(std::bit_cast<float>(static_cast<std::uint32_t>(e.bits)));
        case Type::f64:
            return python_float(std::bit_cast<double>(e.bits));
        case Type::i32:
            return std::to_string(static_cast<std::int32_t>(e.bits));
        case Type::i64:
            return std::to_string(static_cast<std::int64_t>(e.bits));
        default:
            return std::to_string(e.bits);
    }
}

std::string_view jax_name(Op op) {
    switch (op) {
        case Op::abs:
            return "jnp.abs";
        case Op::rsqrt:
            return "lax.rsqrt";
        case Op::erf:
            return "jax.scipy.special.erf";
        case Op::pow:
            return "jnp.power";
        case Op::atan2:
            return "jnp.arctan2";
        case Op::fmod:
            return "jnp.fmod";
        default:
            return "";
    }
}

}  // namespace

std::string jax_type_name(Type type) {
    switch (element(type)) {
        case Type::boolean:
            return "jnp.bool_";
        case Type::i32:
            return "jnp.int32";
        case Type::u32:
            return "jnp.uint32";
        case Type::i64:
            return "jnp.int64";
        case Type::u64:
            return "jnp.uint64";
        case Type::f64:
            return "jnp.float64";
        default:
            return "jnp.float32";
    }
}

JaxExpressions::JaxExpressions(const Tree& tree)
    : m_tree(tree), m_names(tree.symbols.size()), m_is_static(tree.symbols.size()) {
    std::set<std::string> used;
    for (std::size_t id = 0; id < tree.symbols.size(); ++id) {
        std::string name = tree.symbols[id].name;
        if (python_names().contains(name)) name += "_";
        const std::string first = name;
        for (int k = 2; !used.insert(name).second; ++k) name = first + "_" + std::to_string(k);
        m_names[id] = std::move(name);
    }
    m_is_mutable.resize(tree.symbols.size());
    for (const Stmt& s : tree.stmts) {
        if (s.kind == StmtKind::assign) m_is_mutable[s.symbol] = true;
    }
}

void JaxExpressions::line(const std::string& text) {
    m_out += std::string(4 * m_depth, ' ') + text + "\n";
}

std::string JaxExpressions::named(const std::string& stem, const std::string& value) {
    const std::string name = stem + "_" + std::to_string(++m_numbers);
    line(name + " = " + value);
    return name;
}

void JaxExpressions::find_static_arguments() {
    for (const Function& helper : m_tree.helpers) {
        for (const Id id : helper.parameters) m_is_static[id] = symbol(id).type == Type::i32;
    }
    // An argument that is anywhere given something else is none.
    for (bool any = true; any;) {
        any = false;
        for (const Expr& e : m_tree.exprs) {
            if (e.op != Op::call) continue;
            const Function& helper = m_tree.helpers[e.symbol];
            for (std::size_t k = 0; k < helper.parameters.size(); ++k) {
                if (!m_is_static[helper.parameters[k]] || is_static(e.args[k])) continue;
                m_is_static[helper.parameters[k]] = false;
                any = true;
            }
        }
    }
}

bool JaxExpressions::is_static(Id id) const {
    const Expr& e = m_tree.exprs[id];
    if (e.op == Op::literal) return e.type == Type::i32;
    if (e.op == Op::symbol) return m_is_static[e.symbol];
    if (e.op != Op::add && e.op != Op::sub && !is_compare(e.op)) return false;
    return type(e.args[0]) == Type::i32 && is_static(e.args[0]) && is_static(e.args[1]);
}

std::string JaxExpressions::static_text(Id id) const {
    const Expr& e = m_tree.exprs[id];
    if (e.op == Op::literal) return python_literal(e);
    if (e.op == Op::symbol) return m_names[e.symbol];
    const auto inner = [&](Id arg) {
        const std::string text = static_text(arg);
        return m_tree.exprs[arg].count == 0 ? text : "(" + text + ")";
    };
    return inner(e.args[0]) + " " + std::string(info(e.op).spelling) + " " + inner(e.args[1]);
}

bool JaxExpressions::is_uniform(Id id) const {
    const Expr& e = m_tree.exprs[id];
    if (e.op == Op::load || e.op == Op::call) return false;
    if (e.op == Op::symbol) {
        const Symbol& s = symbol(e.symbol);
        switch (s.kind) {
            case SymbolKind::scalar:
            case SymbolKind::n:
            case SymbolKind::m:
            case SymbolKind::loop:  // of loops whose ends are uniform, as all that are printed
                return true;
            case SymbolKind::local:
                return !m_is_mutable[e.symbol] && m_uniform.contains(e.symbol);
            default:
                return m_is_static[e.symbol];
        }
    }
    return std::all_of(e.args.begin(), e.args.begin() + e.count, [&](Id arg) { return is_uniform(arg); });
}

std::string JaxExpressions::operand(Id id) {
    const Expr& e = m_tree.exprs[id];
    const bool is_infix =
        info(e.op).form == Form::infix || info(e.op).form == Form::prefix || e.op == Op::fma;
    const std::string text = expr(id);
    return is_infix ? "(" + text + ")" : text;
}

std::string JaxExpressions::operand(Id id, Type other) {
    const std::string text = operand(id);
    return is_scalar(type(id)) && !is_scalar(other) ? broadcast(text, other) : text;
}

std::string JaxExpressions::call(const std::string& name, const Expr& e) {
    std::string made = name + "(";
    for (std::size_t k = 0; k < e.count; ++k) made += (k ? ", " : "") + expr(e.args[k]);
    return made + ")";
}

std::string JaxExpressions::expr(Id id) {
    const Expr& e = m_tree.exprs[id];
    switch (e.op) {
        case Op::literal:
            if (e.type == Type::boolean) return e.bits ? "jnp.bool_(True)" : "jnp.bool_(False)";
            return jax_type_name(e.type) + "(" + python_literal(e) + ")";
        case Op::symbol: {
            const SymbolKind kind = symbol(e.symbol).kind;
            if (kind == SymbolKind::n || kind == SymbolKind::m || m_is_static[e.symbol])
                return "jnp.int32(" + m_names[e.symbol] + ")";
            return m_names[e.symbol];
        }
        case Op::load:
            return m_names[e.symbol] + "[" + expr(e.args[0]) + "]";
        case Op::component:
            return operand(e.args[0]) + "[..., " + std::to_string(e.symbol) + "]";
        case Op::neg:
            return "-" + operand(e.args[0]);
        case Op::bit_not:
        case Op::logical_not:
            return "~" + operand(e.args[0]);
        case Op::select:
            return "jnp.where(" + broadcast(operand(e.args[0]), e.type) + ", " + expr(e.args[1]) + ", " +
                   expr(e.args[2]) + ")";
        case Op::cast:
            return operand(e.args[0]) + ".astype(" + jax_type_name(e.type) + ")";
        case Op::call:
            return helper_call(e);
        default:
            break;
    }
    if (info(e.op).form == Form::infix) return infix(e);
    return function(e);
}

std::string JaxExpressions::helper_call(const Expr& e) {
    const Function& helper = m_tree.helpers[e.symbol];
    std::string made = helper.name + "(";
    for (std::size_t k = 0; k < e.count; ++k)
        made += (m_is_static[helper.parameters[k]] ? static_text(e.args[k]) : expr(e.args[k])) + ", ";
    return made + "n)";
}

std::string JaxExpressions::infix(const Expr& e) {
    const Type a = type(e.args[0]), b = type(e.args[1]);
    const std::string left = operand(e.args[0], b), right = operand(e.args[1], a);
    // Whole quotients go towards zero.
    if ((e.op == Op::div || e.op == Op::rem) && is_integer(e.type))
        return std::string(e.op == Op::div ? "lax.div" : "lax.rem") + "(*jnp.broadcast_arrays(" + left +
               ", " + right + "))";
    if (e.op == Op::shl || e.op == Op::shr)
        return left + (e.op == Op::shl ? " << " : " >> ") +
               (b == a ? right : right + ".astype(" + jax_type_name(a) + ")");
    if (e.op == Op::logical_and) return left + " & " + right;
    if (e.op == Op::logical_or) return left + " | " + right;
    return left + " " + std::string(info(e.op).spelling) + " " + right;
}

std::string JaxExpressions::function(const Expr& e) {
    const auto arg = [&](std::size_t k) { return operand(e.args[k]); };
    const Type first = type(e.args[0]);
    switch (e.op) {
        case Op::min:
        case Op::max:
            if (!is_float(e.type)) return call(e.op == Op::min ? "jnp.minimum" : "jnp.maximum", e);
            m_has_extremes = true;
            return call(e.op == Op::min ? "least_of" : "most_of", e);
        case Op::fma:
            return arg(0) + " * " + arg(1) + " + " + arg(2);
        case Op::make: {
            std::string made = "jnp.stack(jnp.broadcast_arrays(";
            for (std::size_t k = 0; k < e.count; ++k) made += (k ? ", " : "") + expr(e.args[k]);
            return made + "), -1)";
        }
        case Op::dot:
            return "jnp.sum(" + arg(0) + " * " + arg(1) + ", -1)";
        case Op::length:
            return "jnp.sqrt(jnp.sum(" + arg(0) + " * " + arg(0) + ", -1))";
        case Op::normalize:
            return "(" + arg(0) + " / jnp.sqrt(jnp.sum(" + arg(0) + " * " + arg(0) + ", -1, keepdims=True)))";
        case Op::cross:
            return call("jnp.cross", e);
        case Op::matvec:
            return "jnp.sum(" + arg(0) + " * " + arg(1) + "[..., None, :], -1)";
        case Op::matmat:
            return "jnp.sum(" + arg(0) + "[..., :, :, None] * " + arg(1) + "[..., None, :, :], -2)";
        case Op::transpose:
            return "jnp.swapaxes(" + expr(e.args[0]) + ", -1, -2)";
        case Op::outer:
            return "(" + arg(0) + "[..., :, None] * " + arg(1) + "[..., None, :])";
        case Op::determinant:
            return determinant(named("of", expr(e.args[0])), rank(first));
        default:
            break;
    }
    const std::string_view known = jax_name(e.op);
    return call(known.empty() ? "jnp." + std::string(info(e.op).name) : std::string(known), e);
}

std::string JaxExpressions::determinant(const std::string& of, int count) {
    const auto minor = [&](auto self, int row, std::vector<int> columns) -> std::string {
        const auto at = [&](int column) {
            return of + "[..., " + std::to_string(row) + ", " + std::to_string(column) + "]";
        };
        if (columns.size() == 1) return at(columns[0]);
        std::string made = "(";
        for (std::size_t k = 0; k < columns.size(); ++k) {
            std::vector<int> rest = columns;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
            made += (k == 0  ? ""
                     : k % 2 ? " - "
                             : " + ") +
                    at(columns[k]) + " * " + self(self, row + 1, rest);
        }
        return made + ")";
    };
    std::vector<int> all;
    for (int k = 0; k < count; ++k) all.push_back(k);
    return minor(minor, 0, all);
}

}  // namespace workbench::synth
