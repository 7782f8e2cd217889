// SPDX-License-Identifier: MIT
#include "core/synth/canonical.h"

#include "core/support/files.h"

namespace workbench::synth {

namespace {

class Normal {
  public:
    Normal(const Tree& tree, bool skeleton) : m_tree(tree), m_skeleton(skeleton) {}

    std::string run() {
        m_out.reserve(2048);
        for (const Symbol& s : m_tree.symbols) {
            m_out += info(s.type).name;
            m_out += ':';
            number(static_cast<std::uint64_t>(s.kind));
            if (is_array(s.kind) && !(m_skeleton && s.kind == SymbolKind::shared)) {
                number(m_skeleton ? 0 : s.extent.factor);
                number(s.extent.by_n);
                number(s.extent.by_m);
            }
            m_out += ';';
        }
        for (const Function& helper : m_tree.helpers) {
            m_out += "helper ";
            m_out += info(helper.result).name;
            for (const Id id : helper.parameters) number(id);
            list(helper.body);
        }
        m_out += m_tree.is_block ? "block" : "kernel";
        for (const Id id : m_tree.kernel.parameters) number(id);
        list(m_tree.kernel.body);
        return std::move(m_out);
    }

  private:
    void number(std::uint64_t value) {
        m_out += ' ';
        m_out += std::to_string(value);
    }

    void list(const std::vector<Id>& ids) {
        m_out += '{';
        for (const Id id : ids) {
            const Stmt& s = m_tree.stmts[id];
            m_out += static_cast<char>('A' + static_cast<int>(s.kind));
            if (s.kind == StmtKind::atomic) number(static_cast<std::uint64_t>(s.atomic));
            if (s.symbol != nothing) number(s.symbol);
            if (s.kind == StmtKind::for_loop)
                number(static_cast<std::uint32_t>(m_skeleton ? (s.step > 0 ? 1 : -1) : s.step));
            expr(s.value);
            expr(s.index);
            if (!s.body.empty() || !s.otherwise.empty()) list(s.body);
            if (!s.otherwise.empty()) list(s.otherwise);
        }
        m_out += '}';
    }

    void expr(Id id) {
        if (id == nothing) return;
        const Expr& e = m_tree.exprs[id];
        const OpInfo& op = info(e.op);
        m_out += '(';
        m_out += m_skeleton ? op.kind : op.name;
        if (e.op == Op::literal || e.op == Op::cast || e.op == Op::make) {
            m_out += ' ';
            m_out += info(e.type).name;
        }
        if (e.op == Op::literal && !m_skeleton) number(e.bits);
        if (e.symbol != nothing) number(e.symbol);
        const bool commutes = op.commutes || (m_skeleton && (e.op == Op::sub || e.op == Op::div));
        const std::size_t start = m_out.size();
        if (e.count > 0) expr(e.args[0]);
        const std::size_t middle = m_out.size();
        for (std::size_t k = 1; k < e.count; ++k) expr(e.args[k]);
        // Two numbers of one type: a vector times a number keeps its order.
        if (commutes && e.count == 2 && m_out.compare(start, middle - start, m_out, middle) > 0 &&
            m_tree.exprs[e.args[0]].type == m_tree.exprs[e.args[1]].type) {
            const std::string first = m_out.substr(start, middle - start);
            m_out.erase(start, middle - start);
            m_out += first;
        }
        m_out += ')';
    }

    const Tree& m_tree;
    bool m_skeleton;
    std::string m_out;
};

}  // namespace

std::string canonical_hash(const Tree& tree) {
    return sha256_hex(Normal(tree, false).run());
}
std::string skeleton_hash(const Tree& tree) {
    return sha256_hex(Normal(tree, true).run());
}

std::string_view split_of(std::string_view skeleton) {
    const std::string hash = sha256_hex("split" + std::string(skeleton));
    // The whole number modulo 100, digit by digit.
    int rest = 0;
    for (const char digit : hash) rest = (rest * 16 + (digit <= '9' ? digit - '0' : digit - 'a' + 10)) % 100;
    return rest < 90 ? "train" : rest < 95 ? "valid" : "test";
}

}  // namespace workbench::synth
