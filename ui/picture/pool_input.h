// SPDX-License-Identifier: MIT
// The pooling operation that overlays are about, and the picture as it enters that operation: computed in the
// background where other operations come before it. Lives in the GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/recipe/winners.h"
#include "ui/session/job.h"

namespace workbench {

class Session;

// The channels that are colours; the only one when there is one.
std::vector<int> colourChannels(const Image& image);

class PoolInput : public QObject {
    Q_OBJECT
  public:
    explicit PoolInput(Session& session, QObject* parent = nullptr);
    ~PoolInput() override;

    // What is not wanted is not computed.
    void setWanted(bool input, bool winners);
    // The operation that is selected in the list; -1: none.
    void setSelected(int row);

    bool isWanted() const { return m_wantsInput || m_wantsWinners; }
    // All null or absent while not wanted, and until they are there. The operation is the newest, the others
    // may lag behind it while they are computed again.
    const std::optional<PoolOperation>& operation() const { return m_operation; }
    QString operationName() const;  // "2. Max pooling", by its number in the list
    std::shared_ptr<const Image> input() const { return m_input; }
    bool isSource() const;  // whether the input is the open image
    std::shared_ptr<const Winners> winners() const { return m_winners; }
    // Why one of them cannot be had; empty when it can, or is not wanted.
    QString reason() const { return m_reason; }
    QString winnersReason() const { return m_winnersReason; }

  Q_SIGNALS:
    void changed();

  private:
    struct Request;
    struct Outcome;

    static Result<Outcome> compute(Request request, const TaskControl& control);
    void follow();
    void clear();
    void deliver(Outcome outcome);

    Session& m_session;
    Job m_job{JobPolicy::newest_next};  // A moving slider does not starve what follows it.
    bool m_wantsInput = false;
    bool m_wantsWinners = false;
    int m_selected = -1;
    int m_index = -1;
    std::optional<PoolOperation> m_operation;
    std::shared_ptr<const Image> m_input;
    std::shared_ptr<const Winners> m_winners;
    // What m_input and m_winners were made from.
    ImagePtr m_source;
    Recipe m_before;
    std::optional<PoolOperation> m_winnersOf;
    std::shared_ptr<const Image> m_winnersIn;
    QString m_reason;
    QString m_winnersReason;
};

}  // namespace workbench
