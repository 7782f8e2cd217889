// SPDX-License-Identifier: MIT
#include "core/tune/boosting.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/try.h"

#if defined(IIR2D_HAS_XGBOOST)
#include <dlfcn.h>
#include <xgboost/c_api.h>
#endif

namespace workbench::tune {

#if !defined(IIR2D_HAS_XGBOOST)

struct Boosting::Library {
    std::string version;
};

Result<Boosting> Boosting::open() {
    return fail(ErrorKind::bad_argument,
                "models cannot be trained by this build, which has no XGBoost: it was configured without "
                "IIR2D_USE_XGBOOST");
}
const std::string& Boosting::version() const {
    return m_library->version;
}
Result<Boosted> Boosting::train(const TrainingRows&, const TrainingRows&, const BoostSettings&,
                                const TaskControl&) const {
    return std::unexpected(open().error());
}

#else

// The functions that are called, by the types that the header gives them.
struct Boosting::Library {
    decltype(&::XGBoostVersion) get_version = nullptr;
    decltype(&::XGBGetLastError) last_error = nullptr;
    decltype(&::XGBSetGlobalConfig) set_global = nullptr;
    decltype(&::XGDMatrixCreateFromMat) make_matrix = nullptr;
    decltype(&::XGDMatrixSetFloatInfo) set_floats = nullptr;
    decltype(&::XGDMatrixFree) free_matrix = nullptr;
    decltype(&::XGBoosterCreate) make_booster = nullptr;
    decltype(&::XGBoosterFree) free_booster = nullptr;
    decltype(&::XGBoosterSetParam) set_parameter = nullptr;
    decltype(&::XGBoosterUpdateOneIter) update = nullptr;
    decltype(&::XGBoosterEvalOneIter) evaluate = nullptr;
    decltype(&::XGBoosterSaveModelToBuffer) save = nullptr;
    decltype(&::XGBoosterPredictFromDMatrix) predict = nullptr;
    std::string version;

    Result<void> check(int status) const {
        if (status == 0) return {};
        return fail(ErrorKind::device_failure, "XGBoost failed: " + escaped(last_error()));
    }
};

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

// What XGBoost frees by a function of its own.
template <class Free>
class Handle {
  public:
    explicit Handle(Free free) : m_free(free) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (m_handle != nullptr) m_free(m_handle);
    }
    void* get() const { return m_handle; }
    void** put() { return &m_handle; }

  private:
    Free m_free;
    void* m_handle = nullptr;
};

template <class Library, class Matrix>
Result<void> fill_matrix(const Library& library, const TrainingRows& rows, Matrix& matrix) {
    IIR2D_RETURN_IF_ERROR(
        library.check(library.make_matrix(rows.values.data(), rows.count(), rows.features,
                                          std::numeric_limits<float>::quiet_NaN(), matrix.put())));
    IIR2D_RETURN_IF_ERROR(
        library.check(library.set_floats(matrix.get(), "label", rows.targets.data(), rows.count())));
    return library.check(library.set_floats(matrix.get(), "weight", rows.weights.data(), rows.count()));
}

float weighted_mean(const TrainingRows& rows) {
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < rows.count(); ++i) {
        sum += static_cast<double>(rows.targets[i]) * static_cast<double>(rows.weights[i]);
        weights += static_cast<double>(rows.weights[i]);
    }
    return static_cast<float>(sum / weights);
}

// The number behind "NAME-rmse:" of "[3]\trows-rmse:0.1\theld-rmse:0.2".
Result<double> error_named(std::string_view line, std::string_view name) {
    const auto at = line.find(name);
    double value = 0;
    if (at != std::string_view::npos) {
        const char* const first = line.data() + at + name.size();
        if (std::from_chars(first, line.data() + line.size(), value).ec == std::errc{}) return value;
    }
    return fail(ErrorKind::device_failure, "XGBoost says no " + std::string(name) + ": " + escaped(line));
}

}  // namespace

Result<Boosting> Boosting::open() {
    // Never closed: its OpenMP keeps threads of its own.
    void* const opened = dlopen(IIR2D_XGBOOST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr)
        return fail(ErrorKind::bad_argument,
                    "models cannot be trained here: XGBoost's library " + std::string(IIR2D_XGBOOST_LIBRARY) +
                        " could not be opened (" + escaped(dlerror()) + "); Debian has it in libxgboost0");
    auto library = std::make_shared<Library>();
    const bool all_found = find(opened, "XGBoostVersion", library->get_version) &&
                           find(opened, "XGBGetLastError", library->last_error) &&
                           find(opened, "XGBSetGlobalConfig", library->set_global) &&
                           find(opened, "XGDMatrixCreateFromMat", library->make_matrix) &&
                           find(opened, "XGDMatrixSetFloatInfo", library->set_floats) &&
                           find(opened, "XGDMatrixFree", library->free_matrix) &&
                           find(opened, "XGBoosterCreate", library->make_booster) &&
                           find(opened, "XGBoosterFree", library->free_booster) &&
                           find(opened, "XGBoosterSetParam", library->set_parameter) &&
                           find(opened, "XGBoosterUpdateOneIter", library->update) &&
                           find(opened, "XGBoosterEvalOneIter", library->evaluate) &&
                           find(opened, "XGBoosterSaveModelToBuffer", library->save) &&
                           find(opened, "XGBoosterPredictFromDMatrix", library->predict);
    if (!all_found)
        return fail(ErrorKind::bad_argument,
                    "models cannot be trained here: " + std::string(IIR2D_XGBOOST_LIBRARY) +
                        " has not all functions of version 1.7");
    int parts[3] = {0, 0, 0};
    library->get_version(&parts[0], &parts[1], &parts[2]);
    library->version =
        std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." + std::to_string(parts[2]);
    IIR2D_RETURN_IF_ERROR(library->check(library->set_global(R"({"verbosity": 0})")));
    return Boosting(std::move(library));
}

const std::string& Boosting::version() const {
    return m_library->version;
}

Result<Boosted> Boosting::train(const TrainingRows& rows, const TrainingRows& held_out,
                                const BoostSettings& settings, const TaskControl& control) const {
    const Library& library = *m_library;
    Handle matrix(library.free_matrix);
    IIR2D_RETURN_IF_ERROR(fill_matrix(library, rows, matrix));
    Handle held(library.free_matrix);
    if (held_out.count() > 0) IIR2D_RETURN_IF_ERROR(fill_matrix(library, held_out, held));
    void* matrices[] = {matrix.get(), held.get()};
    const std::uint64_t matrix_count = held_out.count() > 0 ? 2 : 1;
    Handle booster(library.free_booster);
    IIR2D_RETURN_IF_ERROR(library.check(library.make_booster(matrices, matrix_count, booster.put())));
    const std::pair<const char*, std::string> parameters[] = {
        {"booster", "gbtree"},
        {"tree_method", "hist"},
        {"objective", "reg:squarederror"},
        {"eval_metric", "rmse"},
        {"nthread", "1"},
        {"seed", std::to_string(settings.seed & 0x7FFFFFFFU)},
        {"max_depth", std::to_string(settings.depth)},
        {"eta", format_number(settings.eta)},
        {"subsample", format_number(settings.subsample)},
        {"base_score", format_number(static_cast<double>(weighted_mean(rows)))}};
    for (const auto& [name, value] : parameters)
        IIR2D_RETURN_IF_ERROR(library.check(library.set_parameter(booster.get(), name, value.c_str())));

    Boosted made;
    const char* names[] = {"rows", "held"};
    std::size_t best = 0;
    for (int tree = 0; tree < settings.most_trees; ++tree) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "training was cancelled");
        IIR2D_RETURN_IF_ERROR(library.check(library.update(booster.get(), tree, matrix.get())));
        const char* line = nullptr;
        IIR2D_RETURN_IF_ERROR(
            library.check(library.evaluate(booster.get(), tree, matrices, names, matrix_count, &line)));
        IIR2D_TRY(made.curve.emplace_back(), error_named(line, "rows-rmse:"));
        if (matrix_count < 2) continue;
        IIR2D_TRY(made.held_out_curve.emplace_back(), error_named(line, "held-rmse:"));
        const auto& curve = made.held_out_curve;
        if (curve.back() < curve[best]) best = curve.size() - 1;
        if (curve.size() - 1 - best >= static_cast<std::size_t>(settings.patience)) break;
    }
    const std::size_t kept = matrix_count < 2 ? made.curve.size() : best + 1;

    std::uint64_t length = 0;
    const char* text = nullptr;
    IIR2D_RETURN_IF_ERROR(
        library.check(library.save(booster.get(), R"({"format": "json"})", &length, &text)));
    made.importance.assign(rows.features, 0);
    IIR2D_TRY(made.trees, trees_from_xgboost({text, length}, kept, static_cast<std::size_t>(settings.depth),
                                             made.importance));
    const std::string asked = R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": )" +
                              std::to_string(kept) + R"(, "strict_shape": false})";
    const std::uint64_t* shape = nullptr;
    std::uint64_t dimensions = 0;
    const float* theirs = nullptr;
    IIR2D_RETURN_IF_ERROR(library.check(
        library.predict(booster.get(), matrix.get(), asked.c_str(), &shape, &dimensions, &theirs)));
    std::vector<float> ours(rows.count());
    iir2d::predict(made.trees, rows.values, rows.features, ours);
    for (std::size_t i = 0; i < ours.size(); ++i)
        made.difference = std::max(made.difference,
                                   std::abs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i])));
    return made;
}

#endif

}  // namespace workbench::tune
