// SPDX-License-Identifier: MIT
// The recipe dock: its name and file, the list of operations, and the editor of the selected one. Every
// change goes through Session::changeRecipe; the panel shows what the session has.
#pragma once

#include <QWidget>

#include "core/recipe/recipe.h"

class QAction;
class QCheckBox;
class QMenu;
class QPushButton;
class QStackedWidget;

namespace workbench {

class OperationEditor;
class OperationList;
class OperationListModel;
class RecipeBar;
class Session;
class ToneLabel;

class OperationsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit OperationsPanel(Session& session, QWidget* parent = nullptr);

    QMenu* createOperationsMenu(QWidget* parent);
    QMenu* createPresetsMenu(QWidget* parent);

    RecipeBar& recipeBar() const { return *m_bar; }  // the recipe's file
    int selectedRow() const;                         // -1: none
    void selectRow(int row);
    QSize sizeHint() const override;

  public Q_SLOTS:
    void addFilter(int filterId);  // after the selected operation
    void addPool(iir2d::PoolOp op);
    void duplicateSelected();
    void removeSelected();
    void moveSelectedUp();
    void moveSelectedDown();
    void toggleSelected();
    void showKernelOfSelected();

  Q_SIGNALS:
    void selectionChanged(int row);  // -1: none; also when the recipe changed
    void kernelRequested(int row);   // the GPU kernel of an operation is to be shown

  private:
    void makeActions();
    QWidget* makeToolBar();
    QWidget* makeEmptyPage();
    QWidget* makeListPage();
    void addOperationsTo(QMenu* menu);
    void add(const Operation& operation);
    void move(int from, int to, const QString& text, int mergeKey = 0);
    void setEnabledAt(int row, bool enabled);
    void follow();
    void keepFocus(bool had);
    void showSummary();
    void updateActions();

    Session& m_session;
    OperationListModel* m_model;
    RecipeBar* m_bar;
    OperationList* m_list = nullptr;
    OperationEditor* m_editor = nullptr;
    QStackedWidget* m_pages = nullptr;
    QPushButton* m_addFirst = nullptr;
    QCheckBox* m_keepAlpha = nullptr;
    ToneLabel* m_summary = nullptr;
    bool m_following = false;

    QAction* m_duplicate = nullptr;
    QAction* m_remove = nullptr;
    QAction* m_up = nullptr;
    QAction* m_down = nullptr;
    QAction* m_toggle = nullptr;
    QAction* m_kernel = nullptr;
};

}  // namespace workbench
