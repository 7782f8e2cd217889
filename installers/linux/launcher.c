// SPDX-License-Identifier: MIT
// AppRun, the first program of AppImage and portable tree: finds the tree by its own place, sees that the
// system is new enough, lets the libraries that the system lacks be taken from usr/lib/fallback, and becomes
// iir2d-workbench, or iir2d where it is called by that name or with --cli first. Linked statically, so that
// it can say what is missing.
#define _GNU_SOURCE
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { failed = 1, longest_list = 1 << 16 };
static const int oldest_glibc = 36;  // 2.36, Debian 12's
static const char* const usual_folders[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};

// A whole file in memory; size 0 where it cannot be read.
struct bytes {
    const char* data;
    size_t size;
};

static struct bytes map_file(const char* path) {
    struct bytes file = {NULL, 0};
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return file;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void* data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (data != MAP_FAILED) file = (struct bytes){data, (size_t)status.st_size};
    }
    close(descriptor);
    return file;
}

static void unmap(struct bytes file) {
    if (file.size > 0) munmap((void*)(uintptr_t)file.data, file.size);
}

// ld.so.cache as glibc 2.32 and newer write it (dl-cache.h).
struct cache_entry {
    int32_t flags;
    uint32_t name;
    uint32_t path;
    uint32_t os_version;
    uint64_t capabilities;
};
enum { cache_header = 48, x86_64_library = 0x0303 };

// A text of the cache; NULL where it does not end within it.
static const char* cache_text(struct bytes cache, uint32_t offset) {
    if (offset >= cache.size || memchr(cache.data + offset, '\0', cache.size - offset) == NULL) return NULL;
    return cache.data + offset;
}

// Where the system's loader finds a library, links followed; false where it has none.
static bool find_library(struct bytes cache, const char* name, char* path) {
    static const char magic[] = "glibc-ld.so.cache1.1";
    if (cache.size > cache_header && memcmp(cache.data, magic, sizeof magic - 1) == 0) {
        uint32_t count = 0;
        memcpy(&count, cache.data + sizeof magic - 1, sizeof count);
        for (uint32_t i = 0; i < count && cache_header + (i + 1) * sizeof(struct cache_entry) <= cache.size;
             ++i) {
            struct cache_entry entry;
            memcpy(&entry, cache.data + cache_header + i * sizeof entry, sizeof entry);
            if (entry.flags != x86_64_library || entry.capabilities != 0) continue;
            const char* known = cache_text(cache, entry.name);
            const char* place = cache_text(cache, entry.path);
            if (known == NULL || place == NULL || strcmp(known, name) != 0) continue;
            if (realpath(place, path) != NULL) return true;
        }
    }
    for (size_t i = 0; i < sizeof usual_folders / sizeof *usual_folders; ++i) {
        char place[PATH_MAX];
        snprintf(place, sizeof place, "%s/%s", usual_folders[i], name);
        const struct bytes file = map_file(place);
        const bool usable = file.size > EI_CLASS && memcmp(file.data, ELFMAG, SELFMAG) == 0 &&
                            file.data[EI_CLASS] == ELFCLASS64;
        unmap(file);
        if (usable && realpath(place, path) != NULL) return true;
    }
    return false;
}

// The N of the newest GLIBC_2.N that libc defines; -1 where there is none.
static int glibc_of(const char* path) {
    static const char prefix[] = "GLIBC_2.";
    const struct bytes file = map_file(path);
    int newest = -1;
    const char* at = file.data;
    while (file.size > 0 &&
           (at = memmem(at, file.size - (size_t)(at - file.data), prefix, sizeof prefix - 1)) != NULL) {
        at += sizeof prefix - 1;
        int number = 0;
        int digits = 0;
        for (; at + digits < file.data + file.size && isdigit((unsigned char)at[digits]) && digits < 4;
             ++digits)
            number = 10 * number + (at[digits] - '0');
        if (digits > 0 && number > newest) newest = number;
    }
    unmap(file);
    return newest;
}

static bool has_text(const char* path, const char* text) {
    const struct bytes file = map_file(path);
    const bool found = file.size > 0 && memmem(file.data, file.size, text, strlen(text) + 1) != NULL;
    unmap(file);
    return found;
}

// The number after the dot that `text` is at, and `text` after it; -1 where there is no dot.
static long next_number(const char** text) {
    if (**text != '.') return -1;
    long number = 0;
    for (++*text; isdigit((unsigned char)**text) && number < 100000000; ++*text)
        number = 10 * number + (**text - '0');
    return number;
}

// Compares the numbers at the end of file names, as in libX11.so.6.4.0; a name without any is older than one
// with some.
static int compare_versions(const char* one, const char* other) {
    const char* a = strstr(one, ".so");
    const char* b = strstr(other, ".so");
    a = a != NULL ? a + 3 : "";
    b = b != NULL ? b + 3 : "";
    while (*a != '\0' || *b != '\0') {
        const long left = next_number(&a);
        const long right = next_number(&b);
        if (left != right) return left < right ? -1 : 1;
        if (left < 0) break;
    }
    return 0;
}

// Whether the system's own library serves: it is there, is called at least what ours is, and defines
// `symbols` where that is not "-".
static bool system_has(struct bytes cache, const char* name, const char* ours, const char* symbols) {
    char path[PATH_MAX];
    if (!find_library(cache, name, path)) return false;
    const char* file = strrchr(path, '/');
    if (compare_versions(file != NULL ? file + 1 : path, ours) < 0) return false;
    return strcmp(symbols, "-") == 0 || has_text(path, symbols);
}

// LD_LIBRARY_PATH with the folders of the libraries that the system lacks in front. fallback/libraries.txt
// has a line for each: name, file, newest version of its symbols.
static void use_fallback(struct bytes cache, const char* tree) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/usr/lib/fallback/libraries.txt", tree);
    FILE* list = fopen(path, "re");
    if (list == NULL) return;
    char* folders = calloc(1, longest_list);
    char name[128], file[128], symbols[128];
    size_t used = 0;
    while (folders != NULL && fscanf(list, "%127s %127s %127s", name, file, symbols) == 3) {
        if (system_has(cache, name, file, symbols)) continue;
        const int added = snprintf(folders + used, longest_list - used, "%s%s/usr/lib/fallback/%s",
                                   used > 0 ? ":" : "", tree, name);
        if (added > 0 && used + (size_t)added < longest_list) used += (size_t)added;
    }
    fclose(list);
    const char* before = getenv("LD_LIBRARY_PATH");
    if (used > 0 && before != NULL && *before != '\0' && used + strlen(before) + 2 < longest_list) {
        folders[used++] = ':';
        memcpy(folders + used, before, strlen(before) + 1);
    }
    if (used > 0) setenv("LD_LIBRARY_PATH", folders, 1);
    free(folders);
}

static const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int main(int argc, char** argv) {
    char tree[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", tree, sizeof tree - 1);
    if (length > 0) {
        tree[length] = '\0';
    } else if (realpath((const char*)getauxval(AT_EXECFN), tree) ==
               NULL) {  // NOLINT(performance-no-int-to-ptr)
        fprintf(stderr, "iir2d-workbench: error: its own place is not known: %s\n", strerror(errno));
        return failed;
    }
    *strrchr(tree, '/') = '\0';

    bool command_line = argc > 0 && strcmp(base_name(argv[0]), "iir2d") == 0;
    if (argc > 1 && strcmp(argv[1], "--cli") == 0) {
        command_line = true;
        argv[1] = argv[0];
        ++argv;
    }
    const char* program = command_line ? "iir2d" : "iir2d-workbench";

    __builtin_cpu_init();
    if (!__builtin_cpu_supports("x86-64-v2")) {
        fprintf(stderr,
                "%s: error: this processor is older than x86-64-v2 (SSE4.2), which the program needs\n",
                program);
        return failed;
    }
    const struct bytes cache = map_file("/etc/ld.so.cache");
    char libc[PATH_MAX];
    const int glibc = find_library(cache, "libc.so.6", libc) ? glibc_of(libc) : -1;
    if (glibc < oldest_glibc) {
        char found[32] = "none was found";
        if (glibc >= 0) snprintf(found, sizeof found, "this is 2.%d", glibc);
        fprintf(stderr, "%s: error: it needs the GNU C library 2.%d or newer, and %s\n", program,
                oldest_glibc, found);
        return failed;
    }
    use_fallback(cache, tree);
    unmap(cache);

    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/usr/bin/%s", tree, program);
    execv(path, argv);
    fprintf(stderr, "%s: error: %s could not be started: %s\n", program, path, strerror(errno));
    return failed;
}
