// SPDX-License-Identifier: MIT
#include "ui/window/pull_view.h"

#include <algorithm>

#include "core/recipe/pulls.h"
#include "ui/session/session.h"
#include "ui/window/image_view.h"

namespace workbench {
namespace {

// The recipe's one enabled operation, when it pools: then what it reads is the picture itself.
const PoolOperation* onlyPool(const Recipe& recipe) {
    const PoolOperation* pool = nullptr;
    for (const Operation& operation : recipe.operations) {
        if (!operation.enabled) continue;
        const auto* found = std::get_if<PoolOperation>(&operation.what);
        if (found == nullptr || pool != nullptr) return nullptr;
        pool = found;
    }
    return pool;
}

}  // namespace

PullView::PullView(Session& session, ImageView& view) : QObject(&view), m_session(session), m_view(view) {
    connect(&view, &ImageView::probeChanged, this, &PullView::follow);
    connect(&session, &Session::recipeChanged, this, &PullView::follow);
    connect(&session, &Session::imageChanged, this, &PullView::follow);
}

void PullView::setShown(bool shown) {
    m_shown = shown;
    follow();
}

void PullView::say(const QString& reason) {
    if (reason == m_reason) return;
    m_reason = reason;
    Q_EMIT reasonChanged(reason);
}

void PullView::follow() {
    const ImagePtr image = m_session.image();
    if (!m_shown || !image) {
        m_view.setPulls({});
        return say({});
    }
    const PoolOperation* pool = onlyPool(m_session.recipe());
    if (pool == nullptr) {
        m_view.setPulls({});
        return say(
            tr("What a pixel depends on is shown for a single pooling operation: switch the others off."));
    }
    const auto probe = m_view.probedPixel();
    const auto shape = validate(Operation{.what = *pool}, image->pixels.view().shape);
    if (!probe || !shape) {
        m_view.setPulls({});
        return say({});
    }
    const PlanarImage& pixels = image->pixels;
    const auto scaled = [](int at, std::int64_t from, std::int64_t to) {
        return std::min(at * to / from, to - 1);
    };
    const std::int64_t x = scaled(probe->x(), pixels.width(), shape->w);
    const std::int64_t y = scaled(probe->y(), pixels.height(), shape->h);
    // The mean over the colours: each channel may have its maximum elsewhere.
    std::vector<int> channels;
    for (int c = 0; c < std::min(pixels.channels(), 4); ++c) {
        if (c != image->info.alpha_channel || pixels.channels() == 1) channels.push_back(c);
    }
    std::vector<PullMark> marks;
    for (const int channel : channels) {
        const auto found = pulls(*pool, pixels, channel, x, y);
        if (!found) {
            m_view.setPulls({});
            return say(QString::fromStdString(found.error().message));
        }
        marks.resize(found->samples.size());
        for (std::size_t i = 0; i < marks.size(); ++i) {
            const Pull& pull = found->samples[i];
            marks[i].area = QRectF(double(pull.x), double(pull.y), 1.0, 1.0);
            marks[i].weight += pull.weight / double(channels.size());
        }
    }
    m_view.setPulls(std::move(marks));
    say({});
}

}  // namespace workbench
