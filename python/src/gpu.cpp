// SPDX-License-Identifier: MIT
#include "python/src/gpu.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "python/src/array.h"
#include "python/src/binding.h"
#include "python/src/calls.h"
#include "python/src/failure.h"

namespace iir2d_python {

namespace {

// On a GPU there is no host work in a call that would need the interpreter's lock.
template <class Call>
void run_on_gpu(Call call) {
    run(elements_with_lock + 1, 0, [&](const Running&) { call(); });
}

void require_one_device(const char* name, const GpuOperand& a, const char* other, const GpuOperand& b) {
    if (a.device() && b.device() && *a.device() != *b.device()) {
        fail(IIR2D_STATUS_INVALID_ARGUMENT, std::string(name) + " lies on CUDA device " +
                                                std::to_string(*a.device()) + ", " + other + " on " +
                                                std::to_string(*b.device()));
    }
}

// What a filter on a GPU is given; `pass` is 0 forward, 1 the adjoint, 2 the gradient, whose y is dy.
// `workspace` is an address of `bytes`, `stream` a handle. Checks what the host's functions check.
class GpuFilter {
  public:
    GpuFilter(std::int32_t pass, nb::handle x, nb::handle y, nb::handle parameters)
        : m_pass(static_cast<Pass>(pass)), m_x(x), m_y(y), m_given(parameters) {
        const char* name = m_pass == Pass::adjoint ? "dy" : "x";
        check_planes(name, m_x.view());
        if (m_pass != Pass::gradient) check_output("out", m_y.view(), m_x.view().shape, m_x.view().element);
        require_one_device(name, m_x, m_pass == Pass::gradient ? "dy" : "out", m_y);
    }

    Pass pass() const { return m_pass; }
    const View& x() const { return m_x.view(); }
    const View& y() const { return m_y.view(); }
    const Parameters& parameters() const { return m_given.parameters(); }

  private:
    Pass m_pass;
    GpuOperand m_x, m_y;
    ParameterArgument m_given;
};

OnGpu on_gpu(std::uintptr_t workspace, std::size_t bytes, std::uintptr_t stream) {
    return {reinterpret_cast<void*>(workspace), bytes, reinterpret_cast<void*>(stream)};
}

bool gpu_folds(nb::handle x, nb::handle y, bool y_is_written) {
    return folds(GpuOperand(x).view(), GpuOperand(y).view(), y_is_written);
}

std::size_t gpu_workspace(std::int32_t pass, nb::handle x, nb::handle y, const FilterSettings& settings,
                          nb::handle parameters) {
    const GpuFilter call(pass, x, y, parameters);
    std::size_t bytes = 0;
    run_on_gpu(
        [&] { bytes = filter_workspace(call.pass(), call.x(), call.y(), settings, call.parameters()); });
    return bytes;
}

void gpu_filter(std::int32_t pass, nb::handle x, nb::handle y, const FilterSettings& settings,
                nb::handle parameters, std::uintptr_t workspace, std::size_t bytes, std::uintptr_t stream) {
    const GpuFilter call(pass, x, y, parameters);
    run_on_gpu([&] {
        filter_on_gpu(call.pass(), call.x(), call.y(), settings, call.parameters(),
                      on_gpu(workspace, bytes, stream));
    });
}

// `gradient` is an address in device memory.
void gpu_gradient(nb::handle x, nb::handle dy, std::uintptr_t gradient, const FilterSettings& settings,
                  nb::handle parameters, std::uintptr_t workspace, std::size_t bytes, std::uintptr_t stream) {
    const GpuFilter call(2, x, dy, parameters);
    run_on_gpu([&] {
        filter_gradient_on_gpu(call.x(), call.y(), reinterpret_cast<double*>(gradient), settings,
                               call.parameters(), on_gpu(workspace, bytes, stream));
    });
}

// Copies as many bytes as an array of the host's has, and waits for the stream.
void gpu_to_host(std::uintptr_t from, nb::handle to, std::uintptr_t stream) {
    const Operand output(to);
    const auto bytes =
        static_cast<std::size_t>(product(output.view().shape)) * element_bytes(output.view().element);
    if (output.view().strides != dense_strides(output.view().shape))
        throw nb::type_error("copies go to dense arrays");
    run_on_gpu([&] {
        check(iir2d_copy_to_host_cuda(output.view().data, reinterpret_cast<const void*>(from), bytes,
                                      reinterpret_cast<void*>(stream)));
    });
}

void gpu_pool(nb::handle x, nb::handle y, std::uintptr_t indices, const IIR2D_PoolParams& settings,
              std::uintptr_t stream) {
    const GpuOperand input(x), output(y);
    check_pool(input.view(), output.view(), settings);
    require_one_device("x", input, "out", output);
    run_on_gpu([&] {
        pool_on_gpu(input.view(), output.view(), reinterpret_cast<std::int64_t*>(indices), settings,
                    reinterpret_cast<void*>(stream));
    });
}

void gpu_pool_gradient(nb::handle x, nb::handle y, nb::handle dy, nb::handle dx, std::uintptr_t indices,
                       const IIR2D_PoolParams& settings, std::uintptr_t stream) {
    const PoolGradient<GpuOperand> call(x, y, dy, dx, settings);
    require_one_device("dy", call.dy_operand(), "out", call.dx_operand());
    if (call.x_operand()) require_one_device("dy", call.dy_operand(), "x", *call.x_operand());
    if (call.y_operand()) require_one_device("dy", call.dy_operand(), "y", *call.y_operand());
    run_on_gpu([&] {
        pool_backward_on_gpu(call.x(), call.y(), call.dy(), call.dx(),
                             reinterpret_cast<const std::int64_t*>(indices), settings,
                             reinterpret_cast<void*>(stream));
    });
}

}  // namespace

void add_gpu_array(nb::module_& m) {
    nb::class_<GpuArray>(m, "GpuArray", "An array from a DLPack capsule, in a CUDA device's memory.")
        .def(nb::init<nb::ndarray<nb::ro>>(), nb::arg("capsule"),
             nb::sig("def __init__(self, capsule: object) -> None"))
        .def_static("for_writing", &GpuArray::for_writing, nb::arg("capsule"))
        .def_static("positions", &GpuArray::positions, nb::arg("capsule"),
                    nb::sig("def positions(capsule: object) -> GpuArray"))
        .def_prop_ro(
            "shape", [](const GpuArray& a) { return nb::tuple(nb::cast(a.view().shape)); },
            nb::sig("def shape(self) -> tuple[int, ...]"))
        .def_prop_ro("element", [](const GpuArray& a) { return a.view().element; })
        .def_prop_ro("is_dense", [](const GpuArray& a) { return is_dense(a.view()); })
        .def_prop_ro("address",
                     [](const GpuArray& a) { return reinterpret_cast<std::uintptr_t>(a.view().data); });
}

void add_gpu_functions(nb::module_& m) {
    m.def("gpu_folds", &gpu_folds, nb::arg("x"), nb::arg("y"), nb::arg("y_is_written"));
    m.def("gpu_workspace", &gpu_workspace, nb::arg("pass_"), nb::arg("x"), nb::arg("y"), nb::arg("settings"),
          nb::arg("parameters").none());
    m.def("gpu_filter", &gpu_filter, nb::arg("pass_"), nb::arg("x"), nb::arg("y"), nb::arg("settings"),
          nb::arg("parameters").none(), nb::arg("workspace"), nb::arg("bytes"), nb::arg("stream"));
    m.def("gpu_gradient", &gpu_gradient, nb::arg("x"), nb::arg("dy"), nb::arg("gradient"),
          nb::arg("settings"), nb::arg("parameters").none(), nb::arg("workspace"), nb::arg("bytes"),
          nb::arg("stream"));
    m.def("gpu_to_host", &gpu_to_host, nb::arg("source"), nb::arg("to"), nb::arg("stream"));
    m.def("gpu_pool", &gpu_pool, nb::arg("x"), nb::arg("y"), nb::arg("indices"), nb::arg("settings"),
          nb::arg("stream"));
    m.def("gpu_pool_backward", &gpu_pool_gradient, nb::arg("x").none(), nb::arg("y").none(), nb::arg("dy"),
          nb::arg("dx"), nb::arg("indices"), nb::arg("settings"), nb::arg("stream"));
}

}  // namespace iir2d_python
