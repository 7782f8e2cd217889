// SPDX-License-Identifier: MIT
// Brings the newest of many values from any thread to a QObject's thread: at most one call waits in the event
// queue, and what a newer value overtakes is dropped.
#pragma once

#include <QMetaObject>
#include <QObject>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace workbench {

template <class T>
class LatestSlot {
  public:
    // Makes an empty slot. `deliver` runs in `receiver`'s thread. The receiver must outlive every put().
    LatestSlot(QObject* receiver, std::function<void(T)> deliver)
        : m_receiver(receiver), m_shared(std::make_shared<Shared>()) {
        m_shared->deliver = std::move(deliver);
    }

    void put(T value) {
        {
            const std::lock_guard lock(m_shared->mutex);
            const bool posted = m_shared->value.has_value();
            m_shared->value = std::move(value);
            if (posted) return;
        }
        QMetaObject::invokeMethod(
            m_receiver,
            [shared = m_shared] {
                std::optional<T> newest;
                {
                    const std::lock_guard lock(shared->mutex);
                    newest.swap(shared->value);
                }
                if (newest) shared->deliver(*std::move(newest));
            },
            Qt::QueuedConnection);
    }

  private:
    struct Shared {
        std::mutex mutex;
        std::optional<T> value;
        std::function<void(T)> deliver;
    };
    QObject* m_receiver;
    std::shared_ptr<Shared> m_shared;
};

}  // namespace workbench
