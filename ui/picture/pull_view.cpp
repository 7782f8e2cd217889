// SPDX-License-Identifier: MIT
#include "ui/picture/pull_view.h"

#include <QLocale>
#include <algorithm>
#include <numeric>
#include <utility>

#include "ui/picture/image_view.h"
#include "ui/session/session.h"

namespace workbench {
namespace {

// Beyond it a stroke would no longer follow the hand.
constexpr std::size_t mostPainted = 4096;

// From samples of the operation's input to pixels of the open image, which the view is in.
struct Scale {
    double x;
    double y;
    QRectF area(double column, double row, double columns, double rows) const {
        return {column * x, row * y, columns * x, rows * y};
    }
};

Scale scaleOf(const PlanarImage& source, double width, double height) {
    return {double(source.width()) / width, double(source.height()) / height};
}

}  // namespace

PullView::PullView(Session& session, ImageView& view)
    : QObject(&view), m_session(session), m_view(view), m_input(session) {
    connect(&view, &ImageView::probeChanged, this, [this] {
        if (m_painted.empty()) follow();
    });
    connect(&view, &ImageView::brushed, this, &PullView::brush);
    connect(&m_input, &PoolInput::changed, this, &PullView::follow);
    connect(&session, &Session::imageChanged, this, &PullView::clearPainted);
}

void PullView::setShown(bool shown) {
    m_shown = shown;
    m_view.setBrushable(shown);
    m_input.setWanted(m_shown, m_showsWinners);
}

void PullView::setShowsWinners(bool shown) {
    m_showsWinners = shown;
    m_input.setWanted(m_shown, m_showsWinners);
}

void PullView::say(const QString& reason) {
    if (reason == m_reason) return;
    m_reason = reason;
    Q_EMIT reasonChanged(reason);
}

iir2d::Shape PullView::pooledShape() const {
    if (!m_input.operation() || !m_input.input()) return {.w = 0};
    return validate(Operation{.what = *m_input.operation()}, m_input.input()->pixels.view().shape)
        .value_or(iir2d::Shape{.w = 0});
}

std::optional<PullView::Pixel> PullView::pooledPixel(const QPoint& sourcePixel) const {
    const ImagePtr image = m_session.image();
    const iir2d::Shape pooled = pooledShape();
    if (!image || pooled.w == 0) return std::nullopt;
    const auto scaled = [](int at, std::int64_t from, std::int64_t to) {
        return std::clamp<std::int64_t>((2 * std::int64_t(at) + 1) * to / (2 * from), 0, to - 1);
    };
    return Pixel{scaled(sourcePixel.x(), image->pixels.width(), pooled.w),
                 scaled(sourcePixel.y(), image->pixels.height(), pooled.h)};
}

std::vector<UpstreamGradient> PullView::painted() const {
    const iir2d::Shape pooled = pooledShape();
    std::vector<UpstreamGradient> all;
    for (const auto& [pixel, gradient] : m_painted) {
        if (pixel.first < pooled.w && pixel.second < pooled.h)
            all.push_back({.x = pixel.first, .y = pixel.second, .gradient = gradient});
    }
    return all;
}

void PullView::paintHere(bool negative) {
    const auto probe = m_view.probedPixel();
    if (m_shown && probe) brush(*probe, true, negative);
}

void PullView::brush(const QPoint& sourcePixel, bool starts, bool negative) {
    const auto pixel = pooledPixel(sourcePixel);
    if (!m_shown || !pixel) return;
    const double gradient = negative ? -1.0 : 1.0;
    if (starts) {
        const auto found = m_painted.find(*pixel);
        m_erases = found != m_painted.end() && found->second == gradient;
    }
    if (!paint(*pixel, gradient)) return;
    if (starts) return follow();
    // Once for all pixels that one move of the mouse came across.
    if (std::exchange(m_pending, true)) return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_pending = false;
            follow();
        },
        Qt::QueuedConnection);
}

bool PullView::paint(Pixel pixel, double gradient) {
    const bool hadAny = hasPainted();
    bool isOther = false;
    if (m_erases) {
        isOther = m_painted.erase(pixel) > 0;
    } else if (m_painted.contains(pixel) || m_painted.size() < mostPainted) {
        double& value = m_painted[pixel];
        isOther = std::exchange(value, gradient) != gradient;
    } else {
        say(tr("No more than %1 pixels can be painted").arg(mostPainted));
    }
    if (hasPainted() != hadAny) Q_EMIT paintedChanged(hasPainted());
    return isOther;
}

void PullView::clearPainted() {
    if (m_painted.empty()) return;
    m_painted.clear();
    Q_EMIT paintedChanged(false);
    follow();
}

void PullView::follow() {
    const std::shared_ptr<const Image> input = m_input.input();
    // Before and after are of the operation that is looked at.
    m_view.setInput(input && !m_input.isSource() ? input : nullptr, m_input.operationName());
    showWinners();
    const auto& operation = m_input.operation();
    const QString reason = !m_input.reason().isEmpty() ? m_input.reason() : m_input.winnersReason();
    if (!m_shown || !operation || !input || !m_session.image()) {
        m_view.setPulls({});
        return say(reason);
    }
    say(reason);
    showPulls(*operation, *input);
}

void PullView::showWinners() {
    const auto winners = m_input.winners();
    if (!m_showsWinners || !winners) return m_view.setWinners(nullptr, {});
    const QString share = QLocale().toString(100.0 * winners->share(), 'f', 1);
    m_view.setWinners(winners, tr("%1 takes %2 % of the samples").arg(m_input.operationName(), share));
}

void PullView::showPulls(const PoolOperation& operation, const Image& input) {
    const iir2d::Shape pooled = pooledShape();
    const auto probe = m_view.probedPixel();
    std::vector<UpstreamGradient> upstream = painted();
    const bool isPainted = hasPainted();
    if (!isPainted && probe) {
        if (const auto pixel = pooledPixel(*probe))
            upstream.push_back({.x = pixel->first, .y = pixel->second});
    }
    if (upstream.empty() || pooled.w == 0) {
        if (isPainted) say(tr("The pooled image is smaller now: no painted pixel is in it"));
        return m_view.setPulls({});
    }

    // The mean over the colours: each channel may have its maximum elsewhere.
    const Scale scale =
        scaleOf(m_session.image()->pixels, double(input.pixels.width()), double(input.pixels.height()));
    const Scale pooledScale = scaleOf(m_session.image()->pixels, double(pooled.w), double(pooled.h));
    const std::vector<int> channels = colourChannels(input);
    PullPicture picture;
    for (const int channel : channels) {
        const auto found = input_gradient(operation, input.pixels, channel, upstream);
        if (!found) {
            m_view.setPulls({});
            return say(QString::fromStdString(found.error().message));
        }
        picture.marks.resize(found->size());
        for (std::size_t i = 0; i < found->size(); ++i) {
            const SampleGradient& pull = (*found)[i];
            picture.marks[i].area = scale.area(double(pull.x), double(pull.y), 1.0, 1.0);
            picture.marks[i].weight += pull.weight / double(channels.size());
        }
    }
    double sum = 0.0;
    for (const UpstreamGradient& pixel : upstream) {
        sum += pixel.gradient;
        if (isPainted) {
            picture.painted.push_back({.area = pooledScale.area(double(pixel.x), double(pixel.y), 1.0, 1.0),
                                       .weight = pixel.gradient});
        }
    }
    const double total = std::accumulate(picture.marks.begin(), picture.marks.end(), 0.0,
                                         [](double all, const PullMark& mark) { return all + mark.weight; });
    const auto number = [](double value) { return QLocale().toString(value, 'g', 4); };
    picture.caption = isPainted ? tr("%1: %n painted pixel(s), gradient %2; pulls add up to %3", nullptr,
                                     int(upstream.size()))
                                      .arg(m_input.operationName(), number(sum), number(total))
                                : tr("%1: pixel %2, %3; pulls add up to %4")
                                      .arg(m_input.operationName())
                                      .arg(upstream[0].x)
                                      .arg(upstream[0].y)
                                      .arg(number(total));
    m_view.setPulls(std::move(picture));
}

}  // namespace workbench
