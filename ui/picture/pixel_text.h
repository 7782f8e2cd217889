// SPDX-License-Identifier: MIT
// Writes pixels and images as text, in the file's own numbers. Pure functions.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <utility>

#include "core/image/image.h"
#include "iir2d/device.h"

namespace workbench {

// Returns a sample as the file would hold it: 8-bit files count 0..255, 16-bit ones 0..65535, ten-bit ones
// 0..1023, float files as they are. Not clamped, so that a result that a save would clip shows that it would
// be.
QString sampleText(double sample, const ImageInfo& info);
// Returns all channels of a pixel (at most `limit`, then an ellipsis): "R 12  G 34  B 56". Empty outside the
// image.
QString pixelText(const Image& image, std::int64_t x, std::int64_t y, int limit = 4);

// Returns "R", "G", "B", "A" or "Y" for the usual ones, the file's own name otherwise.
QString channelName(const ImageInfo& info, int channel);
// Returns "512 × 512 · RGB · 8-bit".
QString summaryText(const ImageInfo& info);
// Returns "8-bit", "16-bit", "half float", ...
QString typeText(const ImageInfo& info);
// Returns "3 NaN, 1 infinite"; empty when every sample is finite.
QString nonFiniteText(const std::vector<ChannelStatistics>& statistics);
// Returns "1.5 GiB".
QString bytesText(std::uint64_t bytes);
// Returns "12.3 ms", "1.23 s".
QString computeTimeText(double milliseconds);
// Returns where the time of a run on a GPU went, a label and a text each: "Upload", "1.23 ms, 12 MiB".
QList<std::pair<QString, QString>> runParts(const iir2d::RunTimes& times);
// Returns "100 %", "6.25 %".
QString zoomText(double zoom);

// Returns whether the samples are linear light and need the sRGB curve before a screen shows them.
bool isSceneLinear(const ImageInfo& info);

}  // namespace workbench
