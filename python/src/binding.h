// SPDX-License-Identifier: MIT
// What the module's functions share, on the host and on a GPU: how they run, and what they take as arguments.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "python/src/array.h"
#include "python/src/calls.h"
#include "python/src/failure.h"

namespace iir2d_python {

namespace nb = nanobind;

// Calls on more elements than this leave the interpreter to other threads.
constexpr std::int64_t elements_with_lock = 4096;

// Whether this is the thread on which Python handles signals.
bool handles_signals();
// Looks for them; `user` points to the thread's PyThreadState*.
int check_signals(void* user, double fraction);

// Runs call(running); without the interpreter's lock where there is much to do, looking for signals where
// Python does.
template <class Call>
void run(std::int64_t elements, std::int32_t threads, Call call) {
    if (elements <= elements_with_lock) {
        call(Running{.threads = threads});
        return;
    }
    const bool is_main = handles_signals();
    PyThreadState* state = PyEval_SaveThread();
    std::optional<Failure> failure;
    std::exception_ptr other;
    try {
        call(Running{.threads = threads, .poll = is_main ? check_signals : nullptr, .user = &state});
    } catch (const Failure& thrown) {
        failure = thrown;
    } catch (...) {
        other = std::current_exception();
    }
    PyEval_RestoreThread(state);
    if (PyErr_Occurred()) throw nb::python_error();
    if (other) std::rethrow_exception(other);
    if (failure) throw *failure;
}

// None, a sequence of one set's values, or a dense array of float64 whose last dimension is the set's values.
class ParameterArgument {
  public:
    explicit ParameterArgument(nb::handle object) {
        if (object.is_none()) return;
        if (nb::isinstance<nb::tuple>(object)) {
            for (nb::handle value : nb::borrow<nb::tuple>(object))
                m_values.push_back(nb::cast<double>(value));
            m_parameters.values = m_values;
            return;
        }
        const View& view = m_operand.emplace(object).view();
        if (view.element != IIR2D_ELEMENT_F64 || view.shape.empty() ||
            view.strides != dense_strides(view.shape))
            throw nb::type_error("parameters are a dense array of float64");
        m_parameters.values = {static_cast<const double*>(view.data),
                               static_cast<std::size_t>(product(view.shape))};
        m_parameters.shape = std::span(view.shape).first(view.shape.size() - 1);
    }

    const Parameters& parameters() const { return m_parameters; }

  private:
    std::vector<double> m_values;
    std::optional<Operand> m_operand;
    Parameters m_parameters;
};

// What a pooling of x into y is refused for.
void check_pool(const View& x, const View& y, const IIR2D_PoolParams& settings);

// The arrays of a pooling's gradient, Operands or GpuOperands; x and y may be None.
template <class Array>
class PoolGradient {
  public:
    PoolGradient(nb::handle x, nb::handle y, nb::handle dy, nb::handle dx, const IIR2D_PoolParams& settings)
        : m_dy(dy), m_dx(dx) {
        if (!x.is_none()) m_x.emplace(x);
        if (!y.is_none()) m_y.emplace(y);
        check_planes("dy", m_dy.view());
        const View& target = m_dx.view();
        Sizes shape = target.shape;
        check_planes("the input", target);
        pool_output_size(settings, target, shape[shape.size() - 2], shape[shape.size() - 1]);
        require("dy", m_dy.view(), shape);
        if (m_x) require("x", m_x->view(), target.shape);
        if (m_y) require("y", m_y->view(), shape);
        check_output("out", target, target.shape, target.element);
    }

    const std::optional<Array>& x_operand() const { return m_x; }
    const std::optional<Array>& y_operand() const { return m_y; }
    const Array& dy_operand() const { return m_dy; }
    const Array& dx_operand() const { return m_dx; }

    const View* x() const { return m_x ? &m_x->view() : nullptr; }
    const View* y() const { return m_y ? &m_y->view() : nullptr; }
    const View& dy() const { return m_dy.view(); }
    const View& dx() const { return m_dx.view(); }

  private:
    void require(const char* name, const View& view, const Sizes& wanted) const {
        if (view.shape != wanted) {
            fail(IIR2D_STATUS_INVALID_DIMENSION, std::string(name) + " has shape " + describe(view.shape) +
                                                     ", it must have " + describe(wanted));
        }
        if (view.element != dx().element) {
            fail(IIR2D_STATUS_INVALID_ARGUMENT, std::string(name) + " is " + element_name(view.element) +
                                                    ", dy is " + element_name(dy().element));
        }
    }

    std::optional<Array> m_x, m_y;
    Array m_dy, m_dx;
};

}  // namespace iir2d_python
