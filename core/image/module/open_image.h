// SPDX-License-Identifier: MIT
// From a file to a reader whose header makes sense.
#pragma once

#include <memory>
#include <string>

#include "core/image/codec.h"
#include "core/image/module/input_file.h"
#include "core/image/module/oiio_support.h"

namespace workbench {

struct OpenImage {
    std::unique_ptr<InputFile> file;          // under the reader, and so outlives it
    std::unique_ptr<OIIO::ImageInput> input;  // at the page or part that was asked for
    OIIO::ImageSpec spec;
    int image_index = 0;

    const std::string& path() const { return file->path(); }
    std::string words(const std::string& text) const {
        return library_words(text, file->name_to_open(), file->path());
    }
};

Result<OpenImage> open_image(const SourceFile& source, int image_index);

// OpenImageIO's name of the reader for a file; empty when there is none. Content decides, so that a
// mislabelled file opens; the name decides only for formats whose files have no mark. Nothing is tried out: a
// text file does not get to be parsed by thirty readers in turn.
std::string reader_for(InputFile& file);

// Lets a reader read the file: through it where the reader can, else under its name.
bool open_input(OIIO::ImageInput& input, InputFile& file, OIIO::ImageSpec& spec);

// Returns what the header says, for those who do not know OpenImageIO.
ImageInfo describe(const OpenImage& file);

}  // namespace workbench
