// SPDX-License-Identifier: MIT
// From a file to upright planes of float or double.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "core/image/codec.h"
#include "core/image/module/oiio_support.h"

namespace workbench {

// Chooses the reader by the file's content, refuses headers that cannot be true.
Result<std::unique_ptr<ImageDecoder>> open_decoder(const SourceFile& source, int image_index);

// Returns the names of all pages or parts.
Result<std::vector<std::string>> names_in(const SourceFile& source);

// Runs `body`; what OpenImageIO and its libraries throw becomes an error like any other.
template <class T, class Body>
Result<T> without_exceptions(const std::string& path, const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return bad_file(path, "needs more memory than there is");
    } catch (const std::exception& error) {
        return bad_file(path, "could not be read: " + library_words(error.what()));
    }
}

}  // namespace workbench
