// SPDX-License-Identifier: MIT
// The kernels page: at the left where kernels come from, at the right the one that is shown.
#pragma once

#include <QWidget>

#include "core/recipe/recipe.h"
#include "ui/kernels/shown_kernel.h"

class QTabWidget;

namespace workbench {

class KernelView;
class MessageArea;
class OurKernels;
class OursPanel;
class OwnSource;
class Session;
class YoursPanel;

class KernelsPage : public QWidget {
    Q_OBJECT
  public:
    explicit KernelsPage(Session& session, QWidget* parent = nullptr);
    ~KernelsPage() override;

    ShownKernelModel& shown() const { return *m_shown; }
    OurKernels& ours() const { return *m_ours; }
    OursPanel& oursPanel() const { return *m_oursPanel; }
    OwnSource& own() const { return *m_own; }
    YoursPanel& yoursPanel() const { return *m_yoursPanel; }
    KernelView& view() const { return *m_view; }
    MessageArea& messages() const { return *m_messages; }

  public Q_SLOTS:
    // Shows a kernel of the product by its name.
    void showKernel(const QString& name);
    // Shows the panel of one's own source.
    void showYours();
    void showOurs();
    // Shows the kernel of an operation, with its counted traffic.
    void showOperation(const workbench::Operation& operation);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void say(const QString& message, bool isFailure);
    void showSource();
    void followOwn();

    Session& m_session;
    ShownKernelModel* m_shown;
    OurKernels* m_ours;
    OwnSource* m_own;
    MessageArea* m_messages;
    QTabWidget* m_sources;
    OursPanel* m_oursPanel;
    ShownKernelPtr m_ourKernel;  // while one's own is shown
    YoursPanel* m_yoursPanel;
    KernelView* m_view;
};

}  // namespace workbench
