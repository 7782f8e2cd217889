// SPDX-License-Identifier: MIT
#include "core/synth/interpret.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/synth/machine.h"

namespace workbench::synth {

namespace {

constexpr std::size_t store_slots = std::size_t{1} << 19;
constexpr int deepest_call = 16;
constexpr const char* too_much = "its values take too much memory";

class Machine : MachineState {
  public:
    Machine(const Tree& tree, std::vector<Argument>& arguments, const Interpretation& how, Store& store)
        : MachineState(tree, how, store), m_arguments(arguments) {}

    Interpreted run() {
        m_store.clear();
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < m_arguments.size(); ++k) {
            const Id id = m_tree.kernel.parameters[k];
            Variable& variable = m_variables[id];
            Argument& argument = m_arguments[k];
            const Type type = m_tree.symbols[id].type;
            if (is_array_parameter(m_tree.symbols[id].kind)) {
                if (m_how.mode != Mode::values) argument.extra.resize(argument.slots.size(), 0.0);
                variable.slots = argument.slots.data();
                variable.extra = argument.extra.empty() ? nullptr : argument.extra.data();
                variable.count = argument.slots.size() / static_cast<std::size_t>(info(type).components);
                variable.argument = &argument;
            } else {
                variable.value = m_lanes.fill(type, argument.slots[0]);
                if (m_how.mode == Mode::tangents && !argument.extra.empty() && is_float(type)) {
                    variable.value.extra = m_store.extras(lanes);
                    std::fill_n(variable.value.extra, lanes, argument.extra[0]);
                }
                if (m_tree.symbols[id].kind == SymbolKind::n) n = argument.slots[0];
            }
        }
        const std::size_t start = m_store.used();
        for (std::uint64_t block = 0; block * lanes < n && m_error.empty(); ++block) {
            m_store.release(start);
            m_block = block;
            m_steps = 0;
            const std::uint64_t left = n - block * lanes;
            const Mask inside = left >= lanes || m_tree.is_block ? ~Mask{0} : (Mask{1} << left) - 1;
            for (Id id = 0; id < m_tree.symbols.size(); ++id) {
                if (m_tree.symbols[id].kind != SymbolKind::index) continue;
                m_variables[id].value = m_lanes.fresh(Type::i32);
                for (std::size_t k = 0; k < lanes; ++k)
                    m_variables[id].value.of<std::int32_t>()[k] =
                        static_cast<std::int32_t>(block * lanes + k);
            }
            forget_locals();
            list(m_tree.kernel.body, inside);
            add_up();
        }
        finish_sums();
        return {m_error, m_lanes.undecided};
    }

  private:
    bool step() {
        if (++m_steps > m_how.most_steps) fault("it takes too many steps");
        if (m_how.limit.is_over()) fault("it takes too long");
        if (m_store.is_full()) fault(too_much);
        return m_error.empty();
    }

    // What a block before has reserved is free again.
    void forget_locals() {
        for (Id id = 0; id < m_tree.symbols.size(); ++id) {
            const SymbolKind kind = m_tree.symbols[id].kind;
            if (kind == SymbolKind::local || kind == SymbolKind::loop || kind == SymbolKind::array ||
                kind == SymbolKind::shared)
                m_variables[id] = {};
        }
    }

    // ---- Statements. A list returns the lanes that go on behind it.

    Mask list(const std::vector<Id>& ids, Mask mask) {
        for (const Id id : ids) {
            if (!mask || !m_error.empty()) break;
            mask = stmt(m_tree.stmts[id], mask);
            if (m_store.is_full()) fault(too_much);
        }
        return mask;
    }

    Mask stmt(const Stmt& s, Mask mask) {
        switch (s.kind) {
            case StmtKind::let: {
                Variable& variable = m_variables[s.symbol];
                if (!variable.value.slots) reserve(variable, m_tree.symbols[s.symbol].type);
                return assign(s, mask);
            }
            case StmtKind::assign:
                return assign(s, mask);
            case StmtKind::array:
            case StmtKind::shared:
                declare(s);
                return mask;
            case StmtKind::barrier:
                add_up();
                return mask;
            case StmtKind::branch: {
                const std::size_t used = m_store.used();
                const Mask yes = eval(s.value, mask).mask();
                m_store.release(used);
                const Mask behind = list(s.body, mask & yes);
                return behind | list(s.otherwise, mask & ~yes);
            }
            case StmtKind::for_loop:
                return for_loop(s, mask);
            case StmtKind::while_loop:
                return while_loop(s, mask);
            case StmtKind::break_loop:
                return 0;
            case StmtKind::continue_loop:
                m_continued |= mask;
                return 0;
            case StmtKind::store:
            case StmtKind::atomic: {
                const std::size_t used = m_store.used();
                const Value index = eval(s.index, mask);
                write(s, index, eval(s.value, mask), mask);
                m_store.release(used);
                return mask;
            }
            case StmtKind::give: {
                const Value value = eval(s.value, mask);
                merge(m_result, value, mask);
                m_returned |= mask;
                return 0;
            }
        }
        return mask;
    }

    static std::size_t slots_of(Type type) {
        return type == Type::boolean ? 1 : lanes * static_cast<std::size_t>(info(type).components);
    }
    Value zeros(Type type) {
        const Value made = m_lanes.fresh(type);
        std::fill_n(made.slots, slots_of(type), 0);
        return made;
    }

    void reserve(Variable& variable, Type type) {
        const auto count = slots_of(type);
        variable.value = zeros(type);
        variable.extra = is_float(type) ? m_store.extras(count) : nullptr;
    }

    // Writes the lanes of the mask.
    void merge(Variable& to, const Value& from, Mask mask) {
        Value& value = to.value;
        if (from.type == Type::boolean) {
            *value.slots = (*value.slots & ~mask) | (from.mask() & mask);
            return;
        }
        const auto components = static_cast<std::size_t>(info(from.type).components);
        const bool narrow = info(from.type).bytes == 4 && computed(element(from.type)) != Type::f64;
        for (std::size_t c = 0; c < components; ++c) {
            if (narrow)
                each_lane(mask, [&](std::size_t k) {
                    value.of<std::uint32_t>(c)[k] = from.of<std::uint32_t>(c)[k];
                });
            else
                each_lane(mask, [&](std::size_t k) {
                    value.of<std::uint64_t>(c)[k] = from.of<std::uint64_t>(c)[k];
                });
        }
        if (!is_float(from.type) || (!from.extra && !value.extra)) return;
        if (!value.extra) std::fill_n(to.extra, lanes * components, 0.0);
        value.extra = to.extra;
        for (std::size_t c = 0; c < components; ++c)
            each_lane(mask, [&](std::size_t k) {
                to.extra[c * lanes + k] = from.extra ? from.extra[c * lanes + k] : 0;
            });
    }

    Mask assign(const Stmt& s, Mask mask) {
        const std::size_t used = m_store.used();
        const Value value = eval(s.value, mask);
        merge(m_variables[s.symbol], value, mask);
        m_store.release(used);
        return mask;
    }

    void declare(const Stmt& s) {
        Variable& variable = m_variables[s.symbol];
        const Symbol& symbol = m_tree.symbols[s.symbol];
        variable.count = symbol.extent.factor;
        const std::size_t threads = s.kind == StmtKind::array ? lanes : 1;
        const std::size_t slots =
            threads * variable.count * static_cast<std::size_t>(info(symbol.type).components);
        if (s.kind == StmtKind::shared || !variable.slots) {
            if (!m_store.has(2 * slots)) return fault(too_much);
            variable.slots = m_store.take(slots);
            variable.extra = m_store.extras(slots);
        }
        std::fill_n(variable.slots, slots, 0);
        std::fill_n(variable.extra, slots, 0.0);
    }

    Mask for_loop(const Stmt& s, Mask mask) {
        Variable& variable = m_variables[s.symbol];
        if (!variable.value.slots) reserve(variable, Type::i32);
        {
            const std::size_t used = m_store.used();
            merge(variable, eval(s.value, mask), mask);
            m_store.release(used);
        }
        auto* const j = variable.value.of<std::int32_t>();
        Mask running = mask, ended = 0;
        while (running && step()) {
            const std::size_t used = m_store.used();
            const Value to = eval(s.index, running);
            Mask going = 0;
            each_lane(running, [&](std::size_t k) {
                const std::int32_t end = to.of<std::int32_t>()[k];
                going |= static_cast<Mask>(s.step > 0 ? j[k] < end : j[k] >= end) << k;
            });
            m_store.release(used);
            ended |= running & ~going;
            running = iteration(s.body, going, ended);
            each_lane(running, [&](std::size_t k) {
                if (__builtin_add_overflow(j[k], s.step, &j[k])) fault("a signed number does not fit");
            });
        }
        return ended;
    }

    Mask while_loop(const Stmt& s, Mask mask) {
        Mask running = mask, ended = 0;
        while (running && step()) {
            const std::size_t used = m_store.used();
            const Mask going = eval(s.value, running).mask() & running;
            m_store.release(used);
            ended |= running & ~going;
            running = iteration(s.body, going, ended);
        }
        return ended;
    }

    // Runs a loop's body once. Those who leave it by break are added to `ended`; returns who goes on.
    Mask iteration(const std::vector<Id>& body, Mask going, Mask& ended) {
        const Mask outer_continued = m_continued, returned = m_returned;
        m_continued = 0;
        const Mask behind = list(body, going) | m_continued;
        ended |= going & ~behind & ~(m_returned & ~returned);
        m_continued = outer_continued;
        return behind;
    }

    // ---- Expressions

    Value eval(Id id, Mask mask) {
        const Expr& e = m_tree.exprs[id];
        switch (e.op) {
            case Op::literal:
                return is_float(e.type) ? m_lanes.fill_number(e.type, literal_value(e))
                                        : m_lanes.fill(e.type, e.bits);
            case Op::symbol:
                return m_variables[e.symbol].value;
            case Op::load:
                return load(e, eval(e.args[0], mask), mask);
            case Op::component:
                return eval(e.args[0], mask).at(static_cast<int>(e.symbol), Type::f32);
            case Op::logical_not: {
                Value made = m_lanes.fresh(Type::boolean);
                *made.slots = ~eval(e.args[0], mask).mask();
                return made;
            }
            case Op::logical_and:
            case Op::logical_or: {
                const Mask left = eval(e.args[0], mask).mask();
                const Mask right =
                    eval(e.args[1], e.op == Op::logical_and ? mask & left : mask & ~left).mask();
                Value made = m_lanes.fresh(Type::boolean);
                *made.slots = e.op == Op::logical_and ? left & right : left | right;
                return made;
            }
            case Op::select: {
                const Mask yes = eval(e.args[0], mask).mask();
                const Value a = eval(e.args[1], mask & yes);
                const Value b = eval(e.args[2], mask & ~yes);
                return m_lanes.select(yes, a, b);
            }
            case Op::cast:
                return cast(e.type, eval(e.args[0], mask), mask);
            case Op::make:
                return make(e, mask);
            case Op::thread:
            case Op::block: {
                Value made = m_lanes.fresh(Type::u32);
                for (std::size_t k = 0; k < lanes; ++k)
                    made.of<std::uint32_t>()[k] =
                        static_cast<std::uint32_t>(e.op == Op::thread ? k : m_block);
                return made;
            }
            case Op::call:
                return call(e, mask);
            default:
                break;
        }
        if (is_collective(e.op)) return collective(e, mask);
        const Value a = eval(e.args[0], mask);
        const Value b = e.count > 1 ? eval(e.args[1], mask) : Value{};
        if (is_compare(e.op)) return m_lanes.compare(e.op, mask, a, b);
        if (!is_scalar(a.type)) return m_lanes.wide_operate(e.op, mask, a, b, e.type);
        if (e.op == Op::outer) return m_lanes.wide_operate(e.op, mask, a, b, e.type);
        if ((e.op == Op::div || e.op == Op::rem) && is_integer(e.type)) check_divisor(b, mask);
        if (is_integer(e.type) && b.slots) check_defined(e, a, b, mask);
        const Value c = e.count > 2 ? eval(e.args[2], mask) : Value{};
        return m_lanes.operate(e.op, mask, a, b, c);
    }

    void check_divisor(const Value& b, Mask mask) {
        each_lane(mask, [&](std::size_t k) {
            if ((info(b.type).bytes == 4 ? b.of<std::uint32_t>()[k] : b.slots[k]) == 0)
                fault("it divides by zero");
        });
    }

    // C++ leaves open what whole number is made of one that does not fit.
    Value cast(Type type, const Value& a, Mask mask) {
        if (is_integer(type) && is_float(a.type)) {
            const double end = std::ldexp(1.0, info(type).bytes * 8 - (is_signed(type) ? 1 : 0));
            const double least = is_signed(type) ? -end : 0;
            each_lane(mask, [&](std::size_t k) {
                const double x =
                    std::trunc(computed(a.type) == Type::f32 ? static_cast<double>(a.of<float>()[k])
                                                             : a.of<double>()[k]);
                if (!(x >= least && x < end)) fault("a number does not fit into a whole one");
            });
        }
        return m_lanes.cast(type, mask, a);
    }

    // What C++ leaves open: signed results that do not fit, shifts by the width or more.
    void check_defined(const Expr& e, const Value& a, const Value& b, Mask mask) {
        const int bits = info(e.type).bytes * 8;
        const auto number = [bits](const Value& value, std::size_t k, bool is_signed) {
            if (bits == 64) return static_cast<std::int64_t>(value.slots[k]);
            return is_signed ? static_cast<std::int64_t>(value.of<std::int32_t>()[k])
                             : static_cast<std::int64_t>(value.of<std::uint32_t>()[k]);
        };
        if (e.op == Op::shl || e.op == Op::shr) {
            each_lane(mask, [&](std::size_t k) {
                const std::uint64_t by = info(b.type).bytes == 4 ? b.of<std::uint32_t>()[k] : b.slots[k];
                if (by >= static_cast<std::uint64_t>(bits)) fault("it shifts by the width or more");
            });
        }
        if (!is_signed(e.type)) return;
        const std::int64_t least =
            bits == 32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
        each_lane(mask, [&](std::size_t k) {
            const std::int64_t x = number(a, k, true), y = number(b, k, true);
            std::int64_t made = 0;
            bool over = false;
            if (e.op == Op::add) over = __builtin_add_overflow(x, y, &made);
            if (e.op == Op::sub) over = __builtin_sub_overflow(x, y, &made);
            if (e.op == Op::mul) over = __builtin_mul_overflow(x, y, &made);
            if (e.op == Op::div || e.op == Op::rem) over = x == least && y == -1;
            if (bits == 32) over = over || made != static_cast<std::int32_t>(made);
            if (over) fault("a signed number does not fit");
        });
    }

    Value make(const Expr& e, Mask mask) {
        Value made = m_lanes.fresh(e.type);
        for (std::size_t c = 0; c < e.count; ++c) {
            const Value part = eval(e.args[c], mask);
            std::copy_n(part.slots, lanes, made.slots + c * lanes);
            if (part.extra && !made.extra) {
                made.extra = m_store.extras(lanes * e.count);
                std::fill_n(made.extra, lanes * e.count, 0.0);
            }
            if (part.extra) std::copy_n(part.extra, lanes, made.extra + c * lanes);
        }
        return made;
    }

    Value collective(const Expr& e, Mask mask) {
        const Value given = eval(e.args[0], mask);
        if (given.type == Type::boolean) {
            Value made = m_lanes.fresh(e.op == Op::ballot ? Type::u32 : Type::boolean);
            Mask all = 0;
            for (std::size_t warp = 0; warp < lanes / 32; ++warp) {
                const auto bits = static_cast<std::uint32_t>(given.mask() >> (32 * warp));
                const bool is = e.op == Op::vote_all ? bits == ~0U : bits != 0;
                if (is) all |= Mask{0xffffffff} << (32 * warp);
                if (e.op == Op::ballot) std::fill_n(made.of<std::uint32_t>() + 32 * warp, 32, bits);
            }
            if (e.op != Op::ballot) *made.slots = all;
            return made;
        }
        const auto by = static_cast<std::size_t>(literal_value(m_tree.exprs[e.args[1]]));
        Value made = m_lanes.fresh(e.type);
        if (given.extra) made.extra = m_store.extras(lanes);
        const bool narrow = info(e.type).bytes == 4 && computed(e.type) != Type::f64;
        for (std::size_t k = 0; k < lanes; ++k) {
            std::size_t from = k;
            if (e.op == Op::shuffle_xor) from = k ^ by;
            if (e.op == Op::shuffle_down && k % 32 + by < 32) from = k + by;
            if (e.op == Op::shuffle_up && k % 32 >= by) from = k - by;
            if (narrow)
                made.of<std::uint32_t>()[k] = given.of<std::uint32_t>()[from];
            else
                made.slots[k] = given.slots[from];
            if (given.extra) made.extra[k] = given.extra[from];
        }
        return made;
    }

    // A helper has variables of its own in each call.
    Value call(const Expr& e, Mask mask) {
        const Function& helper = m_tree.helpers[e.symbol];
        if (m_calls == deepest_call) fault("its calls are nested too deep");
        if (!mask || !step()) return zeros(helper.result);
        ++m_calls;
        std::vector<Variable> given(helper.parameters.size());
        for (std::size_t k = 0; k < given.size(); ++k) {
            const Value value = eval(e.args[k], mask);
            reserve(given[k], value.type);
            merge(given[k], value, mask);
        }
        const std::vector<Variable> before = m_variables;
        const Variable outer_result = m_result;
        const Mask outer_returned = m_returned;
        // Locals of a call that is running already are another's.
        for (const Stmt& s : m_tree.stmts) {
            if (s.kind == StmtKind::let || s.kind == StmtKind::for_loop) m_variables[s.symbol] = {};
        }
        for (std::size_t k = 0; k < given.size(); ++k) m_variables[helper.parameters[k]] = given[k];
        m_result = {};
        reserve(m_result, helper.result);
        m_returned = 0;
        list(helper.body, mask);
        const Value made = m_result.value;
        --m_calls;
        m_variables = before;
        m_result = outer_result;
        m_returned = outer_returned;
        return made;
    }

    std::vector<Argument>& m_arguments;
    Variable m_result;
    Mask m_returned = 0;
    Mask m_continued = 0;
    std::uint64_t m_block = 0;
    std::uint64_t m_steps = 0;
    int m_calls = 0;  // in each other
};

}  // namespace

double Argument::number(std::size_t slot, bool wide) const {
    const Type of = element(type);
    return literal_value({.type = wide && of == Type::f32 ? Type::f64 : of, .bits = slots[slot]});
}

Interpreted interpret(const Tree& tree, std::vector<Argument>& arguments, const Interpretation& how) {
    thread_local Store store(store_slots);
    return Machine(tree, arguments, how, store).run();
}

}  // namespace workbench::synth
