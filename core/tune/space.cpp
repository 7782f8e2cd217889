// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/benchmark/draws.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/collect_options.h"
#include "core/tune/seeds.h"

namespace workbench::tune {

Result<Space> space_from_text(const std::string& text) {
    if (text == "exhaustive") return Space{};
    if (text.starts_with("sampled:")) {
        Space space{.kind = Space::Kind::sampled};
        const char* const end = text.data() + text.size();
        const auto [last, error] = std::from_chars(text.data() + 8, end, space.count);
        if (error != std::errc{} || last != end || space.count < 1)
            return fail(ErrorKind::bad_argument,
                        "space \"" + escaped(text) + "\": give sampled:N, from sampled:1 on");
        return space;
    }
    Space space{.kind = Space::Kind::given};
    IIR2D_TRY(const auto lines, read_file(text, std::size_t{1} << 20));
    std::size_t number = 0;
    for (std::string_view rest = lines; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || line.starts_with('#')) continue;
        const auto config = iir2d::config_from_text(line);
        if (!config)
            return fail(ErrorKind::bad_argument, quoted(std::filesystem::path(text)) + " line " +
                                                     std::to_string(number) + ": " + config.error().message);
        if (std::ranges::find(space.configs, *config) == space.configs.end())
            space.configs.push_back(*config);
    }
    if (space.configs.empty())
        return fail(ErrorKind::bad_input, quoted(std::filesystem::path(text)) + " has no config");
    return space;
}

Result<std::vector<iir2d::Config>> configs_of(const Space& space, const NamedProblem& problem,
                                              std::uint64_t seed, const iir2d::Device& device) {
    std::vector<iir2d::Config> configs{iir2d::Config{}};
    if (space.kind == Space::Kind::given) {
        for (const iir2d::Config& config : space.configs) {
            if (config != iir2d::Config{}) configs.push_back(config);
        }
        return configs;
    }
    IIR2D_TRY(auto all, candidates_of(problem.problem, device, space.other_bits));
    if (space.kind == Space::Kind::exhaustive) return all;
    // Some of the others, in the candidates' order.
    Draws draws(seed_of(seed, problem.spec));
    std::vector<std::size_t> left;
    for (std::size_t i = 1; i < all.size(); ++i) left.push_back(i);
    while (left.size() > space.count)
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(draws.below(left.size())));
    for (const std::size_t i : left) configs.push_back(all[i]);
    return configs;
}

}  // namespace workbench::tune
