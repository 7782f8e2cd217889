// SPDX-License-Identifier: MIT
// The JSON in which XGBoost 1.7 writes its trees.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/support/try.h"
#include "core/tune/boosting.h"

namespace workbench::tune {

namespace {

std::unexpected<Error> not_trees(const std::string& why) {
    return fail(ErrorKind::bad_input, "XGBoost's model " + why);
}

// One tree: of each node its children, and the test or the value.
struct BranchingTree {
    std::vector<int> left, right;
    std::vector<int> tests;
    std::vector<float> values;  // thresholds, and of leaves what they give
    std::vector<double> gains;

    bool is_leaf(std::size_t node) const { return left[node] < 0; }
};

Result<BranchingTree> tree_from(const nlohmann::json& json, std::size_t features) {
    BranchingTree tree{.left = json.at("left_children"),
                       .right = json.at("right_children"),
                       .tests = json.at("split_indices"),
                       .values = {},
                       .gains = json.at("loss_changes")};
    for (const auto& value : json.at("split_conditions"))
        tree.values.push_back(static_cast<float>(value.get<double>()));
    const std::size_t nodes = tree.left.size();
    if (nodes == 0 || tree.right.size() != nodes || tree.tests.size() != nodes ||
        tree.values.size() != nodes || tree.gains.size() != nodes)
        return not_trees("has a tree whose lists differ in length");
    for (std::size_t i = 0; i < nodes; ++i) {
        if (!std::isfinite(tree.values[i])) return not_trees("has a number that is not finite");
        if (tree.is_leaf(i)) continue;
        // Children come behind, so that there is no way round.
        const auto is_child = [&](int child) {
            return child > static_cast<int>(i) && child < static_cast<int>(nodes);
        };
        if (!is_child(tree.left[i]) || !is_child(tree.right[i]))
            return not_trees("has a node with children that are not there");
        if (tree.tests[i] < 0 || tree.tests[i] >= static_cast<int>(features))
            return not_trees("tests a feature that is not there");
    }
    return tree;
}

// A complete tree's node `at` becomes the tree's `node`; below a leaf both ways lead to its value.
struct Completed {
    std::vector<std::uint16_t> tests;
    std::vector<float> thresholds;
    std::vector<float> leaves;

    Result<void> put(const BranchingTree& tree, std::size_t node, std::size_t at, std::size_t levels) {
        if (levels == 0) {
            if (!tree.is_leaf(node)) return not_trees("has a tree that is too deep");
            leaves[at - tests.size()] = tree.values[node];
            return {};
        }
        const bool ends = tree.is_leaf(node);
        if (!ends) {
            tests[at] = static_cast<std::uint16_t>(tree.tests[node]);
            thresholds[at] = tree.values[node];
        }
        const auto left = ends ? node : static_cast<std::size_t>(tree.left[node]);
        const auto right = ends ? node : static_cast<std::size_t>(tree.right[node]);
        IIR2D_RETURN_IF_ERROR(put(tree, left, 2 * at + 1, levels - 1));
        return put(tree, right, 2 * at + 2, levels - 1);
    }
};

Result<iir2d::TreeEnsemble> ensemble_from(const nlohmann::json& json, std::size_t trees, std::size_t depth,
                                          std::vector<double>& importance) {
    const auto& learner = json.at("learner");
    const auto base = learner.at("learner_model_param").at("base_score").get<std::string>();
    iir2d::TreeEnsemble made{.depth = depth, .base = 0, .tests = {}, .thresholds = {}, .leaves = {}};
    if (std::from_chars(base.data(), base.data() + base.size(), made.base).ec != std::errc{})
        return not_trees("has no base_score");
    const auto& all = learner.at("gradient_booster").at("model").at("trees");
    if (all.size() < trees) return not_trees("has fewer trees than were trained");
    for (std::size_t t = 0; t < trees; ++t) {
        IIR2D_TRY(const auto tree, tree_from(all[t], importance.size()));
        Completed complete{.tests = std::vector<std::uint16_t>(made.tests_of_a_tree(), 0),
                           .thresholds = std::vector<float>(made.tests_of_a_tree(), 0),
                           .leaves = std::vector<float>(made.leaves_of_a_tree(), 0)};
        IIR2D_RETURN_IF_ERROR(complete.put(tree, 0, 0, depth));
        made.tests.insert(made.tests.end(), complete.tests.begin(), complete.tests.end());
        made.thresholds.insert(made.thresholds.end(), complete.thresholds.begin(), complete.thresholds.end());
        made.leaves.insert(made.leaves.end(), complete.leaves.begin(), complete.leaves.end());
        for (std::size_t i = 0; i < tree.left.size(); ++i)
            if (!tree.is_leaf(i)) importance[static_cast<std::size_t>(tree.tests[i])] += tree.gains[i];
    }
    return made;
}

}  // namespace

Result<iir2d::TreeEnsemble> trees_from_xgboost(std::string_view json, std::size_t trees, std::size_t depth,
                                               std::vector<double>& importance) {
    const auto parsed = nlohmann::json::parse(json, nullptr, false);
    if (parsed.is_discarded()) return not_trees("is not JSON");
    try {
        return ensemble_from(parsed, trees, depth, importance);
    } catch (const nlohmann::json::exception& error) {
        return not_trees(std::string("is not as version 1.7 writes it: ") + error.what());
    }
}

}  // namespace workbench::tune
