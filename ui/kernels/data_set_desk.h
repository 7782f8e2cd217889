// SPDX-License-Identifier: MIT
// A data set of generated kernels: opened or made, and the record of it that is looked at. Knows no widget.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/compile/compiler.h"
#include "core/inspect/data_set_view.h"
#include "core/inspect/mismatch.h"
#include "ui/kernels/data_set_request.h"
#include "ui/kernels/shown_kernel.h"
#include "ui/session/job.h"

namespace workbench {

// Opens, makes and searches data sets. All members are called in the GUI thread.
class DataSetDesk : public QObject {
    Q_OBJECT
  public:
    explicit DataSetDesk(ShownKernelModel& shown, QObject* parent = nullptr);
    ~DataSetDesk() override;

    // Sets whether the page shows the chosen record.
    void setShown(bool on);

    const std::shared_ptr<const inspect::DataSetView>& dataSet() const { return m_dataSet; }  // may be null
    void open(const QString& folder);
    bool isOpening() const { return m_opening.isRunning(); }

    // Makes one, on as many threads as there are processors; cancel() keeps whole shards.
    void make(const DataSetRequest& request);
    bool isMaking() const { return m_making.isRunning(); }
    void cancel();  // the making, or the opening
    // Returns the progress of making, "120 kernels, 3 rejected, 40 pairs/s, 12 s left", or of opening; empty:
    // not known.
    const QString& progress() const { return m_progress; }
    double fraction() const { return m_fraction; }

    void chooseRecord(const QString& id);
    const std::optional<inspect::RecordView>& record() const { return m_record; }
    // Returns the targets of the chosen record in the chosen direction, in its order.
    QStringList targets() const;
    const QString& target() const { return m_target; }
    void setTarget(const QString& target);
    bool isBackward() const { return m_isBackward; }
    void setBackward(bool on);

    // Returns another target of the record, whose text is shown as a difference to the target's; empty: none.
    const QString& otherTarget() const { return m_otherTarget; }
    void setOtherTarget(const QString& target);

    // Runs a mismatch of the data set again and shows what differs.
    void lookInto(std::uint64_t index);
    bool isLooking() const { return m_looking.isRunning(); }
    const std::shared_ptr<const inspect::Mismatch>& mismatch() const { return m_mismatch; }  // may be null

    // Asks the compilers what there is, once.
    void findTargets();
    bool isFinding() const { return m_finding.isRunning(); }
    const std::vector<compile::TargetState>& knownTargets() const { return m_knownTargets; }

    // Pairs over time, of the data set that is being made or was made last.
    struct Pace {
        double seconds = 0;
        std::uint64_t pairs = 0;
    };
    const std::vector<Pace>& pace() const { return m_pace; }

    // Returns the `iir2d synth show` or `synth diff` that prints what is shown; empty: nothing is, or it is a
    // difference of backward texts, which no command prints.
    QString commandLine() const;

  Q_SIGNALS:
    void dataSetChanged();
    void recordChanged();  // also whether a mismatch is shown in its place
    void workChanged();    // making, opening or looking began, went on or ended
    void targetsFound();
    void paceChanged();
    void failed(const QString& message);
    void said(const QString& message);

  private:
    void showChosen();
    void showRecord();
    void showMismatch();
    void abandonLook();
    void markLines(const ShownKernelPtr& kernel, const std::string& target);
    const inspect::RecordText* text(const QString& target) const;  // null: there is none

    ShownKernelModel& m_shown;
    bool m_isShown = false;
    std::shared_ptr<const inspect::DataSetView> m_dataSet;
    std::optional<inspect::RecordView> m_record;
    QString m_target;
    QString m_otherTarget;
    std::shared_ptr<const inspect::Mismatch> m_mismatch;
    std::vector<compile::TargetState> m_knownTargets;
    std::vector<Pace> m_pace;
    std::shared_ptr<compile::Compiler> m_compiler;  // of lines
    bool m_isBackward = false;
    QString m_progress;
    double m_fraction = 0;
    Job m_opening;
    Job m_reading;
    Job m_looking;
    Job m_finding;
    Job m_marking;
    Job m_making;  // last: they are joined before what their work delivers to goes
};

}  // namespace workbench
