// SPDX-License-Identifier: MIT
// Values of the 64 threads of a block, and what one operation makes of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/synth/interpret.h"

namespace workbench::synth {

constexpr std::size_t lanes = 64;
using Mask = std::uint64_t;

// A component has 64 slots of 8 bytes, used in the width of its type, and 64 extras. A bool is one mask.
struct Value {
    Type type = Type::none;
    std::uint64_t* slots = nullptr;
    double* extra = nullptr;  // null: all zero

    template <class T>
    T* of(std::size_t component = 0) const {
        return reinterpret_cast<T*>(slots + component * lanes);
    }
    Mask mask() const { return *slots; }
    // Returns one component, as a scalar.
    Value at(int component, Type element) const {
        const auto k = static_cast<std::size_t>(component) * lanes;
        return {element, slots + k, extra ? extra + k : nullptr};
    }
};

template <class Act>
void each_lane(Mask mask, Act act) {
    for (; mask; mask &= mask - 1) act(static_cast<std::size_t>(__builtin_ctzll(mask)));
}

// Holds results until their statement is done.
class Store {
  public:
    explicit Store(std::size_t slots) : m_slots(new std::uint64_t[slots]), m_size(slots) {}
    ~Store() { delete[] m_slots; }
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    std::size_t used() const { return m_used; }
    void release(std::size_t used) { m_used = used; }
    bool is_full() const { return m_full; }
    bool has(std::size_t count) const { return count <= m_size - m_used; }
    void clear() {
        m_used = 0;
        m_full = false;
    }
    // Takes at most 2^16 slots at once; ask has() for more. Where it is full, slots are taken from its
    // beginning again.
    std::uint64_t* take(std::size_t count) {
        if (m_used + count > m_size) {
            m_full = true;
            m_used = 0;
        }
        m_used += count;
        return m_slots + m_used - count;
    }
    double* extras(std::size_t count) { return reinterpret_cast<double*>(take(count)); }

  private:
    std::uint64_t* m_slots;
    std::size_t m_size;
    std::size_t m_used = 0;
    bool m_full = false;
};

// Computes operations on scalars, lane by lane.
class Lanes {
  public:
    Lanes(Store& store, const Interpretation& how) : m_store(store), m_how(how) {}

    // Returns the type that numbers are computed in.
    Type computed(Type type) const { return m_how.wide && type == Type::f32 ? Type::f64 : type; }
    Value fresh(Type type);
    Value fill(Type type, std::uint64_t bits);
    Value fill_number(Type type, double number);

    // Computes the unary, binary and ternary operations on scalars, except cast; results of lanes outside the
    // mask are unspecified.
    Value operate(Op op, Mask mask, const Value& a, const Value& b = {}, const Value& c = {});
    Value compare(Op op, Mask mask, const Value& a, const Value& b);
    Value select(Mask yes, const Value& a, const Value& b);
    Value cast(Type type, Mask mask, const Value& a);
    // Operations of vectors and matrices, by those of their components, in the order of the printed sources.
    Value wide_operate(Op op, Mask mask, const Value& a, const Value& b, Type result);

    bool undecided = false;

  private:
    double* extras_of(Op op, Mask mask, const Value& a, const Value& b, const Value& c, const Value& made);
    Value sum_of_products(Mask mask, const Value& a, int at_a, int step_a, const Value& b, int at_b,
                          int step_b, int count);
    Value determinant(Mask mask, const Value& a, int r);
    Value product(Mask mask, const Value& a, int i, const Value& b, int j);
    void put(Value& to, int component, const Value& from);

    Store& m_store;
    Interpretation m_how;
};

// Returns how far a conforming implementation's result may be from r = op(x, y, z), where x is off by at most
// ex and so on. Infinite where nothing can be said. `split`: the result may be a different one, by more than
// any bound says.
double bound_of(Op op, Type type, const double (&x)[3], const double (&e)[3], double r, bool& split);
// Returns op(x) by the C library's function of double. Precondition: op is one of sin to erf; sqrt and rsqrt
// are not.
double function_of(Op op, double x);
// Returns the derivative of op(x, y, z) along the tangents t.
double tangent_of(Op op, const double (&x)[3], const double (&t)[3], double r);
// Returns the distance from |r| to the next number of the type.
double ulp(Type type, double r);

}  // namespace workbench::synth
