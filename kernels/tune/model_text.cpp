// SPDX-License-Identifier: MIT
// The text of a model: lines of words, and in the last one the SHA-256 of all before it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "iir2d/try.h"
#include "iir2d/tune_model.h"
#include "kernels/support/guard.h"
#include "kernels/tune/sha256.h"

namespace iir2d {

namespace {

constexpr std::string_view first_line = "iir2d-trees 1";
constexpr std::size_t most_depth = 8;
constexpr std::size_t most_trees = 1000;
constexpr std::size_t most_features = 128;
constexpr std::size_t most_word = 128;

std::unexpected<Error> damaged_model(std::string message) {
    return std::unexpected(Error{ErrorCode::invalid_argument, std::move(message)});
}

// Visible ASCII without spaces.
bool is_word(std::string_view text) {
    return !text.empty() && text.size() <= most_word &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::string text_of(float value) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

template <class T>
bool read_number(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
    return true;
}

// The lines before the trees, in their order.
struct Field {
    std::string_view name;
    std::string TreeModel::*value;
};
constexpr Field head[] = {{"purpose", &TreeModel::purpose},
                          {"version", &TreeModel::version},
                          {"interface", &TreeModel::interface},
                          {"machine", &TreeModel::machine},
                          {"kernels", &TreeModel::kernels}};

Result<void> check_ensemble(const TreeEnsemble& e, std::string_view name, std::size_t features) {
    const auto bad = [&](const char* why) {
        return damaged_model("model: ensemble " + std::string(name) + " " + why);
    };
    if (e.depth > most_depth) return bad("is deeper than 8");
    if (e.leaves.size() % e.leaves_of_a_tree() != 0) return bad("has leaves that make no whole trees");
    const std::size_t trees = e.trees();
    if (trees > most_trees) return bad("has more than 1000 trees");
    if (e.tests.size() != trees * e.tests_of_a_tree() || e.thresholds.size() != e.tests.size())
        return bad("has not as many tests as its trees need");
    if (std::ranges::any_of(e.tests, [&](std::size_t f) { return f >= features; }))
        return bad("tests a feature that is not there");
    const auto finite = [](float value) { return std::isfinite(value); };
    if (!finite(e.base) || !std::ranges::all_of(e.thresholds, finite) ||
        !std::ranges::all_of(e.leaves, finite))
        return bad("has a number that is not finite");
    return {};
}

Result<void> check_model(const TreeModel& model) {
    for (const Field& field : head) {
        if (!is_word(model.*field.value)) {
            return damaged_model("model: " + std::string(field.name) +
                                 " is not a word of visible ASCII, at most " + std::to_string(most_word) +
                                 " characters");
        }
    }
    if (!is_word(model.objective)) return damaged_model("model: objective is not a word");
    if (model.margin && !(std::isfinite(*model.margin) && *model.margin >= 0))
        return damaged_model("model: margin is not a number from 0 on");
    if (model.features.empty() || model.features.size() > most_features ||
        !std::ranges::all_of(model.features, is_word))
        return damaged_model("model: features are 1 to 128 words");
    if (auto good = check_ensemble(model.gain, "gain", model.features.size()); !good) return good;
    return check_ensemble(model.level, "level", model.features.size());
}

void add_ensemble(const TreeEnsemble& e, std::string_view name, std::string& text) {
    text += "ensemble " + std::string(name) + " trees " + std::to_string(e.trees()) + " depth " +
            std::to_string(e.depth) + " base " + text_of(e.base) + "\n";
    for (std::size_t tree = 0; tree < e.trees(); ++tree) {
        std::string line;
        for (std::size_t i = tree * e.tests_of_a_tree(); i < (tree + 1) * e.tests_of_a_tree(); ++i)
            line += std::to_string(e.tests[i]) + " " + text_of(e.thresholds[i]) + " ";
        for (std::size_t i = tree * e.leaves_of_a_tree(); i < (tree + 1) * e.leaves_of_a_tree(); ++i)
            line += text_of(e.leaves[i]) + " ";
        line.back() = '\n';
        text += line;
    }
}

// Takes words from lines, and says where one is wrong.
class Reader {
  public:
    explicit Reader(std::string_view text) : m_rest(text) {}

    // Begins the next line; an error where there is none that ends.
    Result<void> next_line() {
        ++m_number;
        const auto end = m_rest.find('\n');
        if (end == std::string_view::npos) return bad("the text ends too soon");
        m_line = m_rest.substr(0, end);
        m_rest.remove_prefix(end + 1);
        m_ended = false;
        return {};
    }
    std::string_view line() const { return m_line; }
    std::string_view rest() const { return m_rest; }

    // Words have one space between them.
    Result<std::string_view> word() {
        const auto end = std::min(m_line.find(' '), m_line.size());
        const std::string_view word = m_line.substr(0, end);
        if (word.empty()) return bad("a word is missing");
        m_ended = end == m_line.size();
        m_line.remove_prefix(m_ended ? end : end + 1);
        return word;
    }
    Result<void> named(std::string_view name) {
        const auto found = word();
        if (!found) return std::unexpected(found.error());
        if (*found != name) return bad("not \"" + std::string(name) + "\"");
        return {};
    }
    template <class T>
    Result<void> number(T& value) {
        const auto found = word();
        if (!found) return std::unexpected(found.error());
        if (!read_number(*found, value)) return bad("not a number where one has to be");
        return {};
    }
    Result<void> end() const {
        if (m_ended) return {};
        return bad("more words than there should be");
    }
    std::unexpected<Error> bad(const std::string& why) const {
        return damaged_model("model, line " + std::to_string(m_number) + ": " + why);
    }

  private:
    std::string_view m_rest;
    std::string_view m_line;
    bool m_ended = false;
    int m_number = 0;
};

// Returns the first error of steps, none of which is made after one that failed.
template <class... Steps>
Result<void> in_turn(Steps&&... steps) {
    Result<void> done;
    ((done = steps()).has_value() && ...);
    return done;
}

Result<void> read_head(Reader& reader, TreeModel& model) {
    if (auto good = reader.next_line(); !good) return good;
    if (reader.line() != first_line) return reader.bad("not \"iir2d-trees 1\"");
    const auto field = [&](std::string_view name, const auto& take) {
        return in_turn([&] { return reader.next_line(); }, [&] { return reader.named(name); }, take,
                       [&] { return reader.end(); });
    };
    const auto text = [&](std::string& value) {
        return [&]() -> Result<void> {
            const auto word = reader.word();
            if (!word) return std::unexpected(word.error());
            value = *word;
            return {};
        };
    };
    for (const Field& one : head) {
        if (auto good = field(one.name, text(model.*one.value)); !good) return good;
        // What follows is of this interface only.
        if (one.name == "interface" && model.interface != model_interface)
            return reader.bad("the interface is not " + std::string(model_interface));
    }
    if (auto good = field("space", [&] { return reader.number(model.space); }); !good) return good;
    if (auto good = field("objective", text(model.objective)); !good) return good;
    std::string margin;
    if (auto good = field("margin", text(margin)); !good) return good;
    if (margin != "none") {
        model.margin = 0;
        if (!read_number(margin, *model.margin)) return reader.bad("the margin is a number or none");
    }
    return field("features", [&]() -> Result<void> {
        std::size_t count = 0;
        if (auto good = reader.number(count); !good) return good;
        if (count < 1 || count > most_features) return reader.bad("features are 1 to 128");
        model.features.resize(count);
        for (std::string& name : model.features) {
            if (auto good = text(name)(); !good) return good;
        }
        return {};
    });
}

Result<void> read_ensemble(Reader& reader, std::string_view name, TreeEnsemble& e) {
    std::size_t trees = 0;
    const auto good = in_turn([&] { return reader.next_line(); }, [&] { return reader.named("ensemble"); },
                              [&] { return reader.named(name); }, [&] { return reader.named("trees"); },
                              [&] { return reader.number(trees); }, [&] { return reader.named("depth"); },
                              [&] { return reader.number(e.depth); }, [&] { return reader.named("base"); },
                              [&] { return reader.number(e.base); }, [&] { return reader.end(); });
    if (!good) return good;
    if (trees > most_trees || e.depth > most_depth) return reader.bad("at most 1000 trees of depth 8");
    // A leaf takes two bytes at least: what is not there takes no memory.
    if (trees * e.leaves_of_a_tree() * 2 > reader.rest().size())
        return reader.bad("the trees are not all there");
    e.tests.resize(trees * e.tests_of_a_tree());
    e.thresholds.resize(e.tests.size());
    e.leaves.resize(trees * e.leaves_of_a_tree());
    for (std::size_t tree = 0; tree < trees; ++tree) {
        if (auto line = reader.next_line(); !line) return line;
        for (std::size_t i = tree * e.tests_of_a_tree(); i < (tree + 1) * e.tests_of_a_tree(); ++i) {
            if (auto read = reader.number(e.tests[i]); !read) return read;
            if (auto read = reader.number(e.thresholds[i]); !read) return read;
        }
        for (std::size_t i = tree * e.leaves_of_a_tree(); i < (tree + 1) * e.leaves_of_a_tree(); ++i) {
            if (auto read = reader.number(e.leaves[i]); !read) return read;
        }
        if (auto ended = reader.end(); !ended) return ended;
    }
    return {};
}

}  // namespace

Result<std::string> text_of_model(const TreeModel& model) {
    return support::guarded_result("the model", [&]() -> Result<std::string> {
        IIR2D_RETURN_IF_ERROR(check_model(model));
        std::string text = std::string(first_line) + "\n";
        for (const Field& field : head) text += std::string(field.name) + " " + model.*field.value + "\n";
        text += "space " + std::to_string(model.space) + "\nobjective " + model.objective + "\nmargin " +
                (model.margin ? text_of(*model.margin) : "none") + "\nfeatures " +
                std::to_string(model.features.size());
        for (const std::string& name : model.features) text += " " + name;
        text += "\n";
        add_ensemble(model.gain, "gain", text);
        add_ensemble(model.level, "level", text);
        text += "sha256 " + tune::sha256_hex(text) + "\n";
        if (text.size() > largest_model_text) return damaged_model("model: its text has more than 1 MiB");
        return text;
    });
}

Result<TreeModel> model_from_text(std::string_view text) {
    return support::guarded_result("the model", [&]() -> Result<TreeModel> {
        if (text.size() > largest_model_text) return damaged_model("model: the text has more than 1 MiB");
        Reader reader(text);
        TreeModel model;
        std::string said;
        std::size_t hashed = 0;
        const auto good = in_turn([&] { return read_head(reader, model); },
                                  [&] { return read_ensemble(reader, "gain", model.gain); },
                                  [&] { return read_ensemble(reader, "level", model.level); },
                                  [&]() -> Result<void> {
                                      hashed = text.size() - reader.rest().size();
                                      if (auto line = reader.next_line(); !line) return line;
                                      if (!reader.line().starts_with("sha256 "))
                                          return reader.bad("not \"sha256\"");
                                      said = reader.line().substr(7);
                                      if (!reader.rest().empty())
                                          return reader.bad("there is more behind the sha256");
                                      return {};
                                  },
                                  [&] { return check_model(model); });
        if (!good) return std::unexpected(good.error());
        model.sha256 = tune::sha256_hex(text.substr(0, hashed));
        if (model.sha256 != said) return damaged_model("model: the text is not what its sha256 was made of");
        return model;
    });
}

#if !defined(IIR2D_HAS_EMBEDDED_MODELS)
std::span<const EmbeddedModel> embedded_models() {
    return {};
}
#endif

std::optional<std::string> interface_of_model(std::string_view text) {
    Reader reader(text);
    if (!reader.next_line() || reader.line() != first_line) return std::nullopt;
    for (const Field& field : head) {
        if (!reader.next_line() || !reader.named(field.name)) return std::nullopt;
        const auto word = reader.word();
        if (!word || !reader.end()) return std::nullopt;
        if (field.name == "interface") return std::string(*word);
    }
    return std::nullopt;
}

}  // namespace iir2d
