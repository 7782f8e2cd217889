// SPDX-License-Identifier: MIT
// What sources carry for the operations that C++ or CUDA does not have.
#include <set>

#include "core/synth/print.h"

namespace workbench::synth {

namespace {

std::string number(int k) {
    return std::to_string(k);
}
std::string member(int k) {
    return std::string(1, "xyzw"[k]);
}
std::string name(Type type) {
    return std::string(info(type).spelling);
}

// "a.x * b.x + a.y * b.y"
std::string joined(int count, std::string_view between, const auto& term) {
    std::string made;
    for (int k = 0; k < count; ++k) made += (k ? std::string(between) : std::string()) + term(k);
    return made;
}

struct Line {
    Op op = Op::literal;
    Type left = Type::none;
    Type right = Type::none;
    auto operator<=>(const Line&) const = default;
};

// Element-wise, of two vectors or matrices or of one and a number.
std::string element_wise(const Line& line) {
    const std::string type = name(line.left), op(info(line.op).spelling);
    const bool scaled = line.right == Type::f32;
    std::string head = type + " operator" + op + "(" + type + " a";
    if (line.right != Type::none) head += ", " + name(line.right) + " b";
    head += ") { ";
    if (is_vector(line.left))
        return head + "return make_" + type + "(" +
               joined(rank(line.left), ", ",
                      [&](int k) {
                          if (line.right == Type::none) return op + "a." + member(k);
                          return "a." + member(k) + " " + op + " b" + (scaled ? "" : "." + member(k));
                      }) +
               "); }";
    const std::string count = number(info(line.left).components);
    const std::string right = line.right == Type::none ? "" : scaled ? " " + op + " b" : " " + op + " b.v[k]";
    return head + type + " c; for (int k = 0; k < " + count +
           "; ++k) c.v[k] = " + (line.right == Type::none ? op : "") + "a.v[k]" + right + "; return c; }";
}

std::string determinant(int r) {
    const auto at = [](int row, int column, int of) { return "a.v[" + number(row * of + column) + "]"; };
    if (r == 2) return "return a.v[0] * a.v[3] - a.v[1] * a.v[2];";
    const auto minor = [&](int row, int column, const std::array<int, 2>& rows,
                           const std::array<int, 2>& columns) {
        return at(row, column, r) + " * (" + at(rows[0], columns[0], r) + " * " + at(rows[1], columns[1], r) +
               " - " + at(rows[0], columns[1], r) + " * " + at(rows[1], columns[0], r) + ")";
    };
    if (r == 3)
        return "return " + minor(0, 0, {1, 2}, {1, 2}) + " - " + minor(0, 1, {1, 2}, {0, 2}) + " + " +
               minor(0, 2, {1, 2}, {0, 1}) + ";";
    // Four rows: by the first row; each minor by its own first row.
    std::string made = "float d = 0.0f;";
    for (int c = 0; c < 4; ++c) {
        std::array<int, 3> columns{};
        for (int k = 0, j = 0; k < 4; ++k) {
            if (k != c) columns[static_cast<std::size_t>(j++)] = k;
        }
        made += " d = d " + std::string(c % 2 ? "-" : "+") + " a.v[" + number(c) + "] * (" +
                minor(1, columns[0], {2, 3}, {columns[1], columns[2]}) + " - " +
                minor(1, columns[1], {2, 3}, {columns[0], columns[2]}) + " + " +
                minor(1, columns[2], {2, 3}, {columns[0], columns[1]}) + ");";
    }
    return made + " return d;";
}

std::string body_of(const Line& line) {
    const std::string type = name(line.left);
    const int r = rank(line.left);
    const std::string n = number(r), square = number(r * r);
    switch (line.op) {
        case Op::dot:
            return "float dot(" + type + " a, " + type + " b) { return " +
                   joined(r, " + ", [](int k) { return "a." + member(k) + " * b." + member(k); }) + "; }";
        case Op::cross:
            return "float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - "
                   "a.x * "
                   "b.z, a.x * b.y - a.y * b.x); }";
        case Op::length:
            return "float length(" + type + " a) { return sqrtf(" +
                   joined(r, " + ", [](int k) { return "a." + member(k) + " * a." + member(k); }) + "); }";
        case Op::normalize:
            return type + " normalize(" + type + " a) { float s = sqrtf(" +
                   joined(r, " + ", [](int k) { return "a." + member(k) + " * a." + member(k); }) +
                   "); return make_" + type + "(" +
                   joined(r, ", ", [](int k) { return "a." + member(k) + " / s"; }) + "); }";
        case Op::matvec: {
            const std::string vector = name(vector_of(r));
            return vector + " matvec(" + type + " a, " + vector + " b) { return make_" + vector + "(" +
                   joined(r, ", ",
                          [&](int row) {
                              return joined(r, " + ", [&](int k) {
                                  return "a.v[" + number(row * r + k) + "] * b." + member(k);
                              });
                          }) +
                   "); }";
        }
        case Op::matmat:
            return type + " matmat(" + type + " a, " + type + " b) { " + type + " c; for (int j = 0; j < " +
                   square + "; ++j) { float s = 0.0f; for (int k = 0; k < " + n + "; ++k) s = s + a.v[j / " +
                   n + " * " + n + " + k] * b.v[k * " + n + " + j % " + n + "]; c.v[j] = s; } return c; }";
        case Op::transpose:
            return type + " transpose(" + type + " a) { " + type + " c; for (int j = 0; j < " + square +
                   "; ++j) c.v[j] = a.v[j % " + n + " * " + n + " + j / " + n + "]; return c; }";
        case Op::determinant:
            return "float determinant(" + type + " a) { " + determinant(r) + " }";
        case Op::outer: {
            const std::string matrix = name(matrix_of(r));
            std::string made = matrix + " outer(" + type + " a, " + type + " b) { " + matrix + " c;";
            for (int j = 0; j < r * r; ++j)
                made += " c.v[" + number(j) + "] = a." + member(j / r) + " * b." + member(j % r) + ";";
            return made + " return c; }";
        }
        default:
            return element_wise(line);
    }
}

struct Needs {
    std::set<Type> matrices;
    std::set<Type> vectors;
    std::set<Line> lines;
    std::set<std::pair<Op, Type>> scalars;  // min, max and rsqrt
};

void need_type(Needs& needs, Type type) {
    if (is_vector(type)) needs.vectors.insert(type);
    if (is_matrix(type)) {
        needs.matrices.insert(type);
    }
}

Needs needs_of(const Tree& tree) {
    Needs made;
    for (const Symbol& symbol : tree.symbols) need_type(made, symbol.type);
    for (const Expr& expr : tree.exprs) {
        need_type(made, expr.type);
        if (expr.op == Op::min || expr.op == Op::max || expr.op == Op::rsqrt)
            made.scalars.insert({expr.op, expr.type});
        const Type left = expr.count ? tree.exprs[expr.args[0]].type : Type::none;
        if (is_scalar(left) || left == Type::none) continue;
        const Type right = expr.count > 1 ? tree.exprs[expr.args[1]].type : Type::none;
        if (expr.op == Op::neg || expr.op == Op::add || expr.op == Op::sub || expr.op == Op::mul)
            made.lines.insert({expr.op, left, right});
        if (expr.op >= Op::dot && expr.op <= Op::outer) made.lines.insert({expr.op, left, Type::none});
    }
    for (const Stmt& stmt : tree.stmts) {
        if (stmt.kind == StmtKind::atomic && (stmt.atomic == AtomicOp::min || stmt.atomic == AtomicOp::max))
            made.scalars.insert(
                {stmt.atomic == AtomicOp::min ? Op::min : Op::max, tree.symbols[stmt.symbol].type});
    }
    return made;
}

std::string matrix_line(Type type) {
    return "struct " + name(type) + " { float v[" + number(info(type).components) + "]; };\n";
}

constexpr std::string_view device = "__device__ __forceinline__ ";

const std::set<std::string, std::less<>>& all_lines() {
    static const std::set<std::string, std::less<>> made = [] {
        std::set<std::string, std::less<>> lines;
        for (int r = 2; r <= 4; ++r) {
            std::string matrix = matrix_line(matrix_of(r));
            matrix.pop_back();
            lines.insert(matrix);
            const auto put = [&](Op op, Type left, Type right) {
                lines.insert(std::string(device) + body_of({op, left, right}));
            };
            for (const Type type : {vector_of(r), matrix_of(r)}) {
                put(Op::neg, type, Type::none);
                for (const Op op : {Op::add, Op::sub, Op::mul}) {
                    put(op, type, type);
                    put(op, type, Type::f32);
                }
            }
            for (const Op op : {Op::dot, Op::length, Op::normalize, Op::outer})
                put(op, vector_of(r), Type::none);
            for (const Op op : {Op::matvec, Op::matmat, Op::transpose, Op::determinant})
                put(op, matrix_of(r), Type::none);
        }
        lines.insert(std::string(device) + body_of({Op::cross, Type::float3, Type::none}));
        return lines;
    }();
    return made;
}

}  // namespace

std::string cuda_prelude(const Tree& tree) {
    const Needs needs = needs_of(tree);
    std::string made;
    for (const Type type : needs.matrices) made += matrix_line(type);
    for (const Line& line : needs.lines) made += std::string(device) + body_of(line) + "\n";
    return made;
}

bool is_prelude_line(std::string_view line) {
    return all_lines().contains(line);
}

std::string cpp_prelude(const Tree& tree) {
    const Needs needs = needs_of(tree);
    std::string made = "#include <math.h>\n";
    for (const Type type : needs.vectors) {
        const int r = rank(type);
        made += "struct " + std::string(r == 3 ? "" : "alignas(" + number(4 * r) + ") ") + name(type) +
                " { float " + joined(r, ", ", member) + "; };\n";
        made += "static inline " + name(type) + " make_" + name(type) + "(" +
                joined(r, ", ", [](int k) { return "float " + member(k); }) + ") { return {" +
                joined(r, ", ", member) + "}; }\n";
    }
    for (const Type type : needs.matrices) made += matrix_line(type);
    for (const Line& line : needs.lines) made += "static inline " + body_of(line) + "\n";
    for (const auto& [op, type] : needs.scalars) {
        const std::string t = name(type), suffix(info(type).name);
        if (op == Op::rsqrt) {
            made += "static inline " + t + " rsqrt_" + suffix + "(" + t + " x) { return " +
                    (type == Type::f32 ? "1.0f / sqrtf(x)" : "1.0 / sqrt(x)") + "; }\n";
            continue;
        }
        const bool smaller = op == Op::min;
        made +=
            "static inline " + t + (smaller ? " min_" : " max_") + suffix + "(" + t + " a, " + t + " b) { ";
        // NaN loses, and -0 is below +0.
        if (is_float(type))
            made +=
                std::string("if (a != a) return b; if (b != b) return a; if (a == b) return signbit(a) ") +
                (smaller ? "? a : b; " : "? b : a; ");
        made += std::string("return a ") + (smaller ? "<" : ">") + " b ? a : b; }\n";
    }
    return made;
}

std::string join_sources(const std::vector<std::string>& sources) {
    constexpr std::string_view include = "#include <math.h>\n";
    std::string made;
    for (const std::string& source : sources) {
        if (source.starts_with(include)) {
            made = include;
            break;
        }
    }
    for (std::size_t k = 0; k < sources.size(); ++k) {
        std::string_view text = sources[k];
        if (text.starts_with(include)) text.remove_prefix(include.size());
        made += "namespace part_" + std::to_string(k) + " {\n" + std::string(text) + "}\n";
    }
    return made;
}

}  // namespace workbench::synth
