// SPDX-License-Identifier: MIT
#include "core/synth/tree.h"

#include <bit>
#include <cstring>

namespace workbench::synth {

namespace {

constexpr std::array<TypeInfo, 14> types{{
    {"none", "void", Type::none, 0, 0},
    {"bool", "bool", Type::boolean, 1, 1},
    {"i32", "int", Type::i32, 1, 4},
    {"u32", "unsigned", Type::u32, 1, 4},
    {"i64", "long long", Type::i64, 1, 8},
    {"u64", "unsigned long long", Type::u64, 1, 8},
    {"f32", "float", Type::f32, 1, 4},
    {"f64", "double", Type::f64, 1, 8},
    {"float2", "float2", Type::f32, 2, 4},
    {"float3", "float3", Type::f32, 3, 4},
    {"float4", "float4", Type::f32, 4, 4},
    {"mat2", "mat2", Type::f32, 4, 4},
    {"mat3", "mat3", Type::f32, 9, 4},
    {"mat4", "mat4", Type::f32, 16, 4},
}};

constexpr std::array<OpInfo, ops> table{{
    {"literal", "", "", Form::leaf, 0, 0, false, "literal"},
    {"symbol", "", "", Form::leaf, 0, 0, false, "symbol"},
    {"load", "", "", Form::other, 2, 1, false, "load"},
    {"component", "", "", Form::other, 2, 1, false, "component"},
    {"neg", "-", "", Form::prefix, 3, 1, false, "negate"},
    {"not", "~", "", Form::prefix, 3, 1, false, "bit"},
    {"lnot", "!", "", Form::prefix, 3, 1, false, "logical"},
    {"add", "+", "", Form::infix, 6, 2, true, "add"},
    {"sub", "-", "", Form::infix, 6, 2, false, "add"},
    {"mul", "*", "", Form::infix, 5, 2, true, "mul"},
    {"div", "/", "", Form::infix, 5, 2, false, "mul"},
    {"rem", "%", "", Form::infix, 5, 2, false, "mul"},
    {"and", "&", "", Form::infix, 11, 2, true, "bit"},
    {"or", "|", "", Form::infix, 13, 2, true, "bit"},
    {"xor", "^", "", Form::infix, 12, 2, true, "bit"},
    {"shl", "<<", "", Form::infix, 7, 2, false, "shift"},
    {"shr", ">>", "", Form::infix, 7, 2, false, "shift"},
    {"lt", "<", "", Form::infix, 9, 2, false, "compare"},
    {"le", "<=", "", Form::infix, 9, 2, false, "compare"},
    {"gt", ">", "", Form::infix, 9, 2, false, "compare"},
    {"ge", ">=", "", Form::infix, 9, 2, false, "compare"},
    {"eq", "==", "", Form::infix, 10, 2, true, "compare"},
    {"ne", "!=", "", Form::infix, 10, 2, true, "compare"},
    {"land", "&&", "", Form::infix, 14, 2, false, "logical"},
    {"lor", "||", "", Form::infix, 15, 2, false, "logical"},
    {"select", "?", "", Form::other, 16, 3, false, "select"},
    {"cast", "", "", Form::other, 3, 1, false, "cast"},
    {"min", "min", "fminf", Form::function, 2, 2, true, "min_max"},
    {"max", "max", "fmaxf", Form::function, 2, 2, true, "min_max"},
    {"fma", "fma", "fmaf", Form::function, 2, 3, false, "fma"},
    {"abs", "fabs", "fabsf", Form::function, 2, 1, false, "abs"},
    {"sin", "sin", "sinf", Form::function, 2, 1, false, "function", 2, 2},
    {"cos", "cos", "cosf", Form::function, 2, 1, false, "function", 2, 2},
    {"tan", "tan", "tanf", Form::function, 2, 1, false, "function", 4, 2},
    {"exp", "exp", "expf", Form::function, 2, 1, false, "function", 2, 1},
    {"exp2", "exp2", "exp2f", Form::function, 2, 1, false, "function", 2, 1},
    {"log", "log", "logf", Form::function, 2, 1, false, "function", 1, 1},
    {"log2", "log2", "log2f", Form::function, 2, 1, false, "function", 1, 1},
    {"log1p", "log1p", "log1pf", Form::function, 2, 1, false, "function", 1, 1},
    {"tanh", "tanh", "tanhf", Form::function, 2, 1, false, "function", 2, 1, 2},
    {"sqrt", "sqrt", "sqrtf", Form::function, 2, 1, false, "function"},
    {"rsqrt", "rsqrt", "rsqrtf", Form::function, 2, 1, false, "function", 2, 1},
    {"cbrt", "cbrt", "cbrtf", Form::function, 2, 1, false, "function", 1, 1, 4},
    {"pow", "pow", "powf", Form::function, 2, 2, false, "function", 4, 2},
    {"atan2", "atan2", "atan2f", Form::function, 2, 2, false, "function", 3, 2},
    {"erf", "erf", "erff", Form::function, 2, 1, false, "function", 2, 2},
    {"hypot", "hypot", "hypotf", Form::function, 2, 2, false, "function", 3, 2},
    {"floor", "floor", "floorf", Form::function, 2, 1, false, "rounding"},
    {"ceil", "ceil", "ceilf", Form::function, 2, 1, false, "rounding"},
    {"trunc", "trunc", "truncf", Form::function, 2, 1, false, "rounding"},
    {"fmod", "fmod", "fmodf", Form::function, 2, 2, false, "function"},
    {"make", "make_", "make_", Form::function, 2, 4, false, "make"},
    {"dot", "dot", "dot", Form::function, 2, 2, true, "vector"},
    {"cross", "cross", "cross", Form::function, 2, 2, false, "vector"},
    {"length", "length", "length", Form::function, 2, 1, false, "vector"},
    {"normalize", "normalize", "normalize", Form::function, 2, 1, false, "vector"},
    {"matvec", "matvec", "matvec", Form::function, 2, 2, false, "matrix"},
    {"matmat", "matmat", "matmat", Form::function, 2, 2, false, "matrix"},
    {"transpose", "transpose", "transpose", Form::function, 2, 1, false, "matrix"},
    {"determinant", "determinant", "determinant", Form::function, 2, 1, false, "matrix"},
    {"outer", "outer", "outer", Form::function, 2, 2, false, "matrix"},
    {"thread", "threadIdx.x", "", Form::leaf, 0, 0, false, "thread"},
    {"block", "blockIdx.x", "", Form::leaf, 0, 0, false, "block"},
    {"shuffle_xor", "__shfl_xor_sync", "", Form::function, 2, 2, false, "shuffle"},
    {"shuffle_down", "__shfl_down_sync", "", Form::function, 2, 2, false, "shuffle"},
    {"shuffle_up", "__shfl_up_sync", "", Form::function, 2, 2, false, "shuffle"},
    {"vote_any", "__any_sync", "", Form::function, 2, 1, false, "vote"},
    {"vote_all", "__all_sync", "", Form::function, 2, 1, false, "vote"},
    {"ballot", "__ballot_sync", "", Form::function, 2, 1, false, "vote"},
    {"call", "", "", Form::other, 2, 0, false, "call"},
}};

// Copies what is reachable, in the order of the printed source.
class Renumbering {
  public:
    explicit Renumbering(Tree& tree)
        : m_old(tree), m_symbols(tree.symbols.size(), nothing), m_read(tree.symbols.size(), false) {}

    void run() {
        m_new.is_block = m_old.is_block;
        for (const Function& helper : m_old.helpers) {
            Function made{helper.name, helper.result, {}, {}};
            for (const Id id : helper.parameters) made.parameters.push_back(symbol(id));
            made.body = list(helper.body);
            m_new.helpers.push_back(std::move(made));
        }
        m_new.kernel.name = m_old.kernel.name;
        for (const Id id : m_old.kernel.parameters) m_new.kernel.parameters.push_back(symbol(id));
        for (Id id = 0; id < m_old.symbols.size(); ++id) {
            if (m_old.symbols[id].kind == SymbolKind::index) symbol(id);
        }
        m_new.kernel.body = list(m_old.kernel.body);
        for (Id id = 0; id < m_old.symbols.size(); ++id) {
            if (m_symbols[id] == nothing) continue;
            Symbol& made = m_new.symbols[m_symbols[id]];
            if (is_written(made.kind)) made.kind = m_read[id] ? SymbolKind::inout : SymbolKind::output;
        }
        m_old = std::move(m_new);
    }

  private:
    Id symbol(Id id) {
        if (id == nothing) return nothing;
        if (m_symbols[id] == nothing) {
            m_symbols[id] = static_cast<Id>(m_new.symbols.size());
            m_new.symbols.push_back(m_old.symbols[id]);
        }
        return m_symbols[id];
    }
    Id expr(Id id) {
        if (id == nothing) return nothing;
        Expr made = m_old.exprs[id];
        if (made.op == Op::symbol) made.symbol = symbol(made.symbol);
        if (made.op == Op::load) {
            m_read[made.symbol] = true;
            made.symbol = symbol(made.symbol);
        }
        for (std::size_t k = 0; k < made.count; ++k) made.args[k] = expr(m_old.exprs[id].args[k]);
        m_new.exprs.push_back(made);
        return static_cast<Id>(m_new.exprs.size() - 1);
    }
    Id stmt(Id id) {
        Stmt made = m_old.stmts[id];
        if (made.kind == StmtKind::atomic) m_read[made.symbol] = true;
        // A declaration's value is read before the name is there.
        if (made.kind == StmtKind::let) {
            made.value = expr(made.value);
            made.symbol = symbol(made.symbol);
        } else {
            made.symbol = symbol(made.symbol);
            made.value = expr(made.value);
        }
        made.index = expr(made.index);
        made.body = list(m_old.stmts[id].body);
        made.otherwise = list(m_old.stmts[id].otherwise);
        m_new.stmts.push_back(std::move(made));
        return static_cast<Id>(m_new.stmts.size() - 1);
    }
    std::vector<Id> list(const std::vector<Id>& ids) {
        std::vector<Id> made;
        made.reserve(ids.size());
        for (const Id id : ids) made.push_back(stmt(id));
        return made;
    }

    Tree& m_old;
    Tree m_new;
    std::vector<Id> m_symbols;
    std::vector<bool> m_read;
};

}  // namespace

const TypeInfo& info(Type type) {
    return types[static_cast<std::size_t>(type)];
}
const OpInfo& info(Op op) {
    return table[static_cast<std::size_t>(op)];
}
Type vector_of(int rank) {
    return static_cast<Type>(static_cast<int>(Type::float2) + rank - 2);
}
Type matrix_of(int rank) {
    return static_cast<Type>(static_cast<int>(Type::mat2) + rank - 2);
}

std::string_view name_of(AtomicOp op) {
    constexpr std::array<std::string_view, 6> names{"atomicAdd", "atomicMin", "atomicMax",
                                                    "atomicAnd", "atomicOr",  "atomicXor"};
    return names[static_cast<std::size_t>(op)];
}

void finish(Tree& tree) {
    Renumbering(tree).run();
}

bool is_same(const Tree& tree, Id a, Id b) {
    const Expr& x = tree.exprs[a];
    const Expr& y = tree.exprs[b];
    if (x.op != y.op || x.type != y.type || x.count != y.count || x.symbol != y.symbol || x.bits != y.bits)
        return false;
    for (std::uint8_t k = 0; k < x.count; ++k) {
        if (!is_same(tree, x.args[k], y.args[k])) return false;
    }
    return true;
}

double literal_value(const Expr& expr) {
    switch (expr.type) {
        case Type::f32:
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(expr.bits)));
        case Type::f64:
            return std::bit_cast<double>(expr.bits);
        case Type::i32:
            return static_cast<double>(static_cast<std::int32_t>(expr.bits));
        case Type::i64:
            return static_cast<double>(static_cast<std::int64_t>(expr.bits));
        default:
            return static_cast<double>(expr.bits);
    }
}

std::uint64_t bits_of(Type type, double value) {
    switch (type) {
        case Type::f32:
            return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        case Type::f64:
            return std::bit_cast<std::uint64_t>(value);
        case Type::i32:
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
        case Type::i64:
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        case Type::u32:
            return static_cast<std::uint32_t>(value);
        default:
            return static_cast<std::uint64_t>(value);
    }
}

}  // namespace workbench::synth
