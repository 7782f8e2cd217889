// SPDX-License-Identifier: MIT
// The program at the beginning of an AppImage (type 2): mounts the squashfs image behind it, or unpacks it
// where that cannot be, and becomes the AppRun in it, so that signals and exit codes are the program's own.
// Linked statically.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appimage_file.h"

#ifndef IIR2D_VERSION
#define IIR2D_VERSION "unknown"
#endif

enum { bad_argument = 2, bad_file = 3, not_written = 6 };
static const char option_prefix[] = "--appimage-";

static const char help[] =
    "This file is an AppImage: a program with all that it needs. Options of the AppImage itself:\n"
    "  --appimage-help               this text\n"
    "  --appimage-version            the version of what runs it\n"
    "  --appimage-offset             where its squashfs image begins\n"
    "  --appimage-extract [PATTERN]  unpack it, or the files that match, to ./squashfs-root\n"
    "  --appimage-mount              mount it, say where, and wait to be stopped\n"
    "  --appimage-extract-and-run    unpack it to the cache and start it from there, with the rest of the "
    "arguments\n"
    "Called by the name iir2d, or with --cli first, it is the command line; else the window opens.\n"
    "Environment: TARGET_APPIMAGE=FILE works on that AppImage; APPIMAGE_EXTRACT_AND_RUN=1 is the option of "
    "that name.\n";

static int become(const struct appimage* image, const char* folder, char** argv) {
    char path[PATH_MAX + 16];
    char here[PATH_MAX];
    setenv("APPDIR", folder, 1);
    setenv("APPIMAGE", image->path, 1);
    if (argv[0] != NULL) setenv("ARGV0", argv[0], 1);
    if (getcwd(here, sizeof here) != NULL) setenv("OWD", here, 1);
    snprintf(path, sizeof path, "%s/AppRun", folder);
    execv(path, argv);
    fprintf(stderr, "AppImage: error: %s could not be started: %s\n", path, strerror(errno));
    return not_written;
}

static int extract_here(const struct appimage* image, const char* pattern) {
    if (mkdir("squashfs-root", 0755) != 0 && errno != EEXIST) {
        fprintf(stderr, "AppImage: error: squashfs-root could not be made: %s\n", strerror(errno));
        return not_written;
    }
    return appimage_extract(image, "squashfs-root", pattern, true) ? 0 : not_written;
}

static int mount_and_wait(const struct appimage* image) {
    char folder[PATH_MAX];
    const char* reason = NULL;
    if (!appimage_mount(image, folder, sizeof folder, &reason)) {
        fprintf(stderr, "AppImage: error: %s\n", reason);
        return not_written;
    }
    printf("%s\n", folder);
    fflush(stdout);
    // A signal ends this process, and with it the mount.
    for (;;) pause();
}

static int run_from_cache(const struct appimage* image, char** argv) {
    char folder[PATH_MAX];
    if (!appimage_extract_to_cache(image, folder, sizeof folder)) {
        fprintf(stderr,
                "AppImage: error: it could be unpacked neither to the cache nor to the folder for temporary "
                "files\n");
        return not_written;
    }
    return become(image, folder, argv);
}

static int run(const struct appimage* image, char** argv) {
    char folder[PATH_MAX];
    const char* reason = NULL;
    if (appimage_mount(image, folder, sizeof folder, &reason)) return become(image, folder, argv);
    fprintf(stderr, "AppImage: %s: it is unpacked to the cache and starts from there\n", reason);
    return run_from_cache(image, argv);
}

int main(int argc, char** argv) {
    static char own[PATH_MAX];
    const char* chosen = getenv("TARGET_APPIMAGE");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the system gives it as a number
    const char* started = (const char*)getauxval(AT_EXECFN);
    if (realpath(chosen != NULL && *chosen != '\0' ? chosen : "/proc/self/exe", own) == NULL &&
        (chosen != NULL || started == NULL || realpath(started, own) == NULL)) {
        fprintf(stderr, "AppImage: error: %s could not be found: %s\n",
                chosen != NULL ? chosen : "its own file", strerror(errno));
        return bad_file;
    }
    unsetenv("TARGET_APPIMAGE");  // it is for this file, not for those that the program starts
    struct appimage image = {.path = own};
    const char* option = argc > 1 && strncmp(argv[1], option_prefix, sizeof option_prefix - 1) == 0
                             ? argv[1] + sizeof option_prefix - 1
                             : "";
    if (strcmp(option, "help") == 0) return fputs(help, stdout) < 0 ? not_written : 0;
    if (strcmp(option, "version") == 0)
        return printf("IIR2D Workbench AppImage runtime %s\n", IIR2D_VERSION) < 0 ? not_written : 0;
    if (!appimage_inspect(&image)) return bad_file;
    if (strcmp(option, "offset") == 0) return printf("%zu\n", image.offset) < 0 ? not_written : 0;
    if (strcmp(option, "extract") == 0) return extract_here(&image, argc > 2 ? argv[2] : NULL);
    if (strcmp(option, "mount") == 0) return mount_and_wait(&image);
    const char* always = getenv("APPIMAGE_EXTRACT_AND_RUN");
    if (strcmp(option, "extract-and-run") == 0) {
        argv[1] = argv[0];
        return run_from_cache(&image, argv + 1);
    }
    if (*option != '\0') {
        fprintf(stderr, "AppImage: error: there is no option %s (--appimage-help lists them)\n", argv[1]);
        return bad_argument;
    }
    return always != NULL && strcmp(always, "1") == 0 ? run_from_cache(&image, argv) : run(&image, argv);
}
