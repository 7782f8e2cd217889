// SPDX-License-Identifier: MIT
// Inside core/image only: what an output does not say of the image in it.
#pragma once

#include <string>
#include <vector>

#include "core/image/codec.h"
#include "core/image/formats.h"
#include "core/image/image.h"

namespace workbench {

bool has_alpha(const OutputRequest& request);

// Returns whether colour was not multiplied by alpha where the samples come from. An image that came from no
// file has no alpha to speak of.
bool has_straight_alpha(const OutputRequest& request);

// Returns what the format cannot say or hold of this image, in sentences for the person who saves it.
std::vector<std::string> output_notes(const OutputRequest& request, const ImageInfo& info,
                                      const Format& format, SampleType wanted);

}  // namespace workbench
