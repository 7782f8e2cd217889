// SPDX-License-Identifier: MIT
// The product's own kernels: read once, in the background, when somebody looks at them; cut and shown one by
// one. Knows no widget.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>

#include "core/inspect/product_kernels.h"
#include "core/inspect/traffic.h"
#include "ui/kernels/shown_kernel.h"
#include "ui/session/job.h"

namespace workbench {

class Session;

// Shows the library's own kernels. All members are called in the GUI thread.
class OurKernels : public QObject {
    Q_OBJECT
  public:
    OurKernels(Session& session, ShownKernelModel& shown, QObject* parent = nullptr);
    ~OurKernels() override;

    // Sets whether the page shows the kernel that was extracted last, and each one that is.
    void setShown(bool on);

    // Begins to read the installed text, unless it was read.
    void load();
    // Reads this one instead; for tests.
    void loadFrom(const std::filesystem::path& file);
    bool isLoading() const { return m_loading.isRunning(); }
    const std::shared_ptr<const inspect::ProductKernels>& kernels() const {
        return m_kernels;
    }  // may be null
    // Says what is there, or why nothing is.
    const QString& note() const { return m_note; }

    void showKernel(const QString& name);
    // Chooses the kernel that the plan of an operation names on the GPU of the session, else the first one
    // that was counted for it. Loads first where that is needed.
    void showOperation(const Operation& operation);
    bool isBusy() const { return m_loading.isRunning() || m_cutting.isRunning(); }

  Q_SIGNALS:
    void changed();
    void shown(const QString& name);  // the one that was asked for
    void failed(const QString& message);

  private:
    struct Loaded {
        std::shared_ptr<const inspect::ProductKernels> kernels;
        std::optional<inspect::TrafficTable> traffic;
        std::string trafficProblem;
    };
    struct Choice {
        std::string kernel;
        std::string job;
        QString note;
    };
    // Holds what a choice depends on; on a GPU choosing makes a plan, which may start its driver.
    struct Asked {
        Operation operation;
        iir2d::Device device;
        iir2d::Shape shape;
        std::shared_ptr<const inspect::ProductKernels> kernels;
        std::optional<inspect::TrafficTable> traffic;
    };
    static Result<Choice> choose(const Asked& asked);
    void cut(const QString& what, std::function<Result<Choice>()> choose);

    Session& m_session;
    ShownKernelModel& m_shown;
    std::shared_ptr<const inspect::ProductKernels> m_kernels;
    std::optional<inspect::TrafficTable> m_traffic;
    std::function<void()> m_waiting;  // shows what was asked for, when the text is read
    ShownKernelPtr m_kernel;          // that was cut last
    bool m_isShown = false;
    QString m_note;
    Job m_loading;
    Job m_cutting;
};

}  // namespace workbench
