// SPDX-License-Identifier: MIT
// Finds by which config the live recipe's operations are executed on the open image, and why: for the whole
// image, not for its proxy. Works off the GUI thread when image, recipe, device, pin or models change. No
// widgets.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <vector>

#include "iir2d/tune.h"
#include "ui/session/job.h"

namespace workbench {

class Session;
class TuningModel;

struct LiveStep {
    QString operation;
    QString spec;
    iir2d::Explanation said;
    iir2d::Config config;  // that it is executed by: the pin where it is valid
    iir2d::TuneReason reason = iir2d::TuneReason::no_model;

    std::optional<double> predictedRatio() const;  // of that config, to static
};

class LiveChoice : public QObject {
    Q_OBJECT
  public:
    LiveChoice(Session& session, TuningModel& tuning, QObject* parent = nullptr);
    ~LiveChoice() override;

    // Returns one step for each of the recipe's operations that are on; none without an image, and on a GPU,
    // which has one way.
    const std::vector<LiveStep>& steps() const { return m_steps; }
    // Returns what to pin for the first operation: its candidates, the best predicted first; where nothing is
    // predicted, those with the fewest knobs first.
    std::vector<iir2d::RankedConfig> offers(std::size_t most) const;
    // Returns whether the first operation is executed by the config that is pinned: it is valid for it.
    bool isPinned() const;
    QString badge() const;    // of the first operation
    QString toolTip() const;  // of all

    // Looks again, at once: where the library has got other models, which no signal says.
    void look();

  Q_SIGNALS:
    void changed();

  private:
    Session& m_session;
    TuningModel& m_tuning;
    std::vector<LiveStep> m_steps;
    QTimer m_pause;  // a slider moves often
    Job m_looker{JobPolicy::newest_wins};
};

}  // namespace workbench
