// SPDX-License-Identifier: MIT
#include "ui/operations/recipe_bar.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QUndoStack>

#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int name_merge_key = 1;

QString fileFilter() {
    return RecipeBar::tr("Recipes (*.iir2d *.json);;All files (*)");
}

}  // namespace

RecipeBar::RecipeBar(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_message(new MessageStrip(this)),
      m_name(new QLineEdit(this)),
      m_modified(new ToneLabel(ToneLabel::Tone::muted, this)) {
    leaveUndoToWindow(m_name);  // each letter is in the recipe's own history
    m_name->setMaxLength(int(longest_recipe_name));
    m_name->setPlaceholderText(tr("Untitled recipe"));
    m_name->setAccessibleName(tr("Recipe name"));
    m_name->setToolTip(tr("The name of the recipe, written into its file"));
    m_modified->setText(tr("unsaved"));
    m_modified->setToolTip(tr("The recipe has changes that no file has"));
    m_modified->setWordWrap(false);
    auto* load = iconButton(QStringLiteral("open"), tr("Load a recipe…"), this);
    auto* save = iconButton(QStringLiteral("save"), tr("Save the recipe"), this);

    auto* line = makeRow(nullptr, smallSpacing);
    line->addWidget(m_name, 1);
    line->addWidget(m_modified);
    line->addWidget(load);
    line->addWidget(save);
    auto* layout = makeColumn(this, normalSpacing);
    layout->addWidget(m_message);
    layout->addLayout(line);

    connect(load, &QToolButton::clicked, this, &RecipeBar::loadRecipe);
    connect(save, &QToolButton::clicked, this, &RecipeBar::saveRecipe);
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& name) {
        Recipe next = m_session.recipe();
        next.name = name.toStdString();
        m_session.changeRecipe(tr("Rename the recipe"), std::move(next), name_merge_key);
    });
    connect(m_name, &QLineEdit::editingFinished, this, [this] { m_session.endMerge(); });
    connect(&m_session, &Session::recipeChanged, this, &RecipeBar::showName);
    // A pin is a step too, after which the stack is not clean though the recipe is: then only the index says
    // that the recipe changed.
    connect(m_session.undoStack(), &QUndoStack::indexChanged, this, &RecipeBar::showModified);
    connect(m_session.undoStack(), &QUndoStack::cleanChanged, this, &RecipeBar::showModified);
    showName();
    showModified();
}

void RecipeBar::showName() {
    const QString name = QString::fromStdString(m_session.recipe().name);
    if (m_name->text() != name) m_name->setText(name);
}

void RecipeBar::showModified() {
    m_modified->setVisible(m_session.isRecipeModified());
}

bool RecipeBar::replaceRecipe(const QString& path, const QString& undoText) {
    auto recipe = load_recipe(toPath(path));
    if (!recipe) {
        m_message->setMessage(QString::fromStdString(recipe.error().message));
        return false;
    }
    m_message->clear();
    m_session.endMerge();
    m_session.changeRecipe(undoText, *std::move(recipe));
    m_session.undoStack()->setClean();
    Q_EMIT recipeLoaded();
    return true;
}

bool RecipeBar::openRecipe(const QString& path) {
    if (!replaceRecipe(path, tr("Load %1").arg(QFileInfo(path).fileName()))) return false;
    m_path = path;
    return true;
}

bool RecipeBar::saveRecipeTo(const QString& path) {
    if (const auto saved = save_recipe(m_session.recipe(), toPath(path)); !saved) {
        m_message->setMessage(QString::fromStdString(saved.error().message));
        return false;
    }
    m_message->clear();
    m_session.endMerge();
    m_session.undoStack()->setClean();
    m_path = path;
    return true;
}

void RecipeBar::addPresets(QMenu* menu) {
    menu->setToolTipsVisible(true);
    for (const Preset& preset : shipped_presets()) {
        const QString name = QString::fromStdString(preset.name);
        const QString path = fromPath(preset.path);
        QAction* action = menu->addAction(QString(name).replace(QLatin1Char('&'), QLatin1String("&&")));
        connect(action, &QAction::triggered, this, [this, name, path] {
            // A file of its own is chosen when it is saved: a preset is never written over.
            if (replaceRecipe(path, tr("Preset %1").arg(name))) m_path.clear();
        });
    }
    if (menu->isEmpty()) menu->addAction(tr("No presets were found"))->setEnabled(false);
}

void RecipeBar::loadRecipe() {
    const QString path =
        QFileDialog::getOpenFileName(window(), tr("Load a recipe"), QFileInfo(m_path).path(), fileFilter());
    if (!path.isEmpty()) openRecipe(path);
}

void RecipeBar::saveRecipe() {
    if (m_path.isEmpty()) return saveRecipeAs();
    saveRecipeTo(m_path);
}

void RecipeBar::saveRecipeAs() {
    const QString name = m_name->text().isEmpty() ? tr("recipe") : m_name->text();
    const QString proposed =
        m_path.isEmpty() ? QString(name).replace(QLatin1Char('/'), QLatin1Char('-')) + QLatin1String(".iir2d")
                         : m_path;
    QString path = QFileDialog::getSaveFileName(window(), tr("Save the recipe"), proposed, fileFilter());
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += QLatin1String(".iir2d");
    saveRecipeTo(path);
}

}  // namespace workbench
