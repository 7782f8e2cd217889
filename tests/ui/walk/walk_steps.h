// SPDX-License-Identifier: MIT
// The steps of the walk, page by page.
#pragma once

#include <QTemporaryDir>

#include "tests/ui/walk/walker.h"
#include "ui/session/session.h"
#include "ui/window/main_window.h"

namespace workbench::walk {

// What the steps of all pages share.
struct Scene {
    QTemporaryDir folder;
    Session session;
    MainWindow window{session};
    Walker walker{window};

    Scene();
    QString path(const QString& name) const { return folder.filePath(name); }
    QAction* action(const QString& menu, const QString& text);  // without mnemonic; the text's beginning
    QString said(const char* subject);                          // on the image page
    template <class Widget>
    Widget* find(QWidget& in, const QString& accessibleName) {
        for (auto* one : in.findChildren<Widget*>()) {
            if (one->isVisible() && one->accessibleName() == accessibleName) return one;
        }
        return nullptr;
    }
};

void walkFiles(Scene& scene);
void walkOperations(Scene& scene);
void walkPicture(Scene& scene);
void walkSaving(Scene& scene);
void walkBenchmark(Scene& scene);
void walkRelease(Scene& scene);
void walkSolve(Scene& scene);
void walkTuning(Scene& scene);
void walkWindow(Scene& scene);

int walkAll();  // the exit code

}  // namespace workbench::walk
