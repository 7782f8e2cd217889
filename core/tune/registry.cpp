// SPDX-License-Identifier: MIT
#include "core/tune/registry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <system_error>

#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "iir2d/device.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 10> status_words{
    "active",      "shadowed",       "foreign_machine", "stale_kernels", "unproven",
    "wrong_space", "wrong_features", "no_interface",    "damaged",       "unreadable"};

// The whole numbers of "1.12.0": versions are in their order, not in that of their letters. Other texts come
// before all numbers.
std::vector<std::uint64_t> numbers_of(std::string_view version) {
    std::vector<std::uint64_t> numbers;
    while (true) {
        const std::string_view part = version.substr(0, version.find('.'));
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (error != std::errc{} || end != part.data() + part.size()) return {};
        numbers.push_back(number);
        if (part.size() == version.size()) return numbers;
        version.remove_prefix(part.size() + 1);
    }
}

bool is_higher(const std::string& a, const std::string& b) {
    const auto x = numbers_of(a);
    const auto y = numbers_of(b);
    return x != y ? x > y : a > b;
}

// The folders in a folder, by name.
std::vector<std::string> folders_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (entry->is_directory(error)) names.push_back(entry->path().filename().string());
    std::ranges::sort(names);
    return names;
}

void set_status(RegisteredModel& model, ModelStatus status, std::string reason) {
    model.status = status;
    model.reason = std::move(reason);
}

bool has_names(const iir2d::TreeModel& model) {
    return std::ranges::equal(model.features, iir2d::feature_names(model.purpose));
}

// Returns the id of the first GPU; empty: there is none. Asked only where a model is of one.
std::string first_gpu() {
    const auto gpu = iir2d::Device::cuda(0);
    return gpu ? iir2d::machine_id(*gpu).value_or("") : std::string();
}

// Says why a model that could be read cannot decide; absent: it can. Features come last, as in why_not(): the
// table of a model that lacks nothing else decides.
std::optional<std::pair<ModelStatus, std::string>> objection(const iir2d::TreeModel& model,
                                                             const RegisteredModel& where,
                                                             const ModelHost& host) {
    using enum ModelStatus;
    if (model.purpose != where.purpose)
        return std::pair(damaged, "it is for " + model.purpose + ", and its folder for " + where.purpose);
    if (model.space != iir2d::config_space)
        return std::pair(wrong_space, "its table of knobs is version " + std::to_string(model.space) +
                                          ", the library's " + std::to_string(iir2d::config_space));
    const bool of_gpu = model.purpose.ends_with("-cuda");
    const std::string machine = of_gpu ? first_gpu() : host.machine;
    if (model.machine != machine)
        return std::pair(foreign_machine,
                         "it is of machine " + model.machine +
                             (machine.empty() ? ", and there is no GPU" : ", and this is " + machine));
    const std::string kernels = of_gpu ? std::string(iir2d::kernels_id(iir2d::Backend::cuda)) : host.kernels;
    if (model.kernels != kernels)
        return std::pair(stale_kernels, "it is of kernels " + model.kernels + ", and these are " + kernels);
    if (!model.margin) return std::pair(unproven, "training found no margin that is safe");
    if (!where.is_proven)
        return std::pair(unproven,
                         "it has no report.json: it was not judged by problems that it had not seen");
    if (!has_names(model)) return std::pair(wrong_features, "its features are not the library's");
    return std::nullopt;
}

// Reads a model that `found` names and says to be proven or not, of a text that could be read.
void read_text(RegisteredModel& found, std::string_view text, const ModelHost& host) {
    found.size = text.size();
    found.sha256 = sha256_hex(text);
    // The interface first: of what follows another one nothing is known.
    const auto interface = iir2d::interface_of_model(text);
    if (!interface || *interface != iir2d::model_interface) {
        set_status(found, ModelStatus::no_interface,
                   "its interface is " + (interface ? escaped(*interface) : "not named") +
                       ", the library's " + std::string(iir2d::model_interface));
        return;
    }
    found.interface = *interface;
    auto read = iir2d::model_from_text(text);
    if (!read) {
        set_status(found, ModelStatus::damaged, read.error().message);
        return;
    }
    const auto model = std::make_shared<const iir2d::TreeModel>(*std::move(read));
    found.machine = model->machine;
    found.kernels = model->kernels;
    found.space = model->space;
    found.features = model->features.size();
    found.trees = model->gain.trees();
    found.model = model;
    if (auto why = objection(*model, found, host))
        set_status(found, why->first, std::move(why->second));
    else
        found.status = ModelStatus::active;
}

RegisteredModel read_model(const fs::path& place, const std::string& purpose, const std::string& version,
                           const ModelHost& host) {
    RegisteredModel found;
    found.name = purpose + "/" + version;
    found.place = place;
    found.path = place / purpose / version;
    found.purpose = purpose;
    found.version = version;
    const auto text = read_file(found.path / "model.trees", iir2d::largest_model_text);
    if (!text) {
        set_status(found, ModelStatus::unreadable, text.error().message);
        return found;
    }
    std::error_code error;
    found.is_proven = fs::is_regular_file(found.path / "report.json", error);
    read_text(found, *text, host);
    return found;
}

// The models in the library, the highest version first.
std::vector<RegisteredModel> embedded_of(const std::string& purpose, const ModelHost& host) {
    std::vector<RegisteredModel> all;
    for (const iir2d::EmbeddedModel& embedded : iir2d::embedded_models()) {
        if (embedded.purpose != purpose) continue;
        RegisteredModel found;
        found.version = embedded.version;
        found.name = purpose + "/" + found.version;
        found.place = embedded_place;
        found.path = found.place / purpose / found.version;
        found.purpose = purpose;
        found.is_proven = embedded.is_proven;
        read_text(found, embedded.text, host);
        all.insert(all.begin(), std::move(found));
    }
    return all;
}

}  // namespace

std::string_view name_of(ModelStatus status) {
    return status_words[static_cast<std::size_t>(status)];
}

Result<ModelHost> model_host() {
    IIR2D_TRY(auto machine, from_kernel(iir2d::machine_id()));
    return ModelHost{std::move(machine), std::string(iir2d::kernels_id())};
}

fs::path own_models() {
    return config_directory() / "models";
}

std::vector<fs::path> model_places(const fs::path& first) {
    std::vector<fs::path> places;
    const auto add = [&](const fs::path& place) {
        if (!place.empty() && std::ranges::find(places, place) == places.end()) places.push_back(place);
    };
    add(first);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
    if (const char* const named = std::getenv("IIR2D_TUNE_MODELS"); named != nullptr) add(named);
    add(own_models());
    add(resource_directory() / "models");
    if (!iir2d::embedded_models().empty()) add(embedded_place);
    return places;
}

std::vector<RegisteredModel> find_models(const std::vector<fs::path>& places, const ModelHost& host) {
    std::vector<RegisteredModel> all;
    for (const std::string_view each : iir2d::model_purposes()) {
        const std::string purpose(each);
        const RegisteredModel* active = nullptr;
        std::vector<RegisteredModel> found;
        for (const fs::path& place : places) {
            if (place == embedded_place) {
                std::ranges::move(embedded_of(purpose, host), std::back_inserter(found));
                continue;
            }
            std::vector<std::string> versions = folders_in(place / purpose);
            std::ranges::sort(versions, is_higher);
            for (const std::string& version : versions)
                found.push_back(read_model(place, purpose, version, host));
        }
        for (RegisteredModel& model : found) {
            if (model.status != ModelStatus::active) continue;
            if (active != nullptr)
                set_status(model, ModelStatus::shadowed, quoted(active->path) + " comes first");
            else
                active = &model;
        }
        std::ranges::move(found, std::back_inserter(all));
    }
    return all;
}

Result<std::string> text_or_nothing(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error)) return std::string();
    return read_file(file, std::size_t{1} << 26);
}

std::string next_version(const fs::path& place, std::string_view purpose) {
    std::uint64_t highest = 0;
    for (const std::string& version : folders_in(place / purpose))
        if (const auto numbers = numbers_of(version); !numbers.empty())
            highest = std::max(highest, numbers.front());
    return std::to_string(highest + 1);
}

}  // namespace workbench::tune
