// SPDX-License-Identifier: MIT
// The kernel language as data: a typed tree of expressions and statements, from which sources are printed,
// and which is interpreted, hashed and differentiated. Everything over it is a table of operations or a walk.
// docs/synthesis.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace workbench::synth {

enum class Type : std::uint8_t {
    none,
    boolean,
    i32,
    u32,
    i64,
    u64,
    f32,
    f64,
    float2,
    float3,
    float4,
    mat2,
    mat3,
    mat4
};

struct TypeInfo {
    std::string_view name;      // in records: "f32"
    std::string_view spelling;  // in sources: "float"
    Type element = Type::none;
    int components = 0;
    int bytes = 0;  // of a component
};
const TypeInfo& info(Type type);
inline Type element(Type type) {
    return info(type).element;
}
inline bool is_float(Type type) {
    return type >= Type::f32;
}
inline bool is_integer(Type type) {
    return type >= Type::i32 && type <= Type::u64;
}
inline bool is_signed(Type type) {
    return type == Type::i32 || type == Type::i64;
}
inline bool is_vector(Type type) {
    return type >= Type::float2 && type <= Type::float4;
}
inline bool is_matrix(Type type) {
    return type >= Type::mat2;
}
inline bool is_scalar(Type type) {
    return type >= Type::boolean && type <= Type::f64;
}
// Returns the rows of a matrix, or the components of a vector.
inline int rank(Type type) {
    return is_matrix(type) ? static_cast<int>(type) - static_cast<int>(Type::mat2) + 2
                           : info(type).components;
}
Type vector_of(int rank);
Type matrix_of(int rank);

enum class Op : std::uint8_t {
    // What is read
    literal,
    symbol,
    load,
    component,
    // Prefix operators
    neg,
    bit_not,
    logical_not,
    // Infix operators
    add,
    sub,
    mul,
    div,
    rem,
    bit_and,
    bit_or,
    bit_xor,
    shl,
    shr,
    lt,
    le,
    gt,
    ge,
    eq,
    ne,
    logical_and,
    logical_or,
    select,
    cast,
    // Functions of scalars
    min,
    max,
    fma,
    abs,
    sin,
    cos,
    tan,
    exp,
    exp2,
    log,
    log2,
    log1p,
    tanh,
    sqrt,
    rsqrt,
    cbrt,
    pow,
    atan2,
    erf,
    hypot,
    floor,
    ceil,
    trunc,
    fmod,
    // Vectors and matrices of f32
    make,
    dot,
    cross,
    length,
    normalize,
    matvec,
    matmat,
    transpose,
    determinant,
    outer,
    // Threads of a block
    thread,
    block,
    shuffle_xor,
    shuffle_down,
    shuffle_up,
    vote_any,
    vote_all,
    ballot,
    // A helper of the tree
    call,
};
constexpr int ops = static_cast<int>(Op::call) + 1;

enum class Form : std::uint8_t { leaf, prefix, infix, function, other };

struct OpInfo {
    std::string_view name;      // in hashes
    std::string_view spelling;  // of an operator; of a function in f64 and for integers
    std::string_view f32;       // of a function in f32
    Form form = Form::other;
    int precedence = 0;  // C++'s, 1 binds tightest
    int arguments = 0;
    bool commutes = false;
    std::string_view kind;  // what the skeleton keeps of it
    double ulp_f32 = 0;     // the largest error that CUDA documents
    double ulp_f64 = 0;
    double ulp_host = 1;  // the largest of glibc's
};
const OpInfo& info(Op op);
// Returns whether every implementation that rounds as IEEE asks gives the same bits.
inline bool is_exact(Op op) {
    return info(op).ulp_f32 == 0;
}
inline bool is_collective(Op op) {
    return op >= Op::shuffle_xor && op <= Op::ballot;
}
inline bool is_compare(Op op) {
    return op >= Op::lt && op <= Op::ne;
}

using Id = std::uint32_t;
constexpr Id nothing = ~Id{0};

enum class SymbolKind : std::uint8_t {
    input,   // const T*
    output,  // T*, not read
    inout,   // T*, read or added to
    scalar,
    n,      // threads with work
    m,      // inner extent
    index,  // i
    local,
    loop,      // the variable of a for
    array,     // of one thread
    shared,    // of a block
    argument,  // of a helper
};
inline bool is_written(SymbolKind kind) {
    return kind == SymbolKind::output || kind == SymbolKind::inout;
}
inline bool is_array_parameter(SymbolKind kind) {
    return kind <= SymbolKind::inout;
}
inline bool is_array(SymbolKind kind) {
    return is_array_parameter(kind) || kind == SymbolKind::array || kind == SymbolKind::shared;
}

// Holds a number of elements: factor * n^by_n * m^by_m.
struct Extent {
    std::uint32_t factor = 1;
    std::uint8_t by_n = 0;
    std::uint8_t by_m = 0;
    bool operator==(const Extent&) const = default;
    std::uint64_t count(std::uint64_t n, std::uint64_t m) const {
        std::uint64_t made = factor;
        for (int k = 0; k < by_n; ++k) made *= n;
        for (int k = 0; k < by_m; ++k) made *= m;
        return made;
    }
};

struct Symbol {
    std::string name;
    Type type = Type::none;
    SymbolKind kind = SymbolKind::local;
    Extent extent;  // of an array
    bool operator==(const Symbol&) const = default;
};

struct Expr {
    Op op = Op::literal;
    Type type = Type::none;
    std::uint8_t count = 0;  // of args
    Id symbol = nothing;     // a symbol, an array that is loaded from, a helper; the number of a component
    std::uint64_t bits = 0;  // of a literal, in its own width
    std::array<Id, 4> args{};
    bool operator==(const Expr&) const = default;
};

enum class StmtKind : std::uint8_t {
    let,
    assign,
    store,
    branch,
    for_loop,
    while_loop,
    break_loop,
    continue_loop,
    atomic,
    array,
    shared,
    barrier,
    give,
};
enum class AtomicOp : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor };
std::string_view name_of(AtomicOp op);  // as CUDA has it: "atomicAdd"

struct Stmt {
    StmtKind kind = StmtKind::barrier;
    AtomicOp atomic = AtomicOp::add;
    Id symbol = nothing;  // what is declared or written
    Id value = nothing;   // what is written; a condition; the first value of a for
    Id index = nothing;   // of a store; the end of a for
    std::int32_t step = 0;
    std::vector<Id> body;
    std::vector<Id> otherwise;
    bool operator==(const Stmt&) const = default;
};

struct Function {
    std::string name;
    Type result = Type::none;
    std::vector<Id> parameters;  // symbols
    std::vector<Id> body;        // statements
    bool operator==(const Function&) const = default;
};

// Trees are equal when they have the same names, nodes and order, after finish().
struct Tree {
    std::vector<Symbol> symbols;
    std::vector<Expr> exprs;
    std::vector<Stmt> stmts;
    std::vector<Function> helpers;
    Function kernel;
    bool is_block = false;  // threads of a block work together: no early return beyond n
    bool operator==(const Tree&) const = default;
};

// Numbers symbols and nodes in the order in which they are printed, leaves out what nothing uses, and tells
// outputs from what is read and written.
void finish(Tree& tree);

// Returns whether two expressions of a tree are the same, node by node.
bool is_same(const Tree& tree, Id a, Id b);

double literal_value(const Expr& expr);
// Returns the bits of a number as a literal of the type has them.
std::uint64_t bits_of(Type type, double value);

}  // namespace workbench::synth
