// SPDX-License-Identifier: MIT
// The AppImage as a file: an ELF program, then a squashfs image.
#pragma once

#include <squashfuse.h>
#include <stdbool.h>
#include <stddef.h>

enum { digest_length = 16 };

struct appimage {
    const char* path;
    size_t offset;                   // of the image: the ELF program's size
    char digest[digest_length + 1];  // the first hexadecimal digits of the image's SHA-256, as they were
                                     // written in when it was packed
};

// Where the ELF program at the beginning of a file ends; 0 where the file is none.
size_t appimage_elf_size(const char* path);

// Looks at the file; false, and a sentence on stderr, where it is no whole AppImage.
bool appimage_inspect(struct appimage* image);

// Writes the files whose path matches (fnmatch; all where it is NULL) below `folder`, which is there. Says
// each one's name on stdout where `say` is set. False, and a sentence on stderr, where one could not be
// written.
bool appimage_extract(const struct appimage* image, const char* folder, const char* pattern, bool say);

// Gives the folder in the user's cache, or else in the folder for temporary files, that has all of it; makes
// it where it is not there, and removes those of other versions that nobody uses. It stays in use until the
// program ends. False where it cannot be.
bool appimage_extract_to_cache(const struct appimage* image, char* folder, size_t size);

// Serves the image, mounted on a new folder, from a process of its own until this process ends, whatever it
// then is: then the mount and the folder go. False, with a reason, where there is no FUSE to do it with.
bool appimage_mount(const struct appimage* image, char* folder, size_t size, const char** reason);
