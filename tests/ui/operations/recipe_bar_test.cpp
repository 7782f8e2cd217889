// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <QAbstractButton>
#include <QFile>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QTemporaryDir>

#include "panel_testing.h"
#include "ui/operations/recipe_bar.h"
#include "ui/widgets/message_strip.h"

namespace workbench {
namespace {

using testing::HasSubstr;

struct RecipeBarTest : testing::Test {
    PanelOnScreen on;
    QTemporaryDir directory;

    QString pathOf(const char* name) const { return directory.filePath(u(name)); }
    void write(const char* name, const char* content) const {
        QFile file(pathOf(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    MessageStrip* strip() { return on.panel.findChild<MessageStrip*>(); }
    std::string message() { return strip()->isVisible() ? strip()->message().toStdString() : std::string(); }
    bool saysUnsaved() {
        for (const QLabel* label : on.panel.findChildren<QLabel*>()) {
            if (label->text() == QLatin1String("unsaved")) return label->isVisible();
        }
        return false;
    }
};

TEST_F(RecipeBarTest, WhatIsSavedLoadsTheSame) {
    EXPECT_FALSE(saysUnsaved());
    on.panel.addFilter(6);
    on.panel.addPool(iir2d::PoolOp::lp);
    EXPECT_TRUE(saysUnsaved());
    auto* name = on.panel.findChild<QLineEdit*>();
    name->setFocus();
    QTest::keyClicks(name, u("Soft "));
    QKeyEvent umlaut(QEvent::KeyPress, 0, Qt::NoModifier, u("ü"));
    QApplication::sendEvent(name, &umlaut);
    const Recipe made = on.session.recipe();
    EXPECT_EQ(made.name, "Soft ü");
    EXPECT_EQ(on.steps(), 3);  // the name is one step
    ASSERT_TRUE(on.panel.recipeBar().saveRecipeTo(pathOf("soft.json")));
    EXPECT_FALSE(saysUnsaved());

    on.session.resetRecipe({});
    EXPECT_TRUE(name->text().isEmpty());
    ASSERT_TRUE(on.panel.recipeBar().openRecipe(pathOf("soft.json")));
    EXPECT_EQ(on.session.recipe(), made);
    EXPECT_FALSE(saysUnsaved());
    EXPECT_EQ(on.panel.selectedRow(), 0);
    EXPECT_EQ(on.session.undoStack()->undoText().toStdString(), "Load soft.json");
    on.session.undoStack()->undo();
    EXPECT_TRUE(on.session.recipe().operations.empty());
    EXPECT_TRUE(saysUnsaved());
}

TEST_F(RecipeBarTest, SaysUnsavedWhateverWasPinnedBefore) {
    on.session.pinConfig(iir2d::Config{.threads = 1});
    EXPECT_FALSE(saysUnsaved()) << "a pin is not part of the recipe";
    on.panel.addFilter(6);
    EXPECT_TRUE(saysUnsaved());
    on.session.undoStack()->undo();
    EXPECT_FALSE(saysUnsaved());
}

TEST_F(RecipeBarTest, ABadFileIsSaidInPlaceAndChangesNothing) {
    on.panel.addFilter(1);
    const Recipe before = on.session.recipe();
    write("bad.json", "{\"schema_version\": 99, \"operations\": []}");
    write("broken.json", "{\"schema_version\": 1, ");
    for (const char* name : {"bad.json", "broken.json", "missing.json"}) {
        EXPECT_FALSE(on.panel.recipeBar().openRecipe(pathOf(name)));
        EXPECT_THAT(message(), HasSubstr(name));
        EXPECT_TRUE(strip()->accessibleName().contains(u(name)));
        EXPECT_EQ(on.session.recipe(), before);
    }
    QAbstractButton* close = on.find<QAbstractButton>("Dismiss the message");
    ASSERT_NE(close, nullptr);
    close->click();
    EXPECT_EQ(message(), "");
}

TEST_F(RecipeBarTest, AFailedSaveIsSaidAndTheRecipeStaysUnsaved) {
    on.panel.addFilter(1);
    EXPECT_FALSE(on.panel.recipeBar().saveRecipeTo(pathOf("no such folder/recipe.json")));
    EXPECT_THAT(message(), HasSubstr("recipe.json"));
    EXPECT_TRUE(saysUnsaved());
    EXPECT_TRUE(on.panel.recipeBar().saveRecipeTo(pathOf("recipe.json")));
    EXPECT_EQ(message(), "");
}

TEST_F(RecipeBarTest, SaveWritesTheFileItLoaded) {
    on.panel.addFilter(1);
    ASSERT_TRUE(on.panel.recipeBar().saveRecipeTo(pathOf("recipe.json")));
    on.panel.addFilter(2);
    on.panel.recipeBar().saveRecipe();  // asks nothing: it knows the file
    const auto saved = load_recipe(pathOf("recipe.json").toStdString());
    ASSERT_TRUE(saved.has_value());
    EXPECT_EQ(*saved, on.session.recipe());
}

TEST_F(RecipeBarTest, EveryPresetLoadsAndIsOneStep) {
    QWidget bar;
    QMenu* menu = on.panel.createPresetsMenu(&bar);
    EXPECT_EQ(menu->actions().size(), 5);
    for (QAction* action : menu->actions()) {
        on.session.resetRecipe({});
        action->trigger();
        EXPECT_EQ(message(), "");
        EXPECT_FALSE(on.session.recipe().operations.empty());
        EXPECT_EQ(on.steps(), 1);
        EXPECT_EQ(on.session.undoStack()->undoText().toStdString(), "Preset " + action->text().toStdString());
        EXPECT_TRUE(validate(on.session.recipe(), {.c = 3, .h = 600, .w = 800}).has_value());
    }
}

}  // namespace
}  // namespace workbench
