// SPDX-License-Identifier: MIT
#include "ui/window/info_bar.h"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "ui/picture/pixel_text.h"
#include "ui/picture/view_transform.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tuning/live_choice.h"
#include "ui/tuning/tuning_words.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"
#include "ui/window/device_panel.h"

namespace workbench {

namespace {

constexpr std::size_t mostChoices = 12;  // in a menu

}  // namespace

InfoBar::InfoBar(Session& session, LiveChoice& choice, QWidget* parent)
    : QWidget(parent), m_session(session), m_choice(choice) {
    setObjectName(QStringLiteral("infoBar"));
    auto* layout = makeRow(this, 2 * normalSpacing, {normalSpacing, 0, 0, 0});
    const QFont figures = tabularFont();
    const auto field = [&](const QString& name, const QString& widest) {
        auto* label = new ElidedLabel(this);
        label->setAccessibleName(name);
        label->setFont(figures);
        // As wide as it ever gets, so that its neighbours stay where they are.
        if (!widest.isEmpty()) label->setFixedWidth(QFontMetrics(figures).horizontalAdvance(widest) + 2);
        layout->addWidget(label);
        return label;
    };
    m_position = field(tr("Position"), QStringLiteral("00000, 00000"));
    m_values = field(tr("Source and result at the position"), {});
    m_values->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_image = field(tr("Image"), {});
    m_nonFinite = field(tr("Samples that are not numbers"), {});
    m_zoom = field(tr("Zoom"), QStringLiteral("12800 %"));
    m_mark = field(tr("Proxy or exact"), tr("computing"));
    m_run = field(tr("Time of the last run"), QStringLiteral("000.0 ms"));
    m_image->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_zoom->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_run->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_nonFinite->setTone(ElidedLabel::Tone::warning);
    m_nonFinite->hide();

    m_config = new QToolButton(this);
    m_config->setObjectName(QStringLiteral("configBadge"));
    m_config->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_config->setIcon(themedIcon(QStringLiteral("tuning")));
    m_config->setAutoRaise(true);
    m_config->setFocusPolicy(Qt::TabFocus);
    m_config->setPopupMode(QToolButton::InstantPopup);
    m_configs = new QMenu(m_config);
    m_config->setMenu(m_configs);
    m_oneConfig = new QActionGroup(this);
    layout->addWidget(m_config);
    connect(m_configs, &QMenu::aboutToShow, this, &InfoBar::fillChoices);
    connect(&choice, &LiveChoice::changed, this, &InfoBar::showChoice);

    m_device = new QToolButton(this);
    m_device->setObjectName(QStringLiteral("deviceBadge"));
    m_device->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_device->setIcon(themedIcon(QStringLiteral("device")));
    m_device->setAutoRaise(true);
    m_device->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(m_device);
    connect(m_device, &QToolButton::clicked, this, &InfoBar::deviceClicked);

    connect(&session, &Session::imageChanged, this, &InfoBar::showImage);
    connect(&session, &Session::frameChanged, this, [this] {
        showProbe();
        showRun();
    });
    connect(&session, &Session::statusChanged, this, &InfoBar::showProbe);
    connect(&session, &Session::deviceChanged, this, &InfoBar::showDevice);
    showImage();
    showDevice();
    showChoice();
}

void InfoBar::setProbe(std::optional<QPoint> sourcePixel) {
    m_probe = sourcePixel;
    showProbe();
}

void InfoBar::showZoom(const ViewTransform& view) {
    m_zoom->setFullText(m_session.image() && view.hasView() ? zoomText(view.zoom()) : QString(),
                        tr("Screen pixels for each pixel of the image"));
}

void InfoBar::setMark(const ViewMark& mark) {
    using Tone = ElidedLabel::Tone;
    QString state;
    Tone tone = Tone::muted;
    switch (mark.kind) {
        case ViewMark::Kind::proxy:
        case ViewMark::Kind::computing:
            state = mark.kind == ViewMark::Kind::proxy ? tr("proxy") : tr("computing");
            tone = Tone::warning;
            break;
        case ViewMark::Kind::exact:
            state = tr("exact");
            tone = Tone::success;
            break;
        case ViewMark::Kind::failed:
            state = tr("failed");
            tone = Tone::error;
            break;
        default:
            break;
    }
    m_mark->setFullText(state, mark.text);
    m_mark->setTone(tone);
}

void InfoBar::showImage() {
    const ImagePtr image = m_session.image();
    m_image->setVisible(image != nullptr);
    if (!image) {
        m_nonFinite->hide();
        showProbe();
        showRun();
        return;
    }
    const ImageInfo& info = image->info;
    QStringList facts{fromPath(info.path), summaryText(info),
                      tr("Format: %1").arg(QString::fromStdString(info.format))};
    if (!info.colour_space.empty()) {
        facts << tr("Colour space: %1").arg(QString::fromStdString(info.colour_space));
    }
    facts << tr("In memory: %1").arg(bytesText(info.memory_bytes));
    m_image->setFullText(summaryText(info), facts.join(QLatin1Char('\n')));

    const QString nonFinite = nonFiniteText(m_session.statistics());
    m_nonFinite->setVisible(!nonFinite.isEmpty());
    QStringList byChannel;
    const auto& statistics = m_session.statistics();
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        byChannel << tr("%1: %2 NaN, %3 infinite")
                         .arg(channelName(info, int(i)))
                         .arg(statistics[i].nan_count)
                         .arg(statistics[i].infinity_count);
    }
    m_nonFinite->setFullText(
        nonFinite, tr("NaN is shown in magenta.") + QLatin1Char('\n') + byChannel.join(QLatin1Char('\n')));
    showProbe();
    showRun();
}

void InfoBar::showProbe() {
    const ImagePtr source = m_session.image();
    if (!source || !m_probe) {
        m_position->setFullText({}, tr("Pixel under the cursor"));
        m_values->setFullText({}, tr("Values under the cursor"));
        return;
    }
    m_position->setFullText(QStringLiteral("%1, %2").arg(m_probe->x()).arg(m_probe->y()),
                            tr("Pixel under the cursor: column, row"));
    QString values = pixelText(*source, m_probe->x(), m_probe->y());
    const auto& frame = m_session.frame();
    const bool hasFailed = m_session.status().state == PreviewStatus::State::failed;
    if (!hasFailed && frame && frame->result && !frame->result->pixels.empty()) {
        const Image& result = *frame->result;
        const auto scaled = [](int at, std::int64_t from, std::int64_t to) {
            return std::clamp<std::int64_t>((2 * std::int64_t(at) + 1) * to / (2 * from), 0, to - 1);
        };
        const auto x = scaled(m_probe->x(), source->pixels.width(), result.pixels.width());
        const auto y = scaled(m_probe->y(), source->pixels.height(), result.pixels.height());
        const bool isExact = m_session.exactResult() == frame->result;
        // What the proxy says is near the truth, not the truth.
        values += (isExact ? QStringLiteral("  →  ") : QStringLiteral("  →  ≈ ")) + pixelText(result, x, y);
        if (isExact && (result.pixels.width() != source->pixels.width() ||
                        result.pixels.height() != source->pixels.height())) {
            values += tr("  at %1, %2").arg(x).arg(y);
        }
    }
    m_values->setFullText(values);
}

void InfoBar::showRun() {
    const auto& frame = m_session.frame();
    if (!frame) {
        m_run->setFullText({}, tr("Time of the last run"));
        return;
    }
    const double milliseconds = double(frame->compute_time.count()) / 1e6;
    if (milliseconds <= 0.0) {
        m_run->setFullText(QStringLiteral("–"), tr("Nothing was computed: no operation is on"));
        return;
    }
    QString what = frame->quality == PreviewQuality::exact ? tr("Kernel time of the exact result")
                                                           : tr("Kernel time of the proxy");
    if (frame->gpu_time) {
        for (const auto& [label, value] : runParts(*frame->gpu_time))
            what += QLatin1Char('\n') + tr("%1: %2").arg(label, value);
    }
    m_run->setFullText(computeTimeText(milliseconds), what);
}

// One that has nothing to choose is left out.
void InfoBar::showChoice() {
    const QString badge = m_choice.badge();
    m_config->setVisible(!badge.isEmpty());
    const auto marked = [this](const QString& config) {
        return m_choice.isPinned() ? tr("%1 (pinned)").arg(config) : config;
    };
    const QString whole = marked(badge);
    const QString shown =
        fontMetrics().elidedText(badge, Qt::ElideRight, 24 * fontMetrics().averageCharWidth());
    m_config->setText(QLatin1Char(' ') + marked(shown));
    m_config->setAccessibleName(tr("Executed by: %1").arg(whole));
    m_config->setToolTip(m_choice.toolTip());
    m_config->setAccessibleDescription(m_choice.toolTip());
}

// The candidates of the first operation, the best first.
void InfoBar::fillChoices() {
    m_configs->clear();
    if (m_choice.steps().empty()) return;
    const LiveStep& first = m_choice.steps().front();
    const auto& pin = m_session.pinnedConfig();
    QAction* const choose =
        m_configs->addAction(tr("&Let it be chosen"), this, [this] { m_session.pinConfig(std::nullopt); });
    choose->setCheckable(true);
    choose->setChecked(!pin);
    m_oneConfig->addAction(choose);
    m_configs->addAction(tr("&Why this one…"), this,
                         [this, spec = first.spec] { Q_EMIT decisionAsked(spec); });
    m_configs->addSeparator();
    for (const iir2d::RankedConfig& one : m_choice.offers(mostChoices)) {
        QString text = toText(iir2d::text_of(one.config));
        if (one.predicted_ratio) text += QStringLiteral("   ") + gainWords(*one.predicted_ratio);
        QAction* const action =
            m_configs->addAction(text, this, [this, config = one.config] { m_session.pinConfig(config); });
        action->setCheckable(true);
        action->setChecked(pin && *pin == one.config);
        m_oneConfig->addAction(action);
    }
}

void InfoBar::showDevice() {
    const iir2d::DeviceChoice& choice = m_session.device();
    const QString badge = deviceBadgeText(choice.device);
    m_device->setText(QLatin1Char(' ') + badge);  // Fusion sets the text against the icon
    m_device->setAccessibleName(tr("Device: %1").arg(badge));
    const QString why = toText(choice.device.name()) + QLatin1Char('\n') + toSentence(choice.reason);
    m_device->setToolTip(why);
    m_device->setAccessibleDescription(why);
}

}  // namespace workbench
