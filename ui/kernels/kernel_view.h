// SPDX-License-Identifier: MIT
// The right side of the page: source and IR of one kernel side by side, and below what is known of it.
#pragma once

#include <QWidget>

#include "ui/kernels/shown_kernel.h"

class QSplitter;
class QTabWidget;
class QToolButton;
class QLabel;

namespace workbench {

class CodePane;
class ElidedLabel;
class MismatchTab;
class RunTab;
class Session;
class TextTable;
class ToneLabel;

class KernelView : public QWidget {
    Q_OBJECT
  public:
    KernelView(Session& session, ShownKernelModel& model, QWidget* parent = nullptr);

    enum class Tab { facts, opcodes, mix, levels, traffic, run, mismatch };
    Tab tab() const;
    void setTab(Tab tab);
    RunTab& runTab() const { return *m_run; }
    CodePane& textPane() const { return *m_text; }
    TextTable& table(Tab tab) const;
    MismatchTab& mismatchTab() const { return *m_mismatch; }
    CodePane& editor() const { return *m_editor; }
    // Sets whether the source is shown in the editor, also while no kernel is shown.
    void setEditing(bool on);

  Q_SIGNALS:
    void kernelAsked(const QString& name);  // a row of another kernel's launch was chosen
    void said(const QString& message);      // what came of an action

  private:
    QWidget* makeHeader();
    void makeTabs();
    void showKernel();
    void showNote();
    void showMix(const ShownKernel& kernel);
    void showLevels(const ShownKernel& kernel);
    void showFacts(const ShownKernel& kernel);
    void showTraffic(const ShownKernel& kernel);
    void markFromText(int line);
    void markFromSource(int line);
    CodePane& source() const { return m_editing ? *m_editor : *m_source; }
    void save();

    Session& m_session;
    ShownKernelModel& m_model;
    QLabel* m_title = nullptr;
    ElidedLabel* m_origin = nullptr;
    QToolButton* m_save = nullptr;
    QToolButton* m_copy = nullptr;
    QSplitter* m_panes = nullptr;
    CodePane* m_source = nullptr;
    CodePane* m_text = nullptr;
    CodePane* m_editor = nullptr;
    bool m_editing = false;
    ToneLabel* m_note = nullptr;
    QTabWidget* m_tabs = nullptr;
    TextTable* m_facts = nullptr;
    TextTable* m_opcodes = nullptr;
    TextTable* m_mix = nullptr;
    ToneLabel* m_levelsNote = nullptr;
    TextTable* m_levels = nullptr;
    ToneLabel* m_trafficNote = nullptr;
    TextTable* m_traffic = nullptr;
    RunTab* m_run = nullptr;
    MismatchTab* m_mismatch = nullptr;
};

}  // namespace workbench
