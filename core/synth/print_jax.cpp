// SPDX-License-Identifier: MIT
#include "core/synth/print_jax.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/synth/jax_expressions.h"

namespace workbench::synth {

namespace {

class JaxPrinter : JaxExpressions {
  public:
    explicit JaxPrinter(const Tree& tree) : JaxExpressions(tree) {}

    Result<std::string> run() {
        if (m_tree.is_block) return fail(ErrorKind::bad_input, "its threads work together");
        find_static_arguments();
        std::string body;
        for (const Function& helper : m_tree.helpers) body += function_text(helper) + "\n\n";
        body += kernel_text();
        if (!m_refused.empty()) return fail(ErrorKind::bad_input, m_refused);
        std::string made =
            "import jax\nimport jax.numpy as jnp\nfrom jax import "
            "lax\n\njax.config.update(\"jax_enable_x64\", True)\n\n\n";
        if (m_has_extremes)
            made +=
                "def least_of(a, b):  # NaN loses\n    return jnp.where(jnp.isnan(a), b, "
                "jnp.where(jnp.isnan(b), a, "
                "jnp.minimum(a, b)))\n\n\n"
                "def most_of(a, b):\n    return jnp.where(jnp.isnan(a), b, jnp.where(jnp.isnan(b), a, "
                "jnp.maximum(a, "
                "b)))\n\n\n";
        return made + body;
    }

  private:
    void refuse(const std::string& why) {
        if (m_refused.empty()) m_refused = why;
    }

    std::string shape_of(Type type) const {
        std::string made = "(n,";
        if (is_vector(type)) made += " " + std::to_string(rank(type));
        if (is_matrix(type)) made += " " + std::to_string(rank(type)) + ", " + std::to_string(rank(type));
        return made + ")";
    }
    std::string function_text(const Function& helper) {
        m_out.clear();
        std::string head = "def " + helper.name + "(";
        for (const Id id : helper.parameters) head += m_names[id] + ", ";
        line(head + "n):");
        m_depth = 1;
        m_returns = false;
        list(helper.body, "");
        if (m_returns) line("return made");
        m_depth = 0;
        return std::exchange(m_out, "");
    }

    std::string kernel_text() {
        m_out.clear();
        std::string head = "def " + m_tree.kernel.name + "(";
        std::vector<std::string> outputs;
        for (const Id id : m_tree.kernel.parameters) {
            const Symbol& s = symbol(id);
            if (is_written(s.kind)) outputs.push_back(m_names[id]);
            if (s.kind == SymbolKind::output || s.kind == SymbolKind::n || s.kind == SymbolKind::m) continue;
            head += m_names[id] + ", ";
        }
        line(head + "n, m):");
        m_depth = 1;
        for (Id id = 0; id < m_tree.symbols.size(); ++id) {
            if (symbol(id).kind == SymbolKind::index) line(m_names[id] + " = jnp.arange(n, dtype=jnp.int32)");
        }
        for (const Id id : m_tree.kernel.parameters) {
            const Symbol& s = symbol(id);
            if (s.kind != SymbolKind::output) continue;
            std::string shape = "(" + count_text(s.extent) + ",";
            if (is_vector(s.type)) shape += " " + std::to_string(rank(s.type));
            if (is_matrix(s.type))
                shape += " " + std::to_string(rank(s.type)) + ", " + std::to_string(rank(s.type));
            line(m_names[id] + " = jnp.zeros(" + shape + "), " + jax_type_name(s.type) + ")");
        }
        list(m_tree.kernel.body, "");
        std::string all;
        for (const std::string& name : outputs) all += (all.empty() ? "" : ", ") + name;
        line("return " + all);
        m_depth = 0;
        return std::exchange(m_out, "");
    }

    static std::string count_text(const Extent& extent) {
        std::string made = std::to_string(extent.factor);
        for (int k = 0; k < extent.by_n; ++k) made += " * n";
        for (int k = 0; k < extent.by_m; ++k) made += " * m";
        return made.starts_with("1 * ") ? made.substr(4) : made;
    }

    // ---- Statements. `mask` names the threads that do them, empty: all; a list returns who goes on.

    static std::string both(const std::string& mask, const std::string& more) {
        return mask.empty() ? more : mask + " & " + more;
    }
    std::string list(const std::vector<Id>& ids, std::string mask) {
        for (const Id id : ids) mask = stmt(m_tree.stmts[id], mask);
        return mask;
    }
    bool leaves(const std::vector<Id>& ids) const {
        return std::any_of(ids.begin(), ids.end(), [&](Id id) {
            const Stmt& s = m_tree.stmts[id];
            if (s.kind == StmtKind::break_loop || s.kind == StmtKind::continue_loop ||
                s.kind == StmtKind::give)
                return true;
            return s.kind == StmtKind::branch && (leaves(s.body) || leaves(s.otherwise));
        });
    }

    std::string stmt(const Stmt& s, const std::string& mask) {
        switch (s.kind) {
            case StmtKind::let:
                if (is_uniform(s.value)) m_uniform.insert(s.symbol);
                line(m_names[s.symbol] + " = " +
                     (m_is_mutable[s.symbol]
                          ? "jnp.broadcast_to(" + expr(s.value) + ", " + shape_of(symbol(s.symbol).type) + ")"
                          : expr(s.value)));
                return mask;
            case StmtKind::assign: {
                const std::string& name = m_names[s.symbol];
                const std::string value = expr(s.value);
                const Type type = symbol(s.symbol).type;
                if (mask.empty())
                    line(name + " = jnp.broadcast_to(" + value + ", " + shape_of(type) + ")");
                else
                    line(name + " = jnp.where(" + broadcast(mask, type) + ", " + value + ", " + name + ")");
                return mask;
            }
            case StmtKind::store: {
                const std::string& name = m_names[s.symbol];
                const std::string index = expr(s.index), value = expr(s.value);
                if (mask.empty())
                    line(name + " = " + name + ".at[" + index + "].set(" + value + ")");
                else
                    line(name + " = " + name + ".at[jnp.where(" + mask + ", " + index + ", " + name +
                         ".shape[0])].set(" + value + ", mode=\"drop\")");
                return mask;
            }
            case StmtKind::branch:
                return branch(s, mask);
            case StmtKind::for_loop:
            case StmtKind::while_loop:
                loop(s, mask);
                return mask;
            case StmtKind::break_loop:
                line(m_running + " = " + m_running + " & ~(" + (mask.empty() ? m_running : mask) + ")");
                return named("nobody", "jnp.zeros((n,), jnp.bool_)");
            case StmtKind::continue_loop:
                return named("nobody", "jnp.zeros((n,), jnp.bool_)");
            case StmtKind::give:
                if (mask.empty() && !m_returns) {
                    line("return " + expr(s.value));
                    return mask;
                }
                if (!std::exchange(m_returns, true))
                    line("made = " + expr(s.value));
                else
                    line("made = jnp.where(" + (mask.empty() ? "True" : mask) + ", " + expr(s.value) +
                         ", made)");
                return named("nobody", "jnp.zeros((n,), jnp.bool_)");
            default:
                refuse(s.kind == StmtKind::atomic ? "it has atomics"
                                                  : "it has arrays of one thread or of a block");
                return mask;
        }
    }

    std::string branch(const Stmt& s, const std::string& mask) {
        if (is_static(s.value)) {
            line("if " + static_text(s.value) + ":");
            ++m_depth;
            list(s.body, mask);
            --m_depth;
            if (!s.otherwise.empty()) {
                line("else:");
                ++m_depth;
                list(s.otherwise, mask);
                --m_depth;
            }
            return mask;
        }
        const std::string yes = named("yes", "jnp.broadcast_to(" + expr(s.value) + ", (n,))");
        const std::string behind = list(s.body, mask.empty() ? yes : named("inside", both(mask, yes)));
        const bool one_leaves = leaves(s.body), other_leaves = leaves(s.otherwise);
        if (s.otherwise.empty() && !one_leaves) return mask;
        const std::string no = named("no", both(mask, "~" + yes));
        const std::string after = list(s.otherwise, no);
        if (!one_leaves && !other_leaves) return mask;
        return named("rest", behind + " | " + after);
    }

    // Symbols from outside that statements write.
    void written_in(const std::vector<Id>& ids, std::set<Id>& own, std::set<Id>& made) const {
        for (const Id id : ids) {
            const Stmt& s = m_tree.stmts[id];
            if (s.kind == StmtKind::let) own.insert(s.symbol);
            if ((s.kind == StmtKind::assign || s.kind == StmtKind::store) && !own.contains(s.symbol))
                made.insert(s.symbol);
            written_in(s.body, own, made);
            written_in(s.otherwise, own, made);
        }
    }
    bool breaks(const std::vector<Id>& ids) const {
        return std::any_of(ids.begin(), ids.end(), [&](Id id) {
            const Stmt& s = m_tree.stmts[id];
            return s.kind == StmtKind::break_loop ||
                   (s.kind == StmtKind::branch && (breaks(s.body) || breaks(s.otherwise)));
        });
    }

    void loop(const Stmt& s, const std::string& mask) {
        const bool is_for = s.kind == StmtKind::for_loop;
        if (is_for && (!is_uniform(s.value) || !is_uniform(s.index)))
            return refuse("its loops differ by thread");
        const std::string outer = std::exchange(m_running, "");
        std::set<Id> own, written;
        written_in(s.body, own, written);
        std::string carried;
        for (const Id id : written) carried += m_names[id] + ", ";
        const bool has_running = !is_for || breaks(s.body);
        const int number = ++m_numbers;
        const std::string running = "running_" + std::to_string(number);
        if (has_running) {
            line(running + " = " + (mask.empty() ? "jnp.ones((n,), jnp.bool_)" : mask));
            carried += running + ", ";
        }
        const std::string body = "body_" + std::to_string(number), held = "held_" + std::to_string(number),
                          left = "(" +
                                 carried.substr(
                                     0, carried.size() - (carried.find(',') + 2 == carried.size() ? 1 : 2)) +
                                 ")";
        if (carried.empty()) {  // nothing comes of it
            m_running = outer;
            return;
        }
        if (is_for) {
            line("");
            line("def " + body + "(turn, " + held + "):");
        } else {
            line("");
            line("def goes_on_" + std::to_string(number) + "(" + held + "):");
            ++m_depth;
            line(left + " = " + held);
            line("return jnp.any(" + running + " & (" + expr(s.value) + "))");
            --m_depth;
            line("");
            line("def " + body + "(" + held + "):");
        }
        ++m_depth;
        line(left + " = " + held);
        std::string inside = mask;
        if (is_for) {
            const std::string from = expr(s.value), by = std::to_string(std::abs(s.step));
            line(m_names[s.symbol] + " = " + from + (s.step > 0 ? " + " : " - ") + "turn" +
                 (by == "1" ? "" : " * " + jax_type_name(Type::i32) + "(" + by + ")"));
            if (has_running) inside = running;
        } else {
            line(running + " = " + running + " & (" + expr(s.value) + ")");
            inside = running;
        }
        if (has_running) m_running = running;
        list(s.body, inside);
        line("return " + left);
        --m_depth;
        line("");
        if (is_for) {
            const std::string from = operand(s.value), to = operand(s.index),
                              by = std::to_string(std::abs(s.step));
            std::string turns;
            if (s.step > 0)
                turns = by == "1"
                            ? to + " - " + from
                            : "(" + to + " - " + from + " + " + std::to_string(s.step - 1) + ") // " + by;
            else
                turns = (by == "1" ? from + " - " + to : "(" + from + " - " + to + ") // " + by) + " + 1";
            line(left + " = lax.fori_loop(jnp.int32(0), " + turns + ", " + body + ", " + left + ")");
        } else {
            line(left + " = lax.while_loop(goes_on_" + std::to_string(number) + ", " + body + ", " + left +
                 ")");
        }
        m_running = outer;
    }

    std::string m_refused;
    std::string m_running;  // who has not left the loop
    bool m_returns = false;
};

}  // namespace

Result<std::string> print_jax(const Tree& tree) {
    return JaxPrinter(tree).run();
}

}  // namespace workbench::synth
