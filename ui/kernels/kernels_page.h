// SPDX-License-Identifier: MIT
// The kernels page: at the left where kernels come from, at the right the one that is shown.
#pragma once

#include <QWidget>
#include <filesystem>

#include "core/recipe/recipe.h"
#include "ui/kernels/shown_kernel.h"

class QTabWidget;

namespace workbench {

class DataSetDesk;
class GeneratedPanel;
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
    DataSetDesk& dataSets() const { return *m_dataSets; }
    GeneratedPanel& generatedPanel() const { return *m_generatedPanel; }
    KernelView& view() const { return *m_view; }
    MessageArea& messages() const { return *m_messages; }

  public Q_SLOTS:
    // Shows a kernel of the product by its name, or one of the solvers, "solve/NAME", as a source.
    void showKernel(const QString& name);
    // Shows the panel of one's own source.
    void showYours();
    void showOurs();
    void showGenerated();
    bool isMaking() const;  // a data set
    // Keeps the source that is typed in a file, and shows what an earlier window kept there.
    void keepSourceIn(const std::filesystem::path& file);
    // Shows the kernel of an operation, with its counted traffic.
    void showOperation(const workbench::Operation& operation);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void say(const QString& message, bool isFailure);
    void showSource();
    void followOwn();

    ShownKernelModel* m_shown;
    OurKernels* m_ours;
    OwnSource* m_own;
    DataSetDesk* m_dataSets;
    MessageArea* m_messages;
    QTabWidget* m_sources;
    OursPanel* m_oursPanel;
    YoursPanel* m_yoursPanel;
    GeneratedPanel* m_generatedPanel;
    KernelView* m_view;
};

}  // namespace workbench
