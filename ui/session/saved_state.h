// SPDX-License-Identifier: MIT
// Saves all that a window would lose if its process ended now, in the state folder. Each window has a file of
// its own there and holds a lock beside it for as long as it lives; the system gives the lock up with the
// process, so that a file whose lock is free is what a window that ended without being closed left.
#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "core/support/file_lock.h"

namespace workbench {

// The recipes before and after each step that can be undone or redone.
struct RecipeHistory {
    std::vector<Recipe> recipes = {Recipe{}};  // one more than steps
    QStringList steps;
    int position = 0;  // of the recipe in force
    int clean = 0;     // of the recipe as its file has it; -1: none of these
    friend bool operator==(const RecipeHistory&, const RecipeHistory&) = default;
};

struct SavedView {
    bool fitted = true;
    double zoom = 1;
    double x = 0;  // of the image, in the middle of the view
    double y = 0;
    bool split = false;
    double splitPosition = 0.5;
    double exposure = 0;
    double gamma = 1;
    friend bool operator==(const SavedView&, const SavedView&) = default;
};

struct SavedState {
    QString savedUtc;  // ISO 8601
    QString image;     // its file; empty: none
    int imageIndex = 0;
    QString page;  // its name, as --page takes it
    QString device;
    int threads = 0;
    SavedView view;
    RecipeHistory history;
    QString recipeFile;  // that it was loaded from or saved to
    int selectedRow = -1;
    std::vector<int> results;  // numbers of benchmark results beside the state, the oldest first

    // Returns whether nothing was done in the window, so that there is nothing to offer.
    bool isEmpty() const { return image.isEmpty() && history == RecipeHistory{} && results.empty(); }
    friend bool operator==(const SavedState&, const SavedState&) = default;
};

std::string toJson(const SavedState& state);
Result<SavedState> savedStateFrom(const std::string& json);

// Returns IIR2D_STATE_DIR, else iir2d-workbench in $XDG_STATE_HOME, ~/.local/state or the like. Not created.
std::filesystem::path stateDirectory();

// Holds one window's files. Movable; the lock is held until it is destroyed. Thread-safe as a value is.
class StateFile {
  public:
    // Creates that of a window that begins.
    static Result<StateFile> create(const std::filesystem::path& directory);

    Result<void> write(const SavedState& state) const;
    // Writes the results of a benchmark, a record's JSON.
    Result<void> writeResults(int number, const std::string& json) const;
    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path resultsPath(int number) const;
    // Returns the numbers of the results that are there, in order.
    std::vector<int> resultNumbers() const;
    void removeState() const;
    void removeResults(int number) const;
    void remove() const;  // all but the lock, which stays to the end

  private:
    friend std::vector<struct EndedSession> claimEndedSessions(const std::filesystem::path& directory);
    StateFile(std::filesystem::path path, FileLock lock);
    std::filesystem::path m_path;
    std::shared_ptr<const FileLock> m_lock;
};

struct EndedSession {
    StateFile file;
    SavedState state;
};

// Claims what windows that ended left, newest first. Each is claimed by its lock, so that no other window
// offers it too. A file that cannot be read is kept aside under another name; results beside it are offered
// without it.
std::vector<EndedSession> claimEndedSessions(const std::filesystem::path& directory);

}  // namespace workbench
