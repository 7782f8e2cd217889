// SPDX-License-Identifier: MIT
// A session with an operations panel on screen, and what a test does to it as a user would.
#pragma once

#include <QApplication>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include "tests/ui/operations/recipe_testing.h"
#include "ui/operations/operation_list.h"
#include "ui/operations/operations_panel.h"
#include "ui/operations/recipe_edits.h"
#include "ui/session/session.h"

namespace workbench {

inline QString u(const char* text) {
    return QString::fromUtf8(text);
}

struct PanelOnScreen {
    explicit PanelOnScreen(Recipe recipe = {}) {
        session.resetRecipe(std::move(recipe));
        panel.resize(320, 720);
        panel.show();
        panel.activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(&panel));
    }

    // The control on screen that goes by this accessible name; null when there is none.
    template <class W>
    W* find(const char* accessibleName) {
        for (W* each : panel.findChildren<W*>()) {
            if (each->accessibleName() == u(accessibleName) && each->isVisible()) return each;
        }
        return nullptr;
    }

    OperationList* list() { return panel.findChild<OperationList*>(); }

    // Types a value into a spin box, as a user does: over what is there, with Enter.
    void type(QAbstractSpinBox* box, const char* value) {
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, u(value));
        QTest::keyClick(box, Qt::Key_Return);
    }

    const FilterOperation& filterAt(int row) {
        return std::get<FilterOperation>(session.recipe().operations.at(std::size_t(row)).what);
    }
    const PoolOperation& poolAt(int row) {
        return std::get<PoolOperation>(session.recipe().operations.at(std::size_t(row)).what);
    }
    int steps() { return session.undoStack()->count(); }

    // The first sample photograph, 512 x 512 pixels.
    void openSample() {
        QSignalSpy changed(&session, &Session::imageChanged);
        session.openImage(u(IIR2D_SOURCE_DIR "/resources/samples/astronaut.png"));
        static_cast<void>(changed.wait(20000));
    }

    Session session;
    OperationsPanel panel{session};
};

}  // namespace workbench
