// SPDX-License-Identifier: MIT
#include "ui/picture/pool_input.h"

#include <algorithm>
#include <utility>

#include "core/recipe/pool_gradient.h"
#include "core/support/devices.h"
#include "ui/session/session.h"
#include "ui/support/text.h"

namespace workbench {

struct PoolInput::Request {
    ImagePtr source;
    Recipe before;
    std::shared_ptr<const Image> input;  // when it is there already
    std::optional<PoolOperation> argmaxOf;
    int threads = 0;
};

struct PoolInput::Outcome {
    Request request;
    std::shared_ptr<const ArgmaxMap> argmax;
    QString problem;  // of the input, or where there is one of the argmax
};

Result<PoolInput::Outcome> PoolInput::compute(Request request, const TaskControl& control) {
    Outcome outcome{.request = std::move(request), .argmax = nullptr, .problem = {}};
    Request& wanted = outcome.request;
    const iir2d::Device cpu = cpu_device(wanted.threads, "").device;
    if (!wanted.input) {
        auto input = apply(wanted.before, *wanted.source, cpu, {.stop = control.stop});
        if (!input) {
            outcome.problem = toText(input.error().message);
            return outcome;
        }
        wanted.input = std::make_shared<const Image>(std::move(*input));
    }
    if (!wanted.argmaxOf) return outcome;
    auto found = argmax_map(*wanted.argmaxOf, wanted.input->pixels, colourChannels(*wanted.input), cpu,
                            {.stop = control.stop});
    if (found) {
        outcome.argmax = std::make_shared<const ArgmaxMap>(std::move(*found));
    } else {
        outcome.problem = toText(found.error().message);
    }
    return outcome;
}

std::vector<int> colourChannels(const Image& image) {
    std::vector<int> channels;
    const int count = image.pixels.channels();
    for (int c = 0; c < std::min(count, 4); ++c) {
        if (c != image.info.alpha_channel || count == 1) channels.push_back(c);
    }
    return channels;
}

PoolInput::PoolInput(Session& session, QObject* parent) : QObject(parent), m_session(session) {
    connect(&session, &Session::recipeChanged, this, &PoolInput::follow);
    connect(&session, &Session::imageChanged, this, &PoolInput::follow);
}

PoolInput::~PoolInput() = default;

void PoolInput::setWanted(bool input, bool argmax) {
    m_wantsInput = input;
    m_wantsArgmax = argmax;
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
    m_job.abandon();
    m_index = -1;
    m_operation.reset();
    m_input.reset();
    m_argmax.reset();
    m_source.reset();
    m_argmaxOf.reset();
    m_argmaxIn.reset();
}

void PoolInput::follow() {
    m_reason.clear();
    m_argmaxReason.clear();
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
        m_argmax.reset();
    }
    if (before.operations.empty()) {
        m_input = image;
        m_source = image;
        m_before = before;
    }
    const bool hasInput = m_input && m_source == image && m_before == before;
    const bool wantsArgmax = m_wantsArgmax && is_max(m_operation->op);
    if (!wantsArgmax) {
        m_argmax.reset();
        m_argmaxOf.reset();
        if (m_wantsArgmax)
            m_argmaxReason =
                tr("%1 takes no single sample of a window: choose a maximum.").arg(operationName());
    }
    const bool hasArgmax = hasInput && m_argmax && m_argmaxOf == m_operation && m_argmaxIn == m_input;
    if (hasInput && (!wantsArgmax || hasArgmax)) {
        m_job.abandon();
    } else {
        const Request request{.source = image,
                              .before = std::move(before),
                              .input = hasInput ? m_input : nullptr,
                              .argmaxOf = wantsArgmax ? m_operation : std::nullopt,
                              .threads = m_session.threads()};
        m_job.start(
            {}, [request](const TaskControl& control) { return compute(request, control); },
            [this, request](Result<Outcome> outcome) {
                deliver(outcome ? std::move(*outcome)
                                : Outcome{.request = request,
                                          .argmax = nullptr,
                                          .problem = toSentence(outcome.error().message)});
            });
    }
    Q_EMIT changed();
}

void PoolInput::deliver(const Outcome& outcome) {
    const Request& done = outcome.request;
    if (!isWanted() || m_index < 0 || done.source != m_session.image()) return;
    // Perhaps not of the newest parameters: then nearer to them than what was shown, and more follows.
    if (done.input) {
        m_input = done.input;
        m_source = done.source;
        m_before = done.before;
    }
    if (done.argmaxOf && m_wantsArgmax && is_max(m_operation->op)) {
        m_argmax = outcome.argmax;
        m_argmaxOf = done.argmaxOf;
        m_argmaxIn = done.input;
    }
    m_reason = done.input ? QString() : outcome.problem;
    m_argmaxReason = done.input ? outcome.problem : QString();
    Q_EMIT changed();
}

}  // namespace workbench
