// SPDX-License-Identifier: MIT
// The recipe as a document: its name, whether it is saved, loading and saving it, the presets. What goes
// wrong with a file is said here, in place.
#pragma once

#include <QWidget>

class QLineEdit;
class QMenu;

namespace workbench {

class MessageStrip;
class Session;
class ToneLabel;

class RecipeBar : public QWidget {
    Q_OBJECT
  public:
    explicit RecipeBar(Session& session, QWidget* parent = nullptr);

    // Open or replace the recipe. Each is one undo step; an error is shown and leaves the recipe as it is.
    bool openRecipe(const QString& path);
    bool saveRecipeTo(const QString& path);
    QString path() const { return m_path; }
    void setPath(const QString& path) { m_path = path; }
    // Fills a menu with the presets that ship.
    void addPresets(QMenu* menu);

  public Q_SLOTS:
    void loadRecipe();
    void saveRecipe();
    void saveRecipeAs();

  Q_SIGNALS:
    void recipeLoaded();

  private:
    bool replaceRecipe(const QString& path, const QString& undoText);
    void showName();
    void showModified();

    Session& m_session;
    QString m_path;  // of the recipe's file; empty for one without
    MessageStrip* m_message;
    QLineEdit* m_name;
    ToneLabel* m_modified;
};

}  // namespace workbench
