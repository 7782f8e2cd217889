// SPDX-License-Identifier: MIT
// The state of a window: one image, one recipe with its undo history, one device, one preview engine.
// Views read it, ask it for changes and follow its signals; none of them knows another. Lives in the GUI
// thread.
#pragma once

#include <QObject>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/image/image.h"
#include "core/preview/preview.h"
#include "core/recipe/recipe.h"
#include "core/support/settings.h"
#include "iir2d/config.h"
#include "iir2d/device.h"

class QUndoStack;

namespace workbench {

struct RecipeHistory;

class Session : public QObject {
    Q_OBJECT
  public:
    explicit Session(QObject* parent = nullptr);
    ~Session() override;

    // Image. Opening runs in the background; imageChanged, openFailed, openCancelled or openNeedsConsent
    // follows. A newer open cancels an older, which then reports nothing.
    void openImage(const QString& path, int imageIndex = 0);
    // Opens what openNeedsConsent asked about, without asking again.
    void openHugeImage(const QString& path, int imageIndex);
    void cancelOpen();
    bool isOpening() const;
    QString openingPath() const;  // empty when nothing is being opened
    int openingIndex() const;     // of the image in that file
    ImagePtr image() const;       // null when none is open
    // Returns those of the open image, by channel; counted while it was read.
    const std::vector<ChannelStatistics>& statistics() const;

    // Recipe. Every change is one undo step; changes that follow each other with the same non-zero mergeKey
    // are one step (a slider drag: the key names operation and parameter, and endMerge() is called on
    // release).
    const Recipe& recipe() const;
    QUndoStack* undoStack() const;
    void changeRecipe(const QString& text, Recipe next, int mergeKey = 0);
    void endMerge();
    // Replaces recipe and history (loading a recipe is undoable too: use changeRecipe for that).
    void resetRecipe(Recipe recipe);
    bool isRecipeModified() const;  // since it was loaded or saved
    // Returns how the operations are executed that this is valid for, in place of what the library chooses;
    // none: as it chooses. An undo step; no part of the recipe, whose results do not depend on it.
    const std::optional<iir2d::Config>& pinnedConfig() const;
    void pinConfig(std::optional<iir2d::Config> config);
    // Save and restore the window's work: the newest steps. Restoring drops the steps that were there.
    RecipeHistory history() const;
    void restoreHistory(const RecipeHistory& history);

    // Device. Choosing runs in the background, because a driver may take long to wake; until it is done the
    // device is the one before (at the start the CPU). deviceChanged or deviceFailed follows. Both come when
    // a GPU fails while it computes: the CPU then goes on, and setDeviceSpec() tries again.
    QString deviceSpec() const;  // "auto", "cpu", "cuda:0"
    void setDeviceSpec(const QString& spec);
    int threads() const;  // 0: all
    void setThreads(int threads);
    bool isChoosingDevice() const;
    const iir2d::DeviceChoice& device() const;
    // Returns all devices that there are, usable or not: listed in the background at the start, and again by
    // refreshDevices(). devicesChanged follows. Empty until the first list is there.
    const std::vector<iir2d::DeviceInfo>& devices() const;
    bool isListingDevices() const;
    void refreshDevices();

    // Preview.
    void setProxyLimit(QSize devicePixels);
    const std::optional<PreviewFrame>& frame() const;  // the newest, proxy or exact
    const PreviewStatus& status() const;
    // Returns the exact result of the current recipe, or null when it is not there yet.
    std::shared_ptr<const Image> exactResult() const;

    Settings& settings();
    void saveSettings();
    // Returns the folder that files were exported to last; without one the other, else the home folder. A
    // file in it.
    QString exportFolder(const QString& otherwise = {}) const;
    QString inExportFolder(const QString& name) const;
    void keepExportFolder(const QString& folder);

  Q_SIGNALS:
    void openStarted(const QString& path);
    void openProgress(double fraction, const QString& what);
    void openFailed(const QString& path, const QString& message);
    void openCancelled(const QString& path);
    void openNeedsConsent(const QString& path, int imageIndex, quint64 bytes);
    void imageChanged();
    void recipeChanged();
    void pinChanged();
    void deviceChanged();
    void deviceFailed(const QString& message);
    void devicesChanged();
    void frameChanged();
    void statusChanged();
    void settingsFailed(const QString& message);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace workbench
