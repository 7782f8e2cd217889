// SPDX-License-Identifier: MIT
#include "ui/session/saved_state.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>
#include <algorithm>
#include <chrono>
#include <system_error>

#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "core/support/home.h"
#include "core/support/try.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {

namespace fs = std::filesystem;

namespace {

constexpr int state_schema = 1;
constexpr char state_suffix[] = ".session.json";
constexpr char lock_suffix[] = ".lock";
constexpr char results_start[] = ".results-";
constexpr char old_results_suffix[] = ".results.json";  // of versions that kept one record
constexpr std::size_t most_bytes = std::size_t{64} << 20;

fs::path withSuffix(const fs::path& stem, const std::string& suffix) {
    fs::path path = stem;
    path += suffix;
    return path;
}

// "ab12.session.json" without its end.
fs::path stemOf(const fs::path& path) {
    const std::string name = path.filename().string();
    return path.parent_path() / name.substr(0, name.size() - std::string_view(state_suffix).size());
}

std::unexpected<Error> damaged(const QString& what) {
    return fail(ErrorKind::bad_input, "the saved session has no usable " + what.toStdString());
}

// Locks of windows that ended before they had anything to save. A young one may be about to be locked.
void removeOldLocks(const fs::path& directory) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
        if (entry.path().extension() != lock_suffix) continue;
        fs::path stem = entry.path();
        stem.replace_extension();
        const auto age = fs::file_time_type::clock::now() - entry.last_write_time(error);
        if (error || age < std::chrono::hours(24) || fs::exists(withSuffix(stem, state_suffix), error))
            continue;
        if (FileLock::acquire(entry.path(), std::chrono::milliseconds(0))) fs::remove(entry.path(), error);
    }
}

}  // namespace

std::string toJson(const SavedState& state) {
    QJsonArray recipes;
    for (const Recipe& recipe : state.history.recipes) recipes.append(toText(to_json(recipe)));
    QJsonArray results;
    for (const int number : state.results) results.append(number);
    const SavedView& view = state.view;
    const QJsonObject json{
        {QStringLiteral("schema_version"), state_schema},
        {QStringLiteral("saved_utc"), state.savedUtc},
        {QStringLiteral("image"), state.image},
        {QStringLiteral("image_index"), state.imageIndex},
        {QStringLiteral("page"), state.page},
        {QStringLiteral("device"), state.device},
        {QStringLiteral("threads"), state.threads},
        {QStringLiteral("view"), QJsonObject{{QStringLiteral("fitted"), view.fitted},
                                             {QStringLiteral("zoom"), view.zoom},
                                             {QStringLiteral("x"), view.x},
                                             {QStringLiteral("y"), view.y},
                                             {QStringLiteral("split"), view.split},
                                             {QStringLiteral("split_position"), view.splitPosition},
                                             {QStringLiteral("exposure"), view.exposure},
                                             {QStringLiteral("gamma"), view.gamma}}},
        {QStringLiteral("recipes"), recipes},
        {QStringLiteral("steps"), QJsonArray::fromStringList(state.history.steps)},
        {QStringLiteral("position"), state.history.position},
        {QStringLiteral("clean"), state.history.clean},
        {QStringLiteral("recipe_file"), state.recipeFile},
        {QStringLiteral("selected_row"), state.selectedRow},
        {QStringLiteral("results"), results}};
    return QJsonDocument(json).toJson().toStdString();
}

Result<SavedState> savedStateFrom(const std::string& text) {
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text));
    if (!document.isObject()) return fail(ErrorKind::bad_input, "the saved session is not a JSON object");
    const QJsonObject json = document.object();
    const auto at = [&](const char* key) { return json[QLatin1String(key)]; };
    if (at("schema_version").toInt() != state_schema) return damaged(QStringLiteral("schema_version"));
    SavedState state;
    state.savedUtc = at("saved_utc").toString();
    state.image = at("image").toString();
    state.imageIndex = at("image_index").toInt();
    state.page = at("page").toString();
    state.device = at("device").toString();
    state.threads = std::clamp(at("threads").toInt(), 0, 1024);
    const QJsonObject view = at("view").toObject();
    const auto number = [&](const char* key, double otherwise) {
        return view[QLatin1String(key)].toDouble(otherwise);
    };
    state.view = {.fitted = view[QLatin1String("fitted")].toBool(true),
                  .zoom = number("zoom", 1),
                  .x = number("x", 0),
                  .y = number("y", 0),
                  .split = view[QLatin1String("split")].toBool(),
                  .splitPosition = number("split_position", 0.5),
                  .exposure = number("exposure", 0),
                  .gamma = number("gamma", 1)};
    state.history.recipes.clear();
    for (const auto& each : at("recipes").toArray()) {
        IIR2D_TRY(auto recipe, recipe_from_json(each.toString().toStdString()));
        state.history.recipes.push_back(std::move(recipe));
    }
    for (const auto& each : at("steps").toArray()) state.history.steps.append(each.toString());
    const int last = int(state.history.steps.size());
    if (std::cmp_not_equal(state.history.recipes.size(), last + 1)) return damaged(QStringLiteral("recipes"));
    state.history.position = at("position").toInt(-1);
    state.history.clean = at("clean").toInt(-1);
    if (state.history.position < 0 || state.history.position > last)
        return damaged(QStringLiteral("position"));
    if (state.history.clean < -1 || state.history.clean > last) state.history.clean = -1;
    state.recipeFile = at("recipe_file").toString();
    state.selectedRow = at("selected_row").toInt(-1);
    for (const auto& each : at("results").toArray()) {
        if (const int result = each.toInt(-1); result >= 0) state.results.push_back(result);
    }
    return state;
}

fs::path stateDirectory() {
    const auto from = [](const char* name) { return toPath(qEnvironmentVariable(name)); };
    if (const fs::path chosen = from("IIR2D_STATE_DIR"); !chosen.empty()) return chosen;
#ifdef Q_OS_WIN
    const fs::path base = from("LOCALAPPDATA");
#else
    fs::path base = from("XDG_STATE_HOME");
    if (base.is_relative()) {
        const fs::path home = home_directory();
        // Debian's name for the home of who has none: nothing can be made there, and that is said.
        base = home.empty() ? fs::path("/nonexistent") : home / ".local" / "state";
    }
#endif
    return base / "iir2d-workbench";
}

StateFile::StateFile(fs::path path, FileLock lock)
    : m_path(std::move(path)), m_lock(std::make_shared<const FileLock>(std::move(lock))) {}

Result<StateFile> StateFile::create(const fs::path& directory) {
    std::error_code error;
    if (fs::create_directories(directory, error)) {
        fs::permissions(directory, fs::perms::owner_all, error);  // says what its owner works on
    }
    const fs::path stem = directory / QUuid::createUuid().toString(QUuid::Id128).toStdString();
    IIR2D_TRY(auto lock, FileLock::acquire(withSuffix(stem, lock_suffix), std::chrono::seconds(2)));
    return StateFile(withSuffix(stem, state_suffix), std::move(lock));
}

fs::path StateFile::resultsPath(int number) const {
    return withSuffix(stemOf(m_path), results_start + std::to_string(number) + ".json");
}

Result<void> StateFile::write(const SavedState& state) const {
    return write_file_atomically(m_path, toJson(state));
}

Result<void> StateFile::writeResults(int number, const std::string& json) const {
    return write_file_atomically(resultsPath(number), json);
}

void StateFile::removeState() const {
    std::error_code error;
    fs::remove(m_path, error);
}

void StateFile::removeResults(int number) const {
    std::error_code error;
    fs::remove(resultsPath(number), error);
}

std::vector<int> StateFile::resultNumbers() const {
    const QDir folder(fromPath(m_path.parent_path()));
    const QString start = fromPath(stemOf(m_path).filename()) + QLatin1String(results_start);
    std::vector<int> numbers;
    for (const QString& name : folder.entryList({start + QStringLiteral("*.json")}, QDir::Files)) {
        bool isNumber = false;
        const int number = name.mid(start.size()).chopped(5).toInt(&isNumber);
        if (isNumber) numbers.push_back(number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

void StateFile::remove() const {
    removeState();
    for (const int number : resultNumbers()) removeResults(number);
    std::error_code error;
    // Whoever waits for this lock finds no state when it comes free; the name is never used again.
    fs::remove(withSuffix(stemOf(m_path), lock_suffix), error);
}

namespace {

// Reads what a window left. Where its state cannot be read, that is kept aside, and what is left is its
// results.
SavedState readLeft(const StateFile& file) {
    const auto text = read_file(file.path(), most_bytes);
    auto state = text ? savedStateFrom(*text) : std::unexpected(text.error());
    const bool isDamaged = !state;
    std::error_code error;
    if (isDamaged) {
        const QDateTime saved = QFileInfo(fromPath(file.path())).lastModified().toUTC();
        state = SavedState{.savedUtc = saved.toString(Qt::ISODateWithMs), .results = file.resultNumbers()};
        fs::rename(file.path(), withSuffix(file.path(), ".damaged"), error);
    }
    std::erase_if(state->results, [&](int number) { return !fs::exists(file.resultsPath(number), error); });
    const fs::path old = withSuffix(stemOf(file.path()), old_results_suffix);
    const bool hasOld = fs::exists(old, error);
    const auto numbers = file.resultNumbers();
    const int number = numbers.empty() ? 0 : numbers.back() + 1;
    if (hasOld) state->results.insert(state->results.begin(), number);
    // As it is offered now, in case that nobody answers. It names a file before there is one.
    if ((isDamaged && !state->results.empty()) || hasOld) {
        if (file.write(*state) && hasOld) fs::rename(old, file.resultsPath(number), error);
    }
    return *std::move(state);
}

}  // namespace

std::vector<EndedSession> claimEndedSessions(const fs::path& directory) {
    std::vector<EndedSession> ended;
    std::error_code error;
    if (!fs::is_directory(directory, error)) return ended;
    remove_leftovers(directory);
    removeOldLocks(directory);
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
        if (entry.path().filename().string().ends_with(state_suffix)) paths.push_back(entry.path());
    }
    for (const fs::path& path : paths) {
        auto lock = FileLock::acquire(withSuffix(stemOf(path), lock_suffix), std::chrono::milliseconds(0));
        if (!lock) continue;  // its window lives, or another window offers it
        StateFile file(path, *std::move(lock));
        if (!fs::exists(path, error)) {
            file.remove();  // it was closed in the meantime
            continue;
        }
        SavedState state = readLeft(file);
        // Nothing is offered of a damaged state without results.
        if (fs::exists(path, error)) ended.push_back({std::move(file), std::move(state)});
    }
    std::ranges::sort(ended, std::ranges::greater(),
                      [](const EndedSession& each) { return each.state.savedUtc; });
    return ended;
}

}  // namespace workbench
