// SPDX-License-Identifier: MIT
// Drives the real window through its states on the sample images and saves a picture of each. What it shows
// is what a user would see: every state is reached through the session and the window, none is painted.
#pragma once

#include <QDir>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <functional>

class QWidget;

namespace workbench {

inline constexpr QSize smallScreen(800, 600);

class MainWindow;

class ScreenshotTour {
  public:
    // Takes screenshots into a directory. `suffix` goes before ".png", e.g. "-2x".
    ScreenshotTour(MainWindow& window, const QDir& directory, const QString& suffix = {});

    // Shoots all states, or those that show whether drawing scales. Runs the event loop. False when a state
    // could not be reached or a file not written; problems() says which and why, and what could be done was
    // done.
    bool runAll();
    bool runScaleCheck();

    const QStringList& saved() const { return m_saved; }
    const QStringList& problems() const { return m_problems; }

  private:
    bool prepare();
    void empty();
    bool loaded();
    void operations();
    void dependencies();
    void busy();
    void messages();
    void floatImages();
    void docksAndDialogs();
    void benchmark();
    void recording();
    bool openRelease(const QString& directory);
    void release();
    void releaseDialogs();
    void records();
    void duels();
    void kernels();
    void kernelsOfOnesOwn();
    void generatedKernels();
    void mismatchOfKernels(const QString& folder);
    void manual();
    void wrongNumber();
    void solving();
    void tuning();
    void tuningMeasured();
    void tuningBadge();
    void work();
    void themes();
    void smallWindow();
    void pagesBesideThePicture();

    bool waitFor(const QString& what, const std::function<bool()>& condition, int milliseconds = 20000);
    void settle();  // lets layouts and drawing come to rest
    bool openAndWait(const QString& path);
    bool waitForExact();
    void shoot(const QString& name, QWidget* widget = nullptr);
    void shootInBoth(const QString& name, QWidget* widget = nullptr);  // light and dark
    QString sample(const char* name) const;

    MainWindow& m_window;
    QDir m_directory;
    QString m_suffix;
    QTemporaryDir m_folder;  // what the tour makes and shows until its end
    QStringList m_saved;
    QStringList m_problems;
};

}  // namespace workbench
