// SPDX-License-Identifier: MIT
// Holds the state of a running tree: variables, arrays and the atomic additions that are still to be made.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/synth/lanes.h"

namespace workbench::synth {

// An array of a thread or a block, while it runs; a parameter's lies in its Argument.
struct Variable {
    Value value;  // of a local
    std::uint64_t* slots = nullptr;
    double* extra = nullptr;  // of an array: always there in modes that have one
    std::size_t count = 0;    // elements; of a thread's array, for one thread
    Argument* argument = nullptr;
};

struct Addition {
    Id array = 0;
    AtomicOp op = AtomicOp::add;
    std::uint32_t lane = 0;
    std::uint64_t index = 0;
    std::uint64_t bits = 0;
    double extra = 0;
};

// Sums up the atomic additions of floats to each element.
struct Sums {
    std::vector<double> absolute;
    std::vector<std::uint32_t> terms;
};

class MachineState {
  protected:
    MachineState(const Tree& tree, const Interpretation& how, Store& store)
        : m_tree(tree),
          m_how(how),
          m_store(store),
          m_lanes(store, how),
          m_variables(tree.symbols.size()),
          m_sums(tree.symbols.size()) {}
    ~MachineState() = default;

    Type computed(Type type) const { return m_lanes.computed(type); }
    void fault(std::string what) {
        if (m_error.empty()) m_error = std::move(what);
    }

    // Finds where the element of a lane begins in the slots. Returns false, and records a fault, out of
    // bounds.
    bool place(const Variable& array, const Symbol& symbol, const Value& index, std::size_t lane,
               std::size_t& at);
    Value load(const Expr& e, const Value& index, Mask mask);
    void write(const Stmt& s, const Value& index, const Value& value, Mask mask);
    // Does the atomics so far, thread after thread as the host source does them.
    void add_up();
    // Adds to the bounds of what atomics have added up: n * u * sum|terms|. Each of two orders rounds
    // n times, by half an ulp at most: u is a whole one, of 1.
    void finish_sums();

    const Tree& m_tree;
    Interpretation m_how;
    Store& m_store;
    Lanes m_lanes;
    std::vector<Variable> m_variables;
    std::string m_error;

  private:
    double as_double(Type type, std::uint64_t bits) const;
    void count(const Addition& a, Type type, std::uint64_t before);

    std::vector<Sums> m_sums;
    std::vector<Addition> m_additions;
};

}  // namespace workbench::synth
