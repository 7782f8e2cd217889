// SPDX-License-Identifier: MIT
// Inside core/image only: from a path to a reader whose header makes sense.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>

#include "core/image/image.h"
#include "core/image/oiio_support.h"
#include "core/support/error.h"

namespace workbench {

struct OpenImage {
    std::unique_ptr<OIIO::ImageInput> input;  // at the page or part that was asked for
    OIIO::ImageSpec spec;
    std::uint64_t file_size = 0;
    int image_index = 0;
};

// Chooses the reader by the file's content, refuses headers that cannot be true.
Result<OpenImage> open_image(const std::filesystem::path& path, int image_index);

// What the header says, for those who do not know OpenImageIO.
ImageInfo describe(const std::filesystem::path& path, const OpenImage& file);

std::uint64_t memory_for(const OIIO::ImageSpec& spec, bool as_double);

std::unexpected<Error> bad_file(const std::filesystem::path& path, const std::string& why);

// Runs `body`; what OpenImageIO and its libraries throw becomes an error like any other.
template <class T, class Body>
Result<T> without_exceptions(const std::filesystem::path& path, const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return bad_file(path, "needs more memory than there is");
    } catch (const std::exception& error) {
        return bad_file(path, "could not be read: " + library_words(error.what()));
    }
}

}  // namespace workbench
