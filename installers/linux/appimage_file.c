// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "appimage_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Packing (installers/linux/appimage.py) writes the SHA-256 of the image over the zeros.
#define DIGEST_MARK "squashfs-sha256="
__attribute__((used)) static const volatile char digest_place[] =
    DIGEST_MARK "0000000000000000000000000000000000000000000000000000000000000000";

size_t appimage_elf_size(const char* path) {
    Elf64_Ehdr header;
    FILE* file = fopen(path, "rbe");
    if (file == NULL) return 0;
    const bool is_read = fread(&header, sizeof header, 1, file) == 1;
    fclose(file);
    if (!is_read || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    return header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

// The digits after the mark in the ELF program.
static bool read_digest(const char* program, size_t size, char* digest) {
    const char* at = program;
    const char* end = program + size;
    while ((at = memmem(at, (size_t)(end - at), DIGEST_MARK, sizeof DIGEST_MARK - 1)) != NULL) {
        at += sizeof DIGEST_MARK - 1;
        if (end - at >= digest_length && strspn(at, "0123456789abcdef") >= digest_length) {
            memcpy(digest, at, digest_length);
            digest[digest_length] = '\0';
            return true;
        }
    }
    return false;
}

bool appimage_inspect(struct appimage* image) {
    const int descriptor = open(image->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        fprintf(stderr, "AppImage: error: %s could not be opened\n", image->path);
        if (descriptor >= 0) close(descriptor);
        return false;
    }
    const size_t size = (size_t)status.st_size;
    image->offset = appimage_elf_size(image->path);
    struct squashfs_super_block super = {0};
    const bool has_image =
        image->offset > 0 && size > image->offset + sizeof super &&
        pread(descriptor, &super, sizeof super, (off_t)image->offset) == (ssize_t)sizeof super &&
        super.s_magic == SQUASHFS_MAGIC;
    bool whole = false;
    if (has_image && image->offset + super.bytes_used <= size) {
        void* program = mmap(NULL, image->offset, PROT_READ, MAP_PRIVATE, descriptor, 0);
        whole = program != MAP_FAILED && read_digest(program, image->offset, image->digest);
        if (program != MAP_FAILED) munmap(program, image->offset);
    }
    close(descriptor);
    if (!whole)
        fprintf(stderr, "AppImage: error: %s %s\n", image->path,
                has_image ? "is not whole: fetch it again" : "has no image behind its program");
    return whole;
}
