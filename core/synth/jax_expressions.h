// SPDX-License-Identifier: MIT
// Inside core/synth only: prints expressions as Python for JAX.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/synth/tree.h"

namespace workbench::synth {

// Returns the JAX type of an element, such as "jnp.float32".
std::string jax_type_name(Type type);

class JaxExpressions {
  protected:
    explicit JaxExpressions(const Tree& tree);

    const Symbol& symbol(Id id) const { return m_tree.symbols[id]; }
    Type type(Id id) const { return m_tree.exprs[id].type; }

    void line(const std::string& text);
    // Assigns the value to a new local of the source, and returns its name.
    std::string named(const std::string& stem, const std::string& value);

    // ---- Whole numbers that Python itself computes: the depth of a recursion
    void find_static_arguments();
    bool is_static(Id id) const;
    std::string static_text(Id id) const;
    // Returns whether all threads have the same.
    bool is_uniform(Id id) const;

    // Gives a number of each thread the axes to go with vectors or matrices.
    static std::string broadcast(const std::string& text, Type beside) {
        if (is_vector(beside)) return text + "[..., None]";
        return is_matrix(beside) ? text + "[..., None, None]" : text;
    }

    // ---- Expressions
    std::string operand(Id id);
    // Prints an operand that goes with `other`, which may have more axes.
    std::string operand(Id id, Type other);
    std::string call(const std::string& name, const Expr& e);
    std::string expr(Id id);
    std::string helper_call(const Expr& e);
    std::string infix(const Expr& e);
    std::string function(const Expr& e);
    // Expands a determinant by its first row.
    std::string determinant(const std::string& of, int count);

    const Tree& m_tree;
    std::vector<std::string> m_names;
    std::vector<bool> m_is_static;   // arguments that Python computes
    std::vector<bool> m_is_mutable;  // assigned after they were made
    std::set<Id> m_uniform;          // locals that are the same for all threads
    std::string m_out;
    std::size_t m_depth = 0;
    int m_numbers = 0;
    bool m_has_extremes = false;
};

}  // namespace workbench::synth
