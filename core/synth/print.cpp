// SPDX-License-Identifier: MIT
#include "core/synth/print.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace workbench::synth {

namespace {

constexpr int loosest = 16;

class Printer {
  public:
    Printer(const Tree& tree, bool cuda)
        : m_tree(tree), m_cuda(cuda), m_is_per_thread(tree.symbols.size(), false) {
        for (const Symbol& s : tree.symbols) {
            if (s.kind == SymbolKind::index) m_index = s.name;
        }
    }

    std::string run() {
        m_out = m_cuda ? cuda_prelude(m_tree) : cpp_prelude(m_tree);
        for (const Function& helper : m_tree.helpers) {
            m_out += m_cuda ? "extern \"C\" __device__ __noinline__ " : "static __attribute__((noinline)) ";
            head(helper);
            m_out += "{\n";
            list(helper.body, 1);
            m_out += "}\n";
        }
        extents();
        m_out += m_cuda ? "extern \"C\" __global__ " : "extern \"C\" ";
        head(m_tree.kernel);
        m_out += "{\n";
        if (m_cuda) {
            m_out += "    int " + m_index + " = blockIdx.x * blockDim.x + threadIdx.x;\n";
            if (!m_tree.is_block) m_out += "    if (" + m_index + " >= n) return;\n";
            list(m_tree.kernel.body, 1);
        } else if (m_tree.is_block) {
            phases();
        } else {
            m_out += "    for (int " + m_index + " = 0; " + m_index + " < n; ++" + m_index + ") {\n";
            list(m_tree.kernel.body, 2);
            m_out += "    }\n";
        }
        m_out += "}\n";
        return std::move(m_out);
    }

  private:
    const Symbol& symbol(Id id) const { return m_tree.symbols[id]; }
    std::string_view spelling(Type type) const { return info(type).spelling; }

    // "// x[n * m], out[n]": what a pointer's type does not say.
    void extents() {
        m_out += "//";
        for (const Id id : m_tree.kernel.parameters) {
            const Symbol& array = symbol(id);
            if (!is_array_parameter(array.kind)) continue;
            m_out += m_out.back() == '/' ? " " : ", ";
            m_out += array.name + "[";
            std::string made;
            if (array.extent.factor != 1 || (!array.extent.by_n && !array.extent.by_m))
                made = std::to_string(array.extent.factor);
            for (int k = 0; k < array.extent.by_n; ++k) made += made.empty() ? "n" : " * n";
            for (int k = 0; k < array.extent.by_m; ++k) made += made.empty() ? "m" : " * m";
            m_out += made + "]";
        }
        m_out += "\n";
    }

    void head(const Function& function) {
        m_out += spelling(function.result);
        m_out += " " + function.name + "(";
        for (std::size_t k = 0; k < function.parameters.size(); ++k) {
            const Symbol& parameter = symbol(function.parameters[k]);
            if (k) m_out += ", ";
            if (parameter.kind == SymbolKind::input) m_out += "const ";
            m_out += spelling(parameter.type);
            m_out += is_array_parameter(parameter.kind) ? "* " : " ";
            m_out += parameter.name;
        }
        m_out += ") ";
    }

    void indent(int depth) { m_out.append(4 * static_cast<std::size_t>(depth), ' '); }

    void list(const std::vector<Id>& ids, int depth) {
        for (const Id id : ids) stmt(m_tree.stmts[id], depth);
    }

    void target(Id id) {
        m_out += symbol(id).name;
        if (m_is_per_thread[id]) m_out += "[thread]";
    }

    // "= e", or "+= f" where e is what is written plus f.
    void written(Id value, auto&& is_target) {
        const Expr& e = m_tree.exprs[value];
        // The prelude has no such operators of vectors and matrices.
        if (is_scalar(e.type) && (e.op == Op::add || e.op == Op::sub || e.op == Op::mul) &&
            is_target(e.args[0])) {
            m_out += " ";
            m_out += info(e.op).spelling;
            m_out += "= ";
            expr(e.args[1], loosest);
        } else {
            m_out += " = ";
            expr(value, loosest);
        }
        m_out += ";\n";
    }

    void stmt(const Stmt& s, int depth) {
        indent(depth);
        switch (s.kind) {
            case StmtKind::let:
                m_out += spelling(symbol(s.symbol).type);
                m_out += " " + symbol(s.symbol).name + " = ";
                expr(s.value, loosest);
                m_out += ";\n";
                break;
            case StmtKind::assign:
                target(s.symbol);
                written(s.value, [&](Id left) {
                    return m_tree.exprs[left].op == Op::symbol && m_tree.exprs[left].symbol == s.symbol;
                });
                break;
            case StmtKind::store:
                target(s.symbol);
                m_out += "[";
                expr(s.index, loosest);
                m_out += "]";
                written(s.value, [&](Id left) {
                    const Expr& e = m_tree.exprs[left];
                    return e.op == Op::load && e.symbol == s.symbol && is_same(m_tree, e.args[0], s.index);
                });
                break;
            case StmtKind::branch:
                m_out += "if (";
                expr(s.value, loosest);
                m_out += ") {\n";
                list(s.body, depth + 1);
                if (!s.otherwise.empty()) {
                    indent(depth);
                    m_out += "} else {\n";
                    list(s.otherwise, depth + 1);
                }
                indent(depth);
                m_out += "}\n";
                break;
            case StmtKind::for_loop:
                for_loop(s, depth);
                break;
            case StmtKind::while_loop:
                m_out += "while (";
                expr(s.value, loosest);
                m_out += ") {\n";
                list(s.body, depth + 1);
                indent(depth);
                m_out += "}\n";
                break;
            case StmtKind::break_loop:
            case StmtKind::continue_loop:
                m_out += s.kind == StmtKind::break_loop ? "break;\n" : "continue;\n";
                break;
            case StmtKind::atomic:
                m_cuda ? atomic(s) : host_atomic(s);
                break;
            case StmtKind::array:
            case StmtKind::shared:
                if (m_cuda && s.kind == StmtKind::shared) m_out += "__shared__ ";
                m_out += spelling(symbol(s.symbol).type);
                m_out += " " + symbol(s.symbol).name + "[" + std::to_string(symbol(s.symbol).extent.factor) +
                         "];\n";
                break;
            case StmtKind::barrier:
                m_out += "__syncthreads();\n";
                break;
            case StmtKind::give:
                m_out += "return ";
                expr(s.value, loosest);
                m_out += ";\n";
                break;
        }
    }

    void for_loop(const Stmt& s, int depth) {
        const std::string& name = symbol(s.symbol).name;
        m_out += "for (int " + name + " = ";
        expr(s.value, loosest);
        m_out += "; " + name + (s.step > 0 ? " < " : " >= ");
        expr(s.index, info(Op::lt).precedence - 1);
        m_out += "; ";
        if (s.step == 1 || s.step == -1)
            m_out += (s.step > 0 ? "++" : "--") + name;
        else
            m_out += name + (s.step > 0 ? " += " : " -= ") + std::to_string(std::abs(s.step));
        m_out += ") {\n";
        list(s.body, depth + 1);
        indent(depth);
        m_out += "}\n";
    }

    void atomic(const Stmt& s) {
        m_out += name_of(s.atomic);
        m_out += "(&" + symbol(s.symbol).name + "[";
        expr(s.index, loosest);
        m_out += "], ";
        expr(s.value, loosest);
        m_out += ");\n";
    }
    void host_atomic(const Stmt& s) {
        const Symbol& array = symbol(s.symbol);
        m_out += "{ " + std::string(spelling(array.type)) + "& at_ = " + array.name + "[";
        expr(s.index, loosest);
        m_out += "]; at_ = ";
        switch (s.atomic) {
            case AtomicOp::add:
                if (array.type == Type::i32) {
                    m_out += "(int)((unsigned)at_ + (unsigned)";
                    expr(s.value, 3);
                    m_out += "); }\n";
                    return;
                }
                m_out += "at_ + ";
                expr(s.value, 5);
                break;
            case AtomicOp::min:
            case AtomicOp::max:
                m_out += (s.atomic == AtomicOp::min ? "min_" : "max_") + std::string(info(array.type).name) +
                         "(at_, ";
                expr(s.value, loosest);
                m_out += ")";
                break;
            default:
                m_out += s.atomic == AtomicOp::bit_and  ? "at_ & "
                         : s.atomic == AtomicOp::bit_or ? "at_ | "
                                                        : "at_ ^ ";
                expr(s.value, 2);
        }
        m_out += "; }\n";
    }

    // ---- Blocks on the host: between two barriers, the threads one after the other.

    void phases() {
        m_out += "    for (int block = 0; block < (n + 63) / 64; ++block) {\n";
        for (const Id id : m_tree.kernel.body) {
            const Stmt& s = m_tree.stmts[id];
            if (s.kind == StmtKind::shared) stmt(s, 2);
            if (s.kind == StmtKind::let || s.kind == StmtKind::array) {
                m_is_per_thread[s.symbol] = true;
                indent(2);
                m_out += spelling(symbol(s.symbol).type);
                m_out += " " + symbol(s.symbol).name + "[64]";
                if (s.kind == StmtKind::array)
                    m_out += "[" + std::to_string(symbol(s.symbol).extent.factor) + "]";
                m_out += ";\n";
            }
        }
        bool open = false;
        const auto begin = [&] {
            if (!std::exchange(open, true))
                m_out += "        for (int thread = 0; thread < 64; ++thread) {\n            int " + m_index +
                         " = block * 64 + thread;\n";
        };
        const auto end = [&] {
            if (std::exchange(open, false)) m_out += "        }\n";
        };
        for (const Id id : m_tree.kernel.body) {
            const Stmt& s = m_tree.stmts[id];
            if (s.kind == StmtKind::shared || s.kind == StmtKind::array) continue;
            if (s.kind == StmtKind::barrier) {
                end();
            } else if (s.kind == StmtKind::let && is_collective(m_tree.exprs[s.value].op)) {
                end();
                collective(s);
            } else if (s.kind == StmtKind::let) {
                begin();
                indent(3);
                m_out += symbol(s.symbol).name + "[thread] = ";
                expr(s.value, loosest);
                m_out += ";\n";
            } else {
                begin();
                stmt(s, 3);
            }
        }
        end();
        m_out += "    }\n";
    }

    void collective(const Stmt& s) {
        const Expr& e = m_tree.exprs[s.value];
        const std::string& name = symbol(s.symbol).name;
        m_out += "        {\n            " + std::string(spelling(m_tree.exprs[e.args[0]].type)) +
                 " given_[64];\n";
        m_out += "            for (int thread = 0; thread < 64; ++thread) {\n                int " + m_index +
                 " = block * 64 + thread;\n                (void)" + m_index +
                 ";\n                given_[thread] = ";
        expr(e.args[0], loosest);
        m_out += ";\n            }\n            for (int thread = 0; thread < 64; ++thread) {\n";
        const std::string k =
            e.count > 1 ? std::to_string(static_cast<int>(literal_value(m_tree.exprs[e.args[1]]))) : "";
        switch (e.op) {
            case Op::shuffle_xor:
                m_out += "                " + name + "[thread] = given_[thread ^ " + k + "];\n";
                break;
            case Op::shuffle_down:
                m_out += "                " + name + "[thread] = given_[thread % 32 + " + k +
                         " < 32 ? thread + " + k + " : thread];\n";
                break;
            case Op::shuffle_up:
                m_out += "                " + name + "[thread] = given_[thread % 32 >= " + k +
                         " ? thread - " + k + " : thread];\n";
                break;
            default: {
                const bool ballot = e.op == Op::ballot;
                m_out += std::string("                ") + (ballot ? "unsigned" : "bool") + " made_ = " +
                         (ballot                 ? "0u"
                          : e.op == Op::vote_all ? "true"
                                                 : "false") +
                         ";\n                for (int lane = 0; lane < 32; ++lane) made_ = made_ " +
                         (ballot                 ? "| (unsigned)given_[thread / 32 * 32 + lane] << lane"
                          : e.op == Op::vote_all ? "&& given_[thread / 32 * 32 + lane]"
                                                 : "|| given_[thread / 32 * 32 + lane]") +
                         ";\n                " + name + "[thread] = made_;\n";
            }
        }
        m_out += "            }\n        }\n";
    }

    // ---- Expressions

    std::string literal(const Expr& e) const { return m_cuda ? literal_text(e) : host_literal_text(e); }
    void args(const Expr& e) {
        for (std::size_t k = 0; k < e.count; ++k) {
            if (k) m_out += ", ";
            expr(e.args[k], loosest);
        }
        m_out += ")";
    }

    void function(const Expr& e) {
        const OpInfo& op = info(e.op);
        const Type type = m_tree.exprs[e.args[0]].type;
        if (is_collective(e.op)) {
            m_out += std::string(op.spelling) + "(0xffffffffu, ";
            args(e);
            return;
        }
        if (e.op == Op::make)
            m_out += "make_" + std::string(spelling(e.type));
        else if (!m_cuda && (e.op == Op::min || e.op == Op::max || e.op == Op::rsqrt))
            m_out += std::string(op.name) + "_" + std::string(info(type).name);
        else if ((e.op == Op::min || e.op == Op::max) && type == Type::f64)
            m_out += "f" + std::string(op.spelling);
        else
            m_out += type == Type::f32 ? op.f32 : op.spelling;
        m_out += "(";
        args(e);
    }

    // Parentheses stand where `most` binds tighter than the operation.
    void expr(Id id, int most) {
        const Expr& e = m_tree.exprs[id];
        const OpInfo& op = info(e.op);
        const bool enclosed = op.precedence > most;
        if (enclosed) m_out += "(";
        switch (op.form) {
            case Form::prefix: {
                m_out += op.spelling;
                const Expr& operand = m_tree.exprs[e.args[0]];
                const bool twice = operand.op == Op::neg;
                // parse() takes a minus before a number for the number's.
                const bool is_number =
                    e.op == Op::neg && operand.op == Op::literal && literal(operand).front() != '(';
                if (is_number) m_out += "(";
                expr(e.args[0], twice ? op.precedence - 1 : op.precedence);
                if (is_number) m_out += ")";
                break;
            }
            case Form::infix:
                expr(e.args[0], op.precedence);
                m_out += " ";
                m_out += op.spelling;
                m_out += " ";
                expr(e.args[1], op.precedence - 1);
                break;
            case Form::function:
                function(e);
                break;
            default:
                other(e);
        }
        if (enclosed) m_out += ")";
    }

    void other(const Expr& e) {
        switch (e.op) {
            case Op::literal:
                m_out += literal(e);
                break;
            case Op::symbol:
                target(e.symbol);
                break;
            case Op::load:
                target(e.symbol);
                m_out += "[";
                expr(e.args[0], loosest);
                m_out += "]";
                break;
            case Op::component:
                expr(e.args[0], 2);
                m_out += ".";
                m_out += "xyzw"[e.symbol];
                break;
            case Op::select:
                expr(e.args[0], loosest - 1);
                m_out += " ? ";
                expr(e.args[1], loosest - 1);
                m_out += " : ";
                expr(e.args[2], loosest);
                break;
            case Op::cast:
                m_out += "(" + std::string(spelling(e.type)) + ")";
                expr(e.args[0], 3);
                break;
            case Op::thread:
                m_out += m_cuda ? "threadIdx.x" : "(unsigned)thread";
                break;
            case Op::block:
                m_out += m_cuda ? "blockIdx.x" : "(unsigned)block";
                break;
            case Op::call:
                m_out += m_tree.helpers[e.symbol].name + "(";
                args(e);
                break;
            default:
                break;
        }
    }

    const Tree& m_tree;
    bool m_cuda;
    std::string m_index = "i";
    std::vector<bool>
        m_is_per_thread;  // locals of a block kernel, which on the host are arrays over its threads
    std::string m_out;
};

}  // namespace

std::string print_cuda(const Tree& tree) {
    return Printer(tree, true).run();
}
std::string print_cpp(const Tree& tree) {
    return Printer(tree, false).run();
}

}  // namespace workbench::synth
