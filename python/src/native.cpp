// SPDX-License-Identifier: MIT
// The module iir2d._native: the C interface as Python calls it. Arrays and names are checked in Python;
// sentences about values come from the library.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "python/src/array.h"
#include "python/src/binding.h"
#include "python/src/calls.h"
#include "python/src/failure.h"
#include "python/src/gpu.h"
#if IIR2D_PYTHON_JAX
#include "python/src/xla.h"
#endif

namespace nb = nanobind;

namespace iir2d_python {

namespace {

std::atomic<unsigned long> main_thread{0};

}  // namespace

bool handles_signals() {
    return PyThread_get_thread_ident() == main_thread.load();
}

int check_signals(void* user, double) {
    auto*& state = *static_cast<PyThreadState**>(user);
    PyEval_RestoreThread(state);
    const int stop = PyErr_CheckSignals();
    state = PyEval_SaveThread();
    return stop;
}

void check_pool(const View& x, const View& y, const IIR2D_PoolParams& settings) {
    check_planes("x", x);
    Sizes shape = x.shape;
    pool_output_size(settings, x, shape[shape.size() - 2], shape[shape.size() - 1]);
    check_output("out", y, shape, x.element);
}

namespace {

// `parameters` as ParameterArgument reads them; x and out as Operand does.
void forward(nb::handle x, nb::handle y, const FilterSettings& settings, nb::handle parameters,
             std::int32_t threads) {
    const Operand input(x), output(y);
    const ParameterArgument given(parameters);
    check_planes("x", input.view());
    check_output("out", output.view(), input.view().shape, input.view().element);
    run(product(input.view().shape), threads, [&](const Running& running) {
        filter(input.view(), output.view(), settings, given.parameters(), running);
    });
}

void adjoint(nb::handle dy, nb::handle dx, const FilterSettings& settings, nb::handle parameters,
             std::int32_t threads) {
    const Operand input(dy), output(dx);
    const ParameterArgument given(parameters);
    check_planes("dy", input.view());
    check_output("out", output.view(), input.view().shape, input.view().element);
    run(product(input.view().shape), threads, [&](const Running& running) {
        filter_adjoint(input.view(), output.view(), settings, given.parameters(), running);
    });
}

std::span<double> gradient_values(const View& values, const FilterSettings& settings, const Parameters& p) {
    if (values.element != IIR2D_ELEMENT_F64 || values.strides != dense_strides(values.shape))
        throw nb::type_error("a gradient is a dense array of float64");
    const std::span<double> target{static_cast<double*>(values.data),
                                   static_cast<std::size_t>(product(values.shape))};
    std::int32_t count = 0;
    check(iir2d_filter_count(settings.filter_id, &count));
    if (std::ssize(target) != (p.values.empty() ? count : std::ssize(p.values)))
        throw nb::type_error("a gradient has as many values as the parameters");
    return target;
}

// `gradient` takes, as float64, as many values as `parameters` has, or those of one set where that is None.
void gradient(nb::handle x, nb::handle dy, nb::handle gradient, const FilterSettings& settings,
              nb::handle parameters, std::int32_t threads) {
    const Operand input(x), upstream(dy), output(gradient);
    const ParameterArgument given(parameters);
    check_planes("x", input.view());
    const Parameters& p = given.parameters();
    const std::span<double> target = gradient_values(output.view(), settings, p);
    run(product(input.view().shape), threads, [&](const Running& running) {
        filter_gradient(input.view(), upstream.view(), target, settings, p, running);
    });
}

std::pair<std::int64_t, std::int64_t> output_size(std::int64_t height, std::int64_t width,
                                                  std::int32_t element, const IIR2D_PoolParams& settings) {
    std::int64_t rows = 0, columns = 0;
    pool_output_size(settings, {.element = element, .shape = {height, width}}, rows, columns);
    return {rows, columns};
}

// `indices` is the address of a dense int64 array of the output's shape, or 0.
void pool_forward(nb::handle x, nb::handle y, std::uintptr_t indices, const IIR2D_PoolParams& settings,
                  std::int32_t threads) {
    const Operand input(x), output(y);
    check_pool(input.view(), output.view(), settings);
    run(product(input.view().shape), threads, [&](const Running& running) {
        pool(input.view(), output.view(), reinterpret_cast<std::int64_t*>(indices), settings, running);
    });
}

void pool_gradient(nb::handle x, nb::handle y, nb::handle dy, nb::handle dx, std::uintptr_t indices,
                   const IIR2D_PoolParams& settings, std::int32_t threads) {
    const PoolGradient<Operand> call(x, y, dy, dx, settings);
    run(product(call.dx().shape), threads, [&](const Running& running) {
        pool_backward(call.x(), call.y(), call.dy(), call.dx(),
                      reinterpret_cast<const std::int64_t*>(indices), settings, running);
    });
}

// Sums an array of float64, dense and row-major, to a shape that broadcasts to its own: one value after the
// other.
void sum_to(nb::handle values, nb::handle sums) {
    const Operand from(values), to(sums);
    const View &source = from.view(), &target = to.view();
    if (source.element != IIR2D_ELEMENT_F64 || target.element != IIR2D_ELEMENT_F64 ||
        target.strides != dense_strides(target.shape) || !sets_fit(target.shape, source.shape))
        throw nb::type_error("sums are taken of dense arrays of float64");
    View dense = source;
    const Memory copy = copy_dense(dense);
    auto* out = static_cast<double*>(target.data);
    const auto* in = static_cast<const double*>(dense.data);
    std::fill_n(out, product(target.shape), 0.0);
    for_each_plane(source.shape, target.shape, [&](std::int64_t i, std::int64_t sum) { out[sum] += in[i]; });
}

nb::list filter_table() {
    nb::list table;
    for (std::int32_t id = 1;; ++id) {
        const char* key = iir2d_filter_key(id);
        if (key == nullptr) return table;
        std::int32_t count = 0;
        check(iir2d_filter_count(id, &count));
        nb::list parameters;
        for (std::int32_t i = 0; i < count; ++i) {
            const char* name = nullptr;
            double minimum = 0, maximum = 0, initial = 0;
            std::int32_t is_switch = 0;
            check(iir2d_filter_parameter(id, i, &name, &minimum, &maximum, &initial, &is_switch));
            parameters.append(nb::make_tuple(name, minimum, maximum, initial, is_switch != 0));
        }
        table.append(nb::make_tuple(id, key, nb::tuple(parameters)));
    }
}

// Checks an output in a GPU's memory as each call does, before anything is copied for one.
void check_gpu_output(nb::handle out, const std::vector<std::int64_t>& shape, std::int32_t element) {
    check_output("out", GpuOperand(out).view(), shape, element);
}

std::string devices_json() {
    std::size_t needed = 0;
    check(iir2d_describe_devices(nullptr, 0, &needed));
    std::string text(needed, '\0');
    check(iir2d_describe_devices(text.data(), text.size(), &needed));
    text.resize(needed > 0 ? needed - 1 : 0);
    return text;
}

std::string version(int packed) {
    return std::to_string(packed / 10000) + "." + std::to_string(packed / 100 % 100) + "." +
           std::to_string(packed % 100);
}

void require_library() {
    constexpr int header =
        IIR2D_API_VERSION_MAJOR * 10000 + IIR2D_API_VERSION_MINOR * 100 + IIR2D_API_VERSION_PATCH;
    const int library = iir2d_api_version_packed();
    if (library < header || library / 10000 != header / 10000) {
        throw nb::import_error(("libiir2d has version " + version(library) + ", this package needs " +
                                version(header) + " or a later 1.x")
                                   .c_str());
    }
}

// Makes iir2d.errors' exception of a failure and sets it as Python's.
void set_error(const Failure& failure) {
    try {
        const nb::object error =
            nb::module_::import_("iir2d.errors").attr("error_of")(failure.status, failure.sentence);
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    } catch (nb::python_error& raised) {
        raised.restore();
    }
}

}  // namespace

}  // namespace iir2d_python

NB_MODULE(_native, m) {
    using namespace iir2d_python;
    require_library();
    nb::set_leak_warnings(false);  // Python's caches of settings live as long as the interpreter.
    m.doc() =
        "The C interface of libiir2d. Use iir2d, iir2d.torch and iir2d.jax, which check their arguments.";
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Failure& failure) {
            set_error(failure);
        }
    });

    nb::class_<Array>(m, "Array", "An array from a DLPack capsule, in the host's memory.")
        .def(nb::init<nb::ndarray<nb::ro>>(), nb::arg("capsule"),
             nb::sig("def __init__(self, capsule: object) -> None"))
        .def_static("for_writing", &Array::for_writing, nb::arg("capsule"))
        .def_prop_ro(
            "shape", [](const Array& a) { return nb::tuple(nb::cast(a.view().shape)); },
            nb::sig("def shape(self) -> tuple[int, ...]"))
        .def_prop_ro("element", [](const Array& a) { return a.view().element; })
        .def_prop_ro("address",
                     [](const Array& a) { return reinterpret_cast<std::uintptr_t>(a.view().data); });

    add_gpu_array(m);

    nb::class_<FilterSettings>(m, "FilterSettings", "What a filter does, apart from its parameters.")
        .def(
            "__init__",
            [](FilterSettings* self, std::int32_t filter_id, std::int32_t border, double border_const,
               std::int32_t precision, std::int32_t start, bool normalise_gain) {
                new (self) FilterSettings{filter_id, border, border_const, precision, start, normalise_gain};
            },
            nb::arg("filter_id"), nb::arg("border"), nb::arg("border_const"), nb::arg("precision"),
            nb::arg("start"), nb::arg("normalise_gain"));

    nb::class_<IIR2D_PoolParams>(m, "PoolSettings", "What a pooling does; pairs are height and width.")
        .def(
            "__init__",
            [](IIR2D_PoolParams* self, std::int32_t op, std::pair<std::int64_t, std::int64_t> window,
               std::pair<std::int64_t, std::int64_t> stride, std::pair<std::int64_t, std::int64_t> padding,
               std::pair<std::int64_t, std::int64_t> dilation, std::pair<std::int64_t, std::int64_t> output,
               std::int64_t divisor_override, double p, bool ceil_mode, bool count_include_pad) {
                new (self) IIR2D_PoolParams{.size = sizeof(IIR2D_PoolParams),
                                            .op = op,
                                            .window_h = window.first,
                                            .window_w = window.second,
                                            .stride_h = stride.first,
                                            .stride_w = stride.second,
                                            .padding_h = padding.first,
                                            .padding_w = padding.second,
                                            .dilation_h = dilation.first,
                                            .dilation_w = dilation.second,
                                            .output_h = output.first,
                                            .output_w = output.second,
                                            .divisor_override = divisor_override,
                                            .p = p,
                                            .ceil_mode = ceil_mode ? 1 : 0,
                                            .count_include_pad = count_include_pad ? 1 : 0};
            },
            nb::arg("op"), nb::arg("window"), nb::arg("stride"), nb::arg("padding"), nb::arg("dilation"),
            nb::arg("output"), nb::arg("divisor_override"), nb::arg("p"), nb::arg("ceil_mode"),
            nb::arg("count_include_pad"));

    m.def("filter", &forward, nb::arg("x"), nb::arg("y"), nb::arg("settings"), nb::arg("parameters").none(),
          nb::arg("threads"));
    m.def("filter_adjoint", &adjoint, nb::arg("dy"), nb::arg("dx"), nb::arg("settings"),
          nb::arg("parameters").none(), nb::arg("threads"));
    m.def("filter_gradient", &gradient, nb::arg("x"), nb::arg("dy"), nb::arg("gradient"), nb::arg("settings"),
          nb::arg("parameters").none(), nb::arg("threads"));
    add_gpu_functions(m);
    m.def("check_gpu_output", &check_gpu_output, nb::arg("out"), nb::arg("shape"), nb::arg("element"),
          nb::sig("def check_gpu_output(out: object, shape: tuple[int, ...], element: int) -> None"));
    m.def("pool_output_size", &output_size, nb::arg("height"), nb::arg("width"), nb::arg("element"),
          nb::arg("settings"));
    m.def("pool", &pool_forward, nb::arg("x"), nb::arg("y"), nb::arg("indices"), nb::arg("settings"),
          nb::arg("threads"));
    m.def("pool_backward", &pool_gradient, nb::arg("x").none(), nb::arg("y").none(), nb::arg("dy"),
          nb::arg("dx"), nb::arg("indices"), nb::arg("settings"), nb::arg("threads"));
    m.def("sum_to", &sum_to, nb::arg("values"), nb::arg("sums"));
    m.def("filter_table", &filter_table,
          nb::sig("def filter_table() -> list[tuple[int, str, tuple[tuple[str, float, float, float, bool], "
                  "...]]]"));
    m.def("devices_json", &devices_json);
    m.def(
        "status_string", [](int status) { return std::string(iir2d_status_string(status)); },
        nb::arg("status"));
    m.def(
        "api_version",
        [] {
            return nb::make_tuple(iir2d_api_version_major(), iir2d_api_version_minor(),
                                  iir2d_api_version_patch());
        },
        nb::sig("def api_version() -> tuple[int, int, int]"));
    m.def("build_fingerprint", [] { return std::string(iir2d_build_fingerprint()); });
    m.def(
        "set_main_thread", [](unsigned long thread) { main_thread.store(thread); }, nb::arg("thread"));
    m.def(
        "set_xla_threads",
        [](std::int32_t threads) {
#if IIR2D_PYTHON_JAX
            set_xla_threads(threads);
#else
            static_cast<void>(threads);
#endif
        },
        nb::arg("threads"));
#if IIR2D_PYTHON_JAX
    m.def("xla_handlers", &xla_handlers, nb::arg("platform"),
          nb::sig("def xla_handlers(platform: str) -> dict[str, object]"));
#endif
}
