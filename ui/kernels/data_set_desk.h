// SPDX-License-Identifier: MIT
// A data set of generated kernels: opened or made, and the record of it that is looked at. Knows no widget.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/inspect/data_set_view.h"
#include "ui/kernels/shown_kernel.h"
#include "ui/session/job.h"

namespace workbench {

// What a person asks a new data set to be.
struct DataSetWish {
    QString folder;
    std::uint64_t count = 140;
    std::uint64_t seed = 1;
    bool backward = false;
    bool resume = false;
    friend bool operator==(const DataSetWish&, const DataSetWish&) = default;
};

// All members are called in the GUI thread.
class DataSetDesk : public QObject {
    Q_OBJECT
  public:
    explicit DataSetDesk(ShownKernelModel& shown, QObject* parent = nullptr);
    ~DataSetDesk() override;

    // On: the chosen record is what the page shows.
    void setShown(bool on);

    const std::shared_ptr<const inspect::DataSetView>& dataSet() const { return m_dataSet; }  // may be null
    void open(const QString& folder);
    bool isOpening() const { return m_opening.isRunning(); }

    // Makes one, on as many threads as there are processors; cancel() keeps whole shards.
    void make(const DataSetWish& wish);
    bool isMaking() const { return m_making.isRunning(); }
    void cancel();
    // "120 kernels, 3 rejected, 40 pairs/s, 12 s left"; empty while nothing is made.
    const QString& progress() const { return m_progress; }
    double fraction() const { return m_fraction; }

    void chooseRecord(const QString& id);
    const std::optional<inspect::RecordView>& record() const { return m_record; }
    // Of the chosen record, in its order; the direction's alone.
    QStringList targets() const;
    const QString& target() const { return m_target; }
    void setTarget(const QString& target);
    bool isBackward() const { return m_isBackward; }
    void setBackward(bool on);

    QString commandLine() const;  // the `iir2d synth show` of what is shown; empty: nothing is
    static QString commandLine(const DataSetWish& wish);

  Q_SIGNALS:
    void dataSetChanged();
    void recordChanged();
    void workChanged();  // making or opening began, went on or ended
    void failed(const QString& message);
    void said(const QString& message);

  private:
    void showChosen();

    ShownKernelModel& m_shown;
    bool m_isShown = false;
    std::shared_ptr<const inspect::DataSetView> m_dataSet;
    std::optional<inspect::RecordView> m_record;
    QString m_target;
    bool m_isBackward = false;
    QString m_progress;
    double m_fraction = 0;
    Job m_opening;
    Job m_reading;
    Job m_making;  // last: they are joined before what their work delivers to goes
};

}  // namespace workbench
