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
#include "core/recipe/argmax_map.h"
#include "core/recipe/recipe.h"
#include "ui/session/job.h"

namespace workbench {

class Session;

// Returns the channels that are colours; the only one when there is one.
std::vector<int> colourChannels(const Image& image);

class PoolInput : public QObject {
    Q_OBJECT
  public:
    explicit PoolInput(Session& session, QObject* parent = nullptr);
    ~PoolInput() override;

    // Sets what is to be computed.
    void setWanted(bool input, bool argmax);
    // Sets the operation that is selected in the list; -1: none.
    void setSelected(int row);

    bool isWanted() const { return m_wantsInput || m_wantsArgmax; }
    // Return the operation and what was computed of it. All are null or absent while not wanted, and until
    // they are there. The operation is the newest, the others may lag behind it while they are computed
    // again.
    const std::optional<PoolOperation>& operation() const { return m_operation; }
    QString operationName() const;  // "2. Max pooling", by its number in the list
    std::shared_ptr<const Image> input() const { return m_input; }
    bool isSource() const;  // whether the input is the open image
    std::shared_ptr<const ArgmaxMap> argmax() const { return m_argmax; }
    // Returns why one of them cannot be had; empty when it can, or is not wanted.
    QString reason() const { return m_reason; }
    QString argmaxReason() const { return m_argmaxReason; }

  Q_SIGNALS:
    void changed();

  private:
    struct Request;
    struct Outcome;

    static Result<Outcome> compute(Request request, const TaskControl& control);
    void follow();
    void clear();
    void deliver(const Outcome& outcome);

    Session& m_session;
    Job m_job{JobPolicy::newest_next};  // A moving slider does not starve what follows it.
    bool m_wantsInput = false;
    bool m_wantsArgmax = false;
    int m_selected = -1;
    int m_index = -1;
    std::optional<PoolOperation> m_operation;
    std::shared_ptr<const Image> m_input;
    std::shared_ptr<const ArgmaxMap> m_argmax;
    // What m_input and m_argmax were made from.
    ImagePtr m_source;
    Recipe m_before;
    std::optional<PoolOperation> m_argmaxOf;
    std::shared_ptr<const Image> m_argmaxIn;
    QString m_reason;
    QString m_argmaxReason;
};

}  // namespace workbench
