// SPDX-License-Identifier: MIT
#include "ui/picture/pool_input.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/recipe/pool_gradient.h"
#include "core/support/devices.h"
#include "ui/session/latest_slot.h"
#include "ui/session/session.h"
#include "ui/support/text.h"

namespace workbench {

struct PoolInput::Job {
    ImagePtr source;
    Recipe before;
    std::shared_ptr<const Image> input;  // when it is there already
    std::optional<PoolOperation> winnersOf;
    int threads = 0;
};

struct PoolInput::Outcome {
    Job job;
    std::shared_ptr<const ArgmaxMask> winners;
    QString problem;  // of the input, or where there is one of the winners
};

// A mailbox for one job: the newest replaces one that waits. One that runs goes on, so that a moving slider
// does not starve what follows it.
class PoolInput::Worker {
  public:
    explicit Worker(PoolInput& owner)
        : m_slot(&owner, [&owner](Outcome outcome) { owner.deliver(std::move(outcome)); }),
          m_thread([this](const std::stop_token& stop) { run(stop); }) {}

    void put(Job job) {
        {
            const std::lock_guard lock(m_mutex);
            m_job = std::move(job);
        }
        m_arrived.notify_one();
    }
    void drop() {
        const std::lock_guard lock(m_mutex);
        m_job.reset();
    }

  private:
    void run(const std::stop_token& stop) {
        while (true) {
            std::unique_lock lock(m_mutex);
            if (!m_arrived.wait(lock, stop, [this] { return m_job.has_value(); })) return;
            Outcome outcome{.job = *std::exchange(m_job, std::nullopt), .winners = nullptr, .problem = {}};
            lock.unlock();
            work(outcome, stop);
            if (!stop.stop_requested()) m_slot.put(std::move(outcome));
        }
    }

    static void work(Outcome& outcome, const std::stop_token& stop) try {
        Job& job = outcome.job;
        const iir2d::Device cpu = cpu_device(job.threads, "").device;
        if (!job.input) {
            auto input = apply(job.before, *job.source, cpu, {.stop = stop});
            if (!input) {
                outcome.problem = QString::fromStdString(input.error().message);
                return;
            }
            job.input = std::make_shared<const Image>(std::move(*input));
        }
        if (!job.winnersOf) return;
        auto found = workbench::argmax_mask(*job.winnersOf, job.input->pixels, colourChannels(*job.input),
                                            cpu, {.stop = stop});
        if (found) {
            outcome.winners = std::make_shared<const ArgmaxMask>(std::move(*found));
        } else {
            outcome.problem = QString::fromStdString(found.error().message);
        }
    } catch (const std::bad_alloc&) {
        outcome.problem = PoolInput::tr("There is not enough memory for the picture before the pooling.");
    }

    LatestSlot<Outcome> m_slot;
    std::mutex m_mutex;
    std::condition_variable_any m_arrived;
    std::optional<Job> m_job;
    std::jthread m_thread;  // last: it uses the rest
};

std::vector<int> colourChannels(const Image& image) {
    std::vector<int> channels;
    const int count = image.pixels.channels();
    for (int c = 0; c < std::min(count, 4); ++c) {
        if (c != image.info.alpha_channel || count == 1) channels.push_back(c);
    }
    return channels;
}

PoolInput::PoolInput(Session& session, QObject* parent)
    : QObject(parent), m_session(session), m_worker(std::make_unique<Worker>(*this)) {
    connect(&session, &Session::recipeChanged, this, &PoolInput::follow);
    connect(&session, &Session::imageChanged, this, &PoolInput::follow);
}

PoolInput::~PoolInput() = default;

void PoolInput::setWanted(bool input, bool winners) {
    m_wantsInput = input;
    m_wantsWinners = winners;
    follow();
}

void PoolInput::setSelected(int row) {
    if (row == m_selected) return;
    m_selected = row;
    if (isWanted()) follow();
}

QString PoolInput::operationName() const {
    if (!m_operation) return {};
    return QStringLiteral("%1. %2").arg(m_index + 1).arg(toSentence(operation_name({.what = *m_operation})));
}

bool PoolInput::isSource() const {
    return m_input && m_input == m_session.image();
}

void PoolInput::clear() {
    m_worker->drop();
    m_index = -1;
    m_operation.reset();
    m_input.reset();
    m_winners.reset();
    m_source.reset();
    m_winnersOf.reset();
    m_winnersIn.reset();
}

void PoolInput::follow() {
    m_reason.clear();
    m_winnersReason.clear();
    const ImagePtr image = m_session.image();
    const Recipe& recipe = m_session.recipe();
    const int index = image && isWanted() ? pooling_to_look_at(recipe, m_selected) : -1;
    if (index < 0) {
        clear();
        if (image && isWanted())
            m_reason = tr("No pooling operation is switched on: add one, or switch one on.");
        Q_EMIT changed();
        return;
    }
    m_index = index;
    m_operation = std::get<PoolOperation>(recipe.operations[std::size_t(index)].what);
    Recipe before = before_operation(recipe, index);
    // What is shown stays until there is better, but never another picture's.
    if (image != m_source) {
        m_input.reset();
        m_winners.reset();
    }
    if (before.operations.empty()) {
        m_input = image;
        m_source = image;
        m_before = before;
    }
    const bool hasInput = m_input && m_source == image && m_before == before;
    const bool wantsWinners = m_wantsWinners && is_max(m_operation->op);
    if (!wantsWinners) {
        m_winners.reset();
        m_winnersOf.reset();
        if (m_wantsWinners)
            m_winnersReason =
                tr("%1 takes no single sample of a window: choose a maximum.").arg(operationName());
    }
    const bool hasWinners = hasInput && m_winners && m_winnersOf == m_operation && m_winnersIn == m_input;
    if (hasInput && (!wantsWinners || hasWinners)) {
        m_worker->drop();
    } else {
        m_worker->put({.source = image,
                       .before = std::move(before),
                       .input = hasInput ? m_input : nullptr,
                       .winnersOf = wantsWinners ? m_operation : std::nullopt,
                       .threads = m_session.threads()});
    }
    Q_EMIT changed();
}

void PoolInput::deliver(Outcome outcome) {
    const Job& job = outcome.job;
    if (!isWanted() || m_index < 0 || job.source != m_session.image()) return;
    // Perhaps not of the newest parameters: then nearer to them than what was shown, and more follows.
    if (job.input) {
        m_input = job.input;
        m_source = job.source;
        m_before = job.before;
    }
    if (job.winnersOf && m_wantsWinners && is_max(m_operation->op)) {
        m_winners = outcome.winners;
        m_winnersOf = job.winnersOf;
        m_winnersIn = job.input;
    }
    m_reason = job.input ? QString() : outcome.problem;
    m_winnersReason = job.input ? outcome.problem : QString();
    Q_EMIT changed();
}

}  // namespace workbench
