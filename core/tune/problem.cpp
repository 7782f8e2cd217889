// SPDX-License-Identifier: MIT
#include "core/tune/problem.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "iir2d/filter.h"
#include "iir2d/tune.h"

namespace workbench::tune {

namespace {

std::string extent_text(iir2d::Extent e) {
    return std::to_string(e.h) + "x" + std::to_string(e.w);
}

std::string size_words(const Problem& problem) {
    std::string words = " size:" + std::to_string(problem.width) + "x" + std::to_string(problem.height);
    if (problem.planes != 1) words += " planes:" + std::to_string(problem.planes);
    return words;
}

// The words of a spec, each taken once.
class Words {
  public:
    static Result<Words> read(std::string_view spec) {
        Words words;
        while (true) {
            spec.remove_prefix(std::min(spec.find_first_not_of(' '), spec.size()));
            if (spec.empty()) return words;
            const std::string_view word = spec.substr(0, spec.find(' '));
            spec.remove_prefix(word.size());
            const std::size_t colon = word.find(':');
            const std::string name(word.substr(0, colon));  // of a word without colon all of it
            const std::string value(colon == std::string_view::npos ? "" : word.substr(colon + 1));
            if (colon != std::string_view::npos && value.empty()) return wrong(word, "has no value");
            if (name == "param") {
                words.m_parameters.push_back(value);
            } else if (!words.m_words.emplace(name, value).second) {
                return wrong(word, "is there twice");
            }
        }
    }

    static std::unexpected<Error> wrong(std::string_view word, const std::string& why) {
        return fail(ErrorKind::bad_argument, "spec word \"" + escaped(word) + "\" " + why);
    }

    bool has(const std::string& name) const { return m_words.contains(name); }
    // "" where it is absent.
    std::string take(const std::string& name) {
        const auto found = m_words.find(name);
        if (found == m_words.end()) return {};
        std::string value = found->second;
        m_words.erase(found);
        return value;
    }
    // A word without a value.
    Result<bool> take_flag(const std::string& name) {
        if (!has(name)) return false;
        if (const std::string value = take(name); !value.empty())
            return wrong(name + ":" + value, "takes no value");
        return true;
    }
    std::vector<std::string> take_parameters() { return std::exchange(m_parameters, {}); }
    // An error where a word is left that no one took.
    Result<void> expect_empty() const {
        if (!m_parameters.empty()) return wrong("param:" + m_parameters.front(), "is of filters");
        if (m_words.empty()) return {};
        const auto& [name, value] = *m_words.begin();
        return wrong(value.empty() ? name : name + ":" + value, "is unknown, or not of this operation");
    }

  private:
    std::map<std::string, std::string> m_words;
    std::vector<std::string> m_parameters;
};

template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Result<std::int64_t> whole(const std::string& name, const std::string& text, std::int64_t least,
                           std::int64_t most) {
    const auto value = number<std::int64_t>(text);
    if (value && *value >= least && *value <= most) return *value;
    return Words::wrong(name + ":" + text,
                        "is not a number from " + std::to_string(least) + " to " + std::to_string(most));
}

// "AxB".
Result<std::pair<std::int64_t, std::int64_t>> pair_of(const std::string& name, const std::string& text,
                                                      std::int64_t least) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    const std::size_t x = text.find('x');
    if (x == std::string::npos) return Words::wrong(name + ":" + text, "is not two numbers, as 3x3");
    IIR2D_TRY(const auto first, whole(name, text.substr(0, x), least, most));
    IIR2D_TRY(const auto second, whole(name, text.substr(x + 1), least, most));
    return std::pair(first, second);
}

Result<iir2d::Extent> extent_of(Words& words, const std::string& name, iir2d::Extent initial,
                                std::int64_t least) {
    if (!words.has(name)) return initial;
    IIR2D_TRY(const auto two, pair_of(name, words.take(name), least));
    return iir2d::Extent{two.first, two.second};
}

// One of a library's names.
template <class T>
Result<T> named(Words& words, const std::string& name, T initial,
                iir2d::Result<T> (*read)(std::string_view)) {
    if (!words.has(name)) return initial;
    return from_kernel(read(words.take(name)));
}

Result<iir2d::ElementType> element_named(const std::string& name) {
    for (const auto type : {iir2d::ElementType::f32, iir2d::ElementType::f64, iir2d::ElementType::f16,
                            iir2d::ElementType::bf16}) {
        if (iir2d::name_of(type) == name) return type;
    }
    return Words::wrong("dtype:" + name, "is not one of f32, f64, f16, bf16");
}

Result<FilterOperation> filter_from(Words& words) {
    IIR2D_TRY(const auto id, whole("filter", words.take("filter"), 1, 1000));
    FilterOperation filter{.filter_id = static_cast<int>(id)};
    for (const std::string& text : words.take_parameters()) {
        const std::size_t equals = text.find('=');
        const auto value =
            equals == std::string::npos ? std::nullopt : number<double>(text.substr(equals + 1));
        if (!value) return Words::wrong("param:" + text, "is not of the form param:name=number");
        if (!filter.parameters.emplace(text.substr(0, equals), *value).second)
            return Words::wrong("param:" + text, "is there twice");
        const auto row = from_kernel(iir2d::filter_row(filter.filter_id));
        if (!row) return std::unexpected(row.error());
        for (const auto& parameter : row->parameters) {
            if (parameter.name == text.substr(0, equals) && parameter.default_value == *value)
                filter.parameters.erase(std::string(parameter.name));
        }
    }
    if (!words.has("border")) return Words::wrong("border", "is missing");
    if (!words.has("precision")) return Words::wrong("precision", "is missing");
    IIR2D_TRY(filter.border, named(words, "border", filter.border, iir2d::border_from_name));
    IIR2D_TRY(filter.precision, named(words, "precision", filter.precision, iir2d::precision_from_name));
    IIR2D_TRY(filter.start, named(words, "start", filter.start, iir2d::start_from_name));
    return filter;
}

Result<PoolOperation> pool_from(Words& words) {
    PoolOperation pool;
    IIR2D_TRY(pool.op, from_kernel(iir2d::pool_op_from_name(words.take("pool"))));
    if (is_adaptive(pool.op)) {
        if (!words.has("output")) return Words::wrong("output", "is missing");
        IIR2D_TRY(pool.output, extent_of(words, "output", {}, 1));
        return pool;
    }
    if (!words.has("window")) return Words::wrong("window", "is missing");
    IIR2D_TRY(pool.window, extent_of(words, "window", {}, 1));
    IIR2D_TRY(const auto stride, extent_of(words, "stride", pool.window, 1));
    pool.stride = stride;
    IIR2D_TRY(pool.padding, extent_of(words, "padding", {0, 0}, 0));
    IIR2D_TRY(pool.dilation, extent_of(words, "dilation", {1, 1}, 1));
    IIR2D_TRY(pool.ceil_mode, words.take_flag("ceil"));
    if (pool.op == iir2d::PoolOp::lp && words.has("p")) {
        const std::string text = words.take("p");
        const auto p = number<double>(text);
        if (!p) return Words::wrong("p:" + text, "is not a number");
        pool.p = *p;
    }
    if (pool.op != iir2d::PoolOp::avg) return pool;
    IIR2D_TRY(pool.count_include_pad, words.take_flag("include-pad"));
    if (words.has("divisor")) {
        constexpr auto most = std::numeric_limits<std::int32_t>::max();
        IIR2D_TRY(pool.divisor_override, whole("divisor", words.take("divisor"), -most, most));
    }
    return pool;
}

}  // namespace

std::string spec_of(const Problem& problem) {
    if (const FilterOperation* filter = problem.filter()) {
        std::string spec = "filter:" + std::to_string(filter->filter_id);
        for (const auto& [name, value] : filter->parameters)
            spec += " param:" + name + "=" + format_number(value);
        spec += " border:" + std::string(iir2d::name_of(filter->border));
        if (filter->start == iir2d::Start::steady) spec += " start:steady";
        return spec + " precision:" + std::string(iir2d::name_of(filter->precision)) + size_words(problem);
    }
    const PoolOperation& pool = *problem.pool();
    std::string spec = "pool:" + std::string(iir2d::name_of(pool.op));
    if (is_adaptive(pool.op)) {
        spec += " output:" + extent_text(pool.output);
    } else {
        spec += " window:" + extent_text(pool.window) +
                " stride:" + extent_text(pool.stride.value_or(pool.window));
        if (pool.padding != iir2d::Extent{0, 0}) spec += " padding:" + extent_text(pool.padding);
        if (pool.dilation != iir2d::Extent{1, 1}) spec += " dilation:" + extent_text(pool.dilation);
        if (pool.ceil_mode) spec += " ceil";
        if (pool.op == iir2d::PoolOp::lp && pool.p != 2.0) spec += " p:" + format_number(pool.p);
        if (pool.count_include_pad) spec += " include-pad";
        if (pool.divisor_override) spec += " divisor:" + std::to_string(*pool.divisor_override);
    }
    if (problem.element != iir2d::ElementType::f32)
        spec += " dtype:" + std::string(iir2d::name_of(problem.element));
    if (problem.pass == PoolPass::backward) spec += " pass:backward";
    if (problem.places) spec += " places";
    return spec + size_words(problem);
}

Result<Problem> problem_from_spec(std::string_view spec) {
    IIR2D_TRY(auto words, Words::read(spec));
    Problem problem;
    if (words.has("filter") == words.has("pool"))
        return fail(ErrorKind::bad_argument, "spec \"" + escaped(spec) + "\" has not one of filter and pool");
    if (words.has("filter")) {
        IIR2D_TRY(problem.operation, filter_from(words));
    } else {
        IIR2D_TRY(const auto pool, pool_from(words));
        const bool is_of_max = is_max(pool.op);
        problem.operation = pool;
        if (words.has("dtype")) {
            IIR2D_TRY(problem.element, element_named(words.take("dtype")));
        }
        if (words.has("pass")) {
            IIR2D_TRY(problem.pass, pool_pass_from_name(words.take("pass")));
        }
        IIR2D_TRY(problem.places, words.take_flag("places"));
        if (problem.places && (!is_of_max || problem.pass == PoolPass::backward))
            return Words::wrong("places", "is of maxima, forward");
    }
    if (!words.has("size")) return Words::wrong("size", "is missing");
    IIR2D_TRY(const auto size, pair_of("size", words.take("size"), 1));
    problem.width = size.first;
    problem.height = size.second;
    if (words.has("planes")) {
        IIR2D_TRY(problem.planes, whole("planes", words.take("planes"), 1, 1 << 20));
    }
    IIR2D_RETURN_IF_ERROR(words.expect_empty());
    if (static_cast<double>(problem.width) * static_cast<double>(problem.height) *
            static_cast<double>(problem.planes) >
        0x1p40)
        return Words::wrong("size:" + std::to_string(problem.width) + "x" + std::to_string(problem.height),
                            "has more than 2^40 samples");
    const Operation operation =
        std::visit([](const auto& o) { return Operation{.what = o}; }, problem.operation);
    IIR2D_RETURN_IF_ERROR(validate(operation, problem.shape()));
    return problem;
}

iir2d::FilterDesc filter_desc_of(const Problem& problem) {
    return filter_desc(*problem.filter(), problem.shape());
}

iir2d::PoolDesc pool_desc_of(const Problem& problem) {
    return pool_desc(*problem.pool(), problem.shape(), problem.element);
}

iir2d::PoolUse use_of(const Problem& problem) {
    if (problem.pass == PoolPass::backward) return iir2d::PoolUse::backward;
    return problem.places ? iir2d::PoolUse::forward_with_places : iir2d::PoolUse::forward;
}

iir2d::ElementType element_of(const Problem& problem) {
    return problem.filter() != nullptr ? iir2d::storage_type(problem.filter()->precision) : problem.element;
}

Result<std::vector<iir2d::Config>> candidates_of(const Problem& problem, const iir2d::Device& device,
                                                 bool other_bits) {
    return from_kernel(problem.filter() != nullptr
                           ? iir2d::candidates(device, filter_desc_of(problem), other_bits)
                           : iir2d::candidates(device, pool_desc_of(problem), use_of(problem), other_bits));
}

Result<std::string> key_of(const Problem& problem, const iir2d::Device& device) {
    return from_kernel(problem.filter() != nullptr
                           ? iir2d::problem_key(device, filter_desc_of(problem))
                           : iir2d::problem_key(device, pool_desc_of(problem), use_of(problem)));
}

iir2d::Backend backend_of(std::string_view key) {
    return key.find(" device:cuda ") == std::string_view::npos ? iir2d::Backend::cpu : iir2d::Backend::cuda;
}

std::string_view purpose_of(const Problem& problem, iir2d::Backend backend) {
    if (backend == iir2d::Backend::cuda) return problem.filter() != nullptr ? "iir-cuda" : "pool-cuda";
    if (problem.filter() != nullptr) return "iir-cpu";
    return problem.pass == PoolPass::backward ? "pool-backward-cpu" : "pool-cpu";
}

namespace {

// Whether an axis has a pass against the samples' order.
bool goes_back(const iir2d::AxisFilter& axis) {
    return std::ranges::any_of(axis.stages,
                               [](const auto& stage) { return stage.kind != iir2d::Stage::Kind::causal; });
}

std::string_view kind_of(const Problem& problem) {
    if (const PoolOperation* pool = problem.pool()) return is_max(pool->op) ? "max" : "sums";
    const auto data = iir2d::make_filter(filter_spec(*problem.filter()));
    return data && !goes_back(data->horizontal) && !goes_back(data->vertical) ? "causal" : "both ways";
}

}  // namespace

std::string family_of(const Problem& problem, iir2d::Backend backend) {
    const std::int64_t samples = problem.width * problem.height * problem.planes;
    const char* const size = samples <= (1 << 16)   ? "to 2^16"
                             : samples <= (1 << 20) ? "to 2^20"
                                                    : "above 2^20";
    return std::string(purpose_of(problem, backend)) + ", " + std::string(kind_of(problem)) + ", " + size +
           ", " + (problem.planes == 1 ? "one plane" : "several planes");
}

}  // namespace workbench::tune
