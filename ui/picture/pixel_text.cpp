// SPDX-License-Identifier: MIT
#include "ui/picture/pixel_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace workbench {
namespace {

struct PixelWords {
    Q_DECLARE_TR_FUNCTIONS(PixelText)
};

double fullScale(const ImageInfo& info) {
    constexpr std::array<std::pair<SampleType, int>, 3> bitsOf = {
        {{SampleType::u8, 8}, {SampleType::u16, 16}, {SampleType::u32, 32}}};
    int bits = info.bits_per_sample;
    if (bits <= 0) {
        for (const auto& [type, width] : bitsOf) {
            if (type == info.type) bits = width;
        }
    }
    return std::ldexp(1.0, bits) - 1.0;
}

}  // namespace

QString sampleText(double sample, const ImageInfo& info) {
    if (std::isnan(sample)) return QStringLiteral("NaN");
    if (std::isinf(sample)) return sample > 0 ? QStringLiteral("+Inf") : QStringLiteral("−Inf");
    if (is_integer(info.type)) return QString::number(std::round(sample * fullScale(info)), 'f', 0);
    return QString::number(sample, 'g', info.type == SampleType::f64 ? 9 : 6);
}

QString pixelText(const Image& image, std::int64_t x, std::int64_t y, int limit) {
    const PlanarImage& pixels = image.pixels;
    if (x < 0 || y < 0 || x >= pixels.width() || y >= pixels.height()) return {};
    QStringList parts;
    for (int channel = 0; channel < std::min(pixels.channels(), limit); ++channel) {
        parts << channelName(image.info, channel) + QLatin1Char(' ') +
                     sampleText(pixels.at(x, y, channel), image.info);
    }
    if (pixels.channels() > limit) parts << QStringLiteral("…");
    return parts.join(QStringLiteral("  "));
}

QString channelName(const ImageInfo& info, int channel) {
    if (std::size_t(channel) < info.channel_names.size() &&
        !info.channel_names[std::size_t(channel)].empty()) {
        return QString::fromStdString(info.channel_names[std::size_t(channel)]);
    }
    return QString::number(channel + 1);
}

QString typeText(const ImageInfo& info) {
    switch (info.type) {
        case SampleType::f16:
            return PixelWords::tr("half float");
        case SampleType::f32:
            return PixelWords::tr("32-bit float");
        case SampleType::f64:
            return PixelWords::tr("64-bit float");
        default:
            break;
    }
    const int bits = info.bits_per_sample > 0       ? info.bits_per_sample
                     : info.type == SampleType::u8  ? 8
                     : info.type == SampleType::u16 ? 16
                                                    : 32;
    return PixelWords::tr("%1-bit").arg(bits);
}

QString summaryText(const ImageInfo& info) {
    QString channels;
    for (int channel = 0; channel < std::min(info.channels, 4); ++channel) {
        const QString name = channelName(info, channel);
        if (name.size() > 1) channels.clear();
        if (name.size() > 1) break;
        channels += name;
    }
    if (info.channels == 1) channels = PixelWords::tr("gray");
    if (info.channels > 4 || channels.isEmpty())
        channels = PixelWords::tr("%n channel(s)", nullptr, info.channels);
    return QStringLiteral("%1 × %2 · %3 · %4").arg(info.width).arg(info.height).arg(channels, typeText(info));
}

QString nonFiniteText(const std::vector<ChannelStatistics>& statistics) {
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    for (const auto& channel : statistics) {
        nans += channel.nan_count;
        infinities += channel.infinity_count;
    }
    QStringList parts;
    if (nans > 0) parts << PixelWords::tr("%1 NaN").arg(QLocale().toString(qlonglong(nans)));
    if (infinities > 0) parts << PixelWords::tr("%1 infinite").arg(QLocale().toString(qlonglong(infinities)));
    return parts.join(QStringLiteral(", "));
}

QString bytesText(std::uint64_t bytes) {
    return QLocale().formattedDataSize(qint64(std::min<std::uint64_t>(bytes, INT64_MAX)), 1);
}

QString computeTimeText(double milliseconds) {
    if (milliseconds >= 1000.0)
        return PixelWords::tr("%1 s").arg(QLocale().toString(milliseconds / 1000.0, 'f', 2));
    return PixelWords::tr("%1 ms").arg(QLocale().toString(milliseconds, 'f', milliseconds < 10.0 ? 2 : 1));
}

QList<std::pair<QString, QString>> runParts(const iir2d::RunTimes& times) {
    const auto transfer = [](double milliseconds, std::int64_t bytes) {
        return bytes == 0 ? PixelWords::tr("none")
                          : PixelWords::tr("%1, %2").arg(computeTimeText(milliseconds),
                                                         bytesText(std::uint64_t(bytes)));
    };
    return {{PixelWords::tr("Upload"), transfer(times.upload_ms, times.uploaded_bytes)},
            {PixelWords::tr("Compute"), computeTimeText(times.compute_ms)},
            {PixelWords::tr("Download"), transfer(times.download_ms, times.downloaded_bytes)}};
}

QString zoomText(double zoom) {
    const double percent = zoom * 100.0;
    const int decimals = percent < 10.0 ? 2 : percent < 100.0 && percent != std::floor(percent) ? 1 : 0;
    return QStringLiteral("%1 %").arg(QLocale().toString(percent, 'f', decimals));
}

bool isSceneLinear(const ImageInfo& info) {
    if (info.colour_space.empty()) return !is_integer(info.type);  // float files hold light unless they say
    const QString space = QString::fromStdString(info.colour_space).toLower();
    return space.contains(QLatin1String("linear"));
}

}  // namespace workbench
