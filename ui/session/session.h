// SPDX-License-Identifier: MIT
// What the window is about: one image, one recipe with its undo history, one device, one preview engine.
// Views read it, ask it for changes and follow its signals; none of them knows another. Lives in the GUI
// thread.
#pragma once

#include <QObject>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>

#include "core/image/image.h"
#include "core/preview/preview.h"
#include "core/recipe/recipe.h"
#include "core/support/settings.h"
#include "iir2d/device.h"

class QUndoStack;

namespace workbench {

class Session : public QObject {
    Q_OBJECT
  public:
    explicit Session(QObject* parent = nullptr);
    ~Session() override;

    // Image. Opening runs in the background; imageChanged or openFailed follows. A newer open cancels an
    // older.
    void openImage(const QString& path, int imageIndex = 0);
    void cancelOpen();
    bool isOpening() const;
    ImagePtr image() const;  // null when none is open

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

    // Device.
    QString deviceSpec() const;  // "auto", "cpu", "cuda:0"
    void setDeviceSpec(const QString& spec);
    const iir2d::DeviceChoice& device() const;

    // Preview.
    void setProxyLimit(QSize devicePixels);
    const std::optional<PreviewFrame>& frame() const;  // the newest, proxy or exact
    const PreviewStatus& status() const;
    // The exact result of the current recipe, or null when it is not there yet.
    std::shared_ptr<const Image> exactResult() const;

    Settings& settings();
    void saveSettings();

  Q_SIGNALS:
    void openProgress(double fraction, const QString& what);
    void openFailed(const QString& message);
    void imageChanged();
    void recipeChanged();
    void deviceChanged();
    void frameChanged();
    void statusChanged();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace workbench
