// SPDX-License-Identifier: MIT
#include "kernels/tune/decider.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "iir2d/tune_model.h"
#include "kernels/tune/machine.h"
#include "kernels/tune/space.h"

namespace iir2d::tune {

namespace {

constexpr std::size_t most_decisions = 4096;
constexpr std::size_t most_explorations = 4096;

bool are_valid(const TuneOptions& options) {
    return options.top_k >= 1 && options.threshold >= 1;  // no NaN either
}

bool asks_learned(TuneMode mode) {
    return mode == TuneMode::automatic || mode == TuneMode::measure;
}

// What decisions are kept by: the mode, on a GPU which one and whether bits may change, and beside the key
// what models read that is not in it.
std::string id_of(const Question& question, const std::string& key, const TuneOptions& options) {
    std::string id(1, static_cast<char>('0' + static_cast<int>(options.mode)));
    id += key;
    if (is_of_gpu(question.purpose())) id += (options.other_bits ? " o" : " ") + question.machine();
    const Facts facts = question.facts();
    if (const auto* iir = std::get_if<IirFacts>(&facts.operation))
        id += (iir->periodic ? " p" : " ") + std::to_string(iir->reach);
    return id;
}

// Whether a model that may not decide may say what is measured.
bool may_propose(const HeldModel& held) {
    return !held.fault || *held.fault != TuneReason::wrong_space;
}

// Says why a model of a GPU may not decide for the GPU at hand: why_not() knows which GPUs there are, and not
// which is asked for. With wrong_features alone a model's table decides, which is of its GPU too.
std::optional<TuneReason> fault_of(const HeldModel& held, const Question& question) {
    if (held.fault && *held.fault != TuneReason::wrong_features) return held.fault;
    if (is_of_gpu(question.purpose()) && held.model.machine != question.machine())
        return TuneReason::foreign_machine;
    return held.fault;
}

}  // namespace

std::string Question::machine() const {
    return this_machine();
}

std::string Question::kernels() const {
    return std::string(kernels_id());
}

std::string GpuQuestion::kernels() const {
    return std::string(kernels_id(Backend::cuda));
}

std::string GpuQuestion::key_of(const std::string& beginning) const {
    return beginning + end_of_key(m_host.multiprocessors, m_host.target, "cuda");
}

Facts GpuQuestion::on_gpu(Facts facts) const {
    facts.purpose = purpose();
    facts.threads = m_host.multiprocessors;
    facts.gpu_cache = m_host.cache;
    return facts;
}

Decider& Decider::of_process() {
    // Never destroyed: plans may run while the process ends.
    static Decider& one = *new Decider;  // NOLINT(cppcoreguidelines-owning-memory)
    static const bool holds_embedded = (one.hold_embedded(), true);
    (void)holds_embedded;
    return one;
}

void Decider::hold_embedded() {
    for (const EmbeddedModel& embedded : embedded_models()) {
        auto model = model_from_text(embedded.text);
        auto table = table_from_text(embedded.table);
        if (!model || !table) continue;
        const auto fault = why_not(*model, embedded.is_proven);
        if (fault)
            hold(std::make_shared<const HeldModel>(HeldModel{std::move(*model), std::move(*table), *fault}));
    }
}

Decider::Decider() {
    const char* const text = std::getenv("IIR2D_TUNE");
    if (text == nullptr || *text == '\0') return;
    const auto mode = tune_mode_from_name(text);
    m_options.mode = mode.value_or(TuneMode::off);
    m_is_error = !mode;
}

void Decider::set_options(const TuneOptions& options) {
    const std::unique_lock lock(m_mutex);
    m_options = options;
    m_is_error = !are_valid(options);
    if (m_is_error) m_options = {.mode = TuneMode::off};
}

TuneOptions Decider::options() const {
    const std::shared_lock lock(m_mutex);
    return m_options;
}

void Decider::set_chooser(std::shared_ptr<const Chooser> chooser) {
    const std::unique_lock lock(m_mutex);
    m_chooser.swap(chooser);
}

void Decider::hold(std::shared_ptr<const HeldModel> held) {
    const auto purpose = static_cast<std::size_t>(std::ranges::find(model_purposes(), held->model.purpose) -
                                                  model_purposes().begin());
    const std::unique_lock lock(m_mutex);
    Models& models = m_models[purpose];
    (held->fault ? models.other : models.active) = std::move(held);
    m_decisions.clear();
    ++m_state;
}

void Decider::forget_models() {
    const std::unique_lock lock(m_mutex);
    m_models = {};
    m_decisions.clear();
    ++m_state;
}

std::size_t Decider::import_learned(std::string_view lines) {
    const std::unique_lock lock(m_mutex);
    const std::size_t bad = add_lines(lines, m_learned);
    m_bad_lines += bad;
    m_decisions.clear();
    ++m_state;
    return bad;
}

std::string Decider::export_learned(LearnedPart part) const {
    const std::shared_lock lock(m_mutex);
    return lines_of(m_learned, part == LearnedPart::here);
}

void Decider::forget_learned(std::optional<std::string_view> key) {
    const std::unique_lock lock(m_mutex);
    if (key) {
        m_learned.erase({this_machine(), std::string(kernels_id()), std::string(*key)});
        m_explorations.erase(std::string(*key));
    } else {
        m_learned.clear();
        m_explorations.clear();
    }
    m_decisions.clear();
    ++m_state;
}

LearnedPlace Decider::place_of(const Question& question, const std::string& key) {
    return {question.machine(), question.kernels(), key};
}

Decider::Snapshot Decider::snapshot(Purpose purpose, const TuneOptions* own) const {
    const std::shared_lock lock(m_mutex);
    return {own != nullptr ? *own : m_options, m_models[static_cast<std::size_t>(purpose)], m_chooser,
            m_state};
}

void Decider::count(TuneReason reason) {
    ++m_reasons[static_cast<std::size_t>(reason)];
}

std::optional<TuneReason> Decider::silence(const TuneOptions* own) const {
    if (own != nullptr ? !are_valid(*own) : m_is_error) return TuneReason::error;
    if ((own != nullptr ? own->mode : m_options.mode) == TuneMode::off) return TuneReason::off;
    return std::nullopt;
}

std::optional<TuneReason> Decider::static_at_once(Purpose purpose, const TuneOptions* own) const {
    const std::shared_lock lock(m_mutex);
    const auto silent = silence(own);
    const Models& models = m_models[static_cast<std::size_t>(purpose)];
    if (!silent && (m_chooser != nullptr || models.active != nullptr || models.other != nullptr ||
                    (asks_learned(own != nullptr ? own->mode : m_options.mode) && !m_learned.empty())))
        return std::nullopt;
    return silent.value_or(TuneReason::no_model);
}

std::optional<Choice> Decider::from_learned(const Question& question, const std::string& key,
                                            bool other_bits) const {
    const std::shared_lock lock(m_mutex);
    const auto found = m_learned.find(place_of(question, key));
    // An entry of a file may be of anything.
    if (found == m_learned.end() || !question.check(found->second.config)) return std::nullopt;
    if (sets_other_bits(found->second.config) && !other_bits) return std::nullopt;
    return Choice{.config = found->second.config,
                  .resolved = question.resolve(found->second.config),
                  .reason = TuneReason::learned,
                  .predicted_ratio = found->second.ratio};
}

std::optional<Choice> Decider::from_chooser(const Chooser& chooser, const Question& question,
                                            const std::string& key, bool other_bits) const {
    const std::vector<Config> configs = question.candidates(other_bits);
    try {
        const auto index = chooser.choose(key, configs);
        if (!index) return std::nullopt;
        if (*index < configs.size())
            return Choice{.config = configs[*index],
                          .resolved = question.resolve(configs[*index]),
                          .reason = TuneReason::chooser};
    } catch (...) {  // NOLINT(bugprone-empty-catch): whatever a caller's code throws is its failure
    }
    return Choice{.resolved = question.resolve({}), .reason = TuneReason::error};
}

Choice Decider::from_models(const Snapshot& now, const Question& question, std::size_t& filtered) const {
    const auto by_rule = [&](TuneReason reason) {
        return Choice{.resolved = question.resolve({}), .reason = reason};
    };
    const auto table_of = [&](const HeldModel& held) {
        if (held.table.empty()) return by_rule(TuneReason::wrong_features);
        const auto valid = from_table(held.table, question, now.options.other_bits);
        if (valid.empty()) return by_rule(TuneReason::empty);
        return Choice{.config = valid.front(),
                      .resolved = question.resolve(valid.front()),
                      .reason = TuneReason::table,
                      .model = held.name()};
    };
    if (!question.has_models()) return by_rule(TuneReason::no_model);
    const HeldModel* const active = now.models.active.get();
    if (active == nullptr) {
        const HeldModel* const other = now.models.other.get();
        if (other == nullptr) return by_rule(TuneReason::no_model);
        const TuneReason fault = *fault_of(*other, question);
        return fault == TuneReason::wrong_features ? table_of(*other) : by_rule(fault);
    }
    if (const auto fault = fault_of(*active, question)) return by_rule(*fault);
    const auto ranking = rank(*active, question, now.options, false);
    if (!ranking) return table_of(*active);
    if (ranking->sorted.size() == 1) return by_rule(TuneReason::unsupported_op);
    filtered = ranking->filtered;
    const RankedConfig& best = ranking->sorted.front();
    Choice choice{.config = best.config,
                  .resolved = best.resolved,
                  .reason = TuneReason::model,
                  .predicted_ratio = best.predicted_ratio,
                  .model = active->name()};
    if (best.config == Config{} || -ranking->gains.front() < *active->model.margin) {
        choice.config = {};
        choice.resolved = question.resolve({});
        choice.reason = TuneReason::static_as_good;
        choice.predicted_ratio = 1.0;
    }
    return choice;
}

// What differs from static in stores leaves its cost to whoever reads the output, whom nobody times here.
std::vector<Config> Decider::proposed(const Snapshot& now, const Question& question) const {
    const HeldModel* held = now.models.active != nullptr ? now.models.active.get() : now.models.other.get();
    if (held == nullptr || !may_propose(*held)) return {};
    std::vector<Config> configs;
    if (const auto ranking = rank(*held, question, now.options, false)) {
        for (const RankedConfig& one : ranking->sorted) {
            if (one.kept) configs.push_back(one.config);
        }
    } else {
        configs = from_table(held->table, question, now.options.other_bits);
        if (configs.size() > static_cast<std::size_t>(now.options.top_k))
            configs.resize(static_cast<std::size_t>(now.options.top_k));
    }
    const std::int32_t stores = question.resolve({}).stores;
    std::erase_if(configs, [&](const Config& config) {
        return config == Config{} || question.resolve(config).stores != stores;
    });
    return configs;
}

std::optional<Decision> Decider::exploring(const Snapshot& now, const Question& question,
                                           const std::string& key) {
    std::shared_ptr<Exploration> exploration;
    {
        const std::shared_lock lock(m_mutex);
        if (const auto found = m_explorations.find(key); found != m_explorations.end())
            exploration = found->second;
    }
    if (exploration == nullptr) {
        std::vector<Config> configs = proposed(now, question);
        if (configs.empty()) return std::nullopt;
        configs.insert(configs.begin(), Config{});
        RunScope::begin_to_watch();
        const std::unique_lock lock(m_mutex);
        if (m_explorations.size() >= most_explorations) return std::nullopt;
        exploration = m_explorations.try_emplace(key, std::make_shared<Exploration>(configs)).first->second;
    }
    const Exploration::Turn turn = exploration->next();
    return Decision{.choice = {.config = turn.config,
                               .resolved = question.resolve(turn.config),
                               .reason = TuneReason::exploring},
                    .turn = std::make_shared<const Turn>(exploration, turn, place_of(question, key))};
}

void Decider::keep(const std::string& id, const Choice& choice, std::uint64_t state) {
    const std::unique_lock lock(m_mutex);
    if (state != m_state) return;
    if (m_decisions.size() >= most_decisions && !m_decisions.contains(id)) {
        m_decisions.erase(std::ranges::min_element(m_decisions, {},
                                                   [](const auto& one) { return one.second.used.load(); }));
        ++m_evicted;
    }
    Kept& kept = m_decisions[id];
    kept.choice = choice;
    kept.used = ++m_clock;
}

Decision Decider::choose(const Question& question, const TuneOptions* own) {
    const Snapshot now = snapshot(question.purpose(), own);
    const std::string key = question.key();
    if (now.chooser != nullptr) {
        if (auto choice = from_chooser(*now.chooser, question, key, now.options.other_bits)) {
            count(choice->reason);
            return {.choice = std::move(*choice)};
        }
    }
    const TuneMode mode = now.options.mode;
    const std::string id = id_of(question, key, now.options);
    {
        const std::shared_lock lock(m_mutex);
        if (const auto found = m_decisions.find(id); found != m_decisions.end()) {
            found->second.used = ++m_clock;
            ++m_cached;
            count(found->second.choice.reason);
            return {.choice = found->second.choice};
        }
    }
    std::optional<Choice> choice;
    if (asks_learned(mode)) choice = from_learned(question, key, now.options.other_bits);
    if (!choice && mode == TuneMode::measure && question.is_timed_in_use()) {
        if (auto turn = exploring(now, question, key)) {
            count(turn->choice.reason);
            return std::move(*turn);
        }
    }
    if (!choice) {
        std::size_t filtered = 0;
        choice = from_models(now, question, filtered);
        m_filtered += filtered;
    }
    count(choice->reason);
    keep(id, *choice, now.state);
    return {.choice = std::move(*choice)};
}

Explanation Decider::explain(const Question& question, const TuneOptions& options) const {
    const Snapshot now = snapshot(question.purpose(), &options);
    Explanation said{.purpose = std::string(name_of(question.purpose())), .key = question.key()};
    const HeldModel* held = now.models.active.get();
    if (held != nullptr && (!question.has_models() || fault_of(*held, question))) held = nullptr;
    if (held == nullptr && options.mode == TuneMode::measure && now.models.other != nullptr &&
        may_propose(*now.models.other))
        held = now.models.other.get();
    if (held != nullptr && options.mode != TuneMode::off) {
        if (auto ranking = rank(*held, question, options, true)) {
            said.candidates = std::move(ranking->sorted);
            said.filtered = ranking->filtered;
            said.model = held->name();
        }
    }
    if (said.candidates.empty()) {
        for (const Config& config : question.candidates(options.other_bits))
            said.candidates.push_back({.config = config, .resolved = question.resolve(config)});
        said.candidates.front().kept = true;
        said.filtered = said.candidates.size() - 1;
    }
    said.decision = {.resolved = question.resolve({})};
    if (!are_valid(options)) {
        said.decision.reason = TuneReason::error;
    } else if (options.mode == TuneMode::off) {
        said.decision.reason = TuneReason::off;
    } else {
        std::optional<Choice> choice;
        if (now.chooser != nullptr)
            choice = from_chooser(*now.chooser, question, said.key, options.other_bits);
        if (!choice && asks_learned(options.mode))
            choice = from_learned(question, said.key, options.other_bits);
        if (!choice && options.mode == TuneMode::measure && question.is_timed_in_use() &&
            !proposed(now, question).empty())
            choice = Choice{.resolved = said.decision.resolved, .reason = TuneReason::exploring};
        std::size_t filtered = 0;
        said.decision = choice ? std::move(*choice) : from_models(now, question, filtered);
    }
    return said;
}

void Decider::add_run(const Turn& turn, std::size_t index, double milliseconds) {
    const auto added = turn.exploration->add(index, milliseconds);
    if (added.counted) ++m_explored;
    if (!added.outcome) return;
    ++m_settled;
    LearnedEntry entry{.config = added.outcome->config,
                       .ratio = added.outcome->ratio,
                       .runs = added.outcome->runs,
                       .utc = utc_now(),
                       .here = true};
    const std::unique_lock lock(m_mutex);
    add_entry(turn.place, std::move(entry), m_learned);
    limit(m_learned);
    m_explorations.erase(turn.place.key);
    m_decisions.clear();
    ++m_state;
}

TuneStatistics Decider::statistics(bool reset) {
    const auto take = [&](std::atomic<std::uint64_t>& counter) {
        return reset ? counter.exchange(0) : counter.load();
    };
    TuneStatistics said;
    for (std::size_t i = 0; i < tune_reason_count; ++i) {
        said.reasons[i] = take(m_reasons[i]);
        said.calls += said.reasons[i];
    }
    said.cached = take(m_cached);
    said.filtered = take(m_filtered);
    said.explored = take(m_explored);
    said.settled = take(m_settled);
    said.vetoed = take(m_vetoed);
    said.evicted = take(m_evicted);
    said.bad_lines = take(m_bad_lines);
    return said;
}

}  // namespace iir2d::tune
