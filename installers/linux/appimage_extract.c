// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appimage_file.h"

enum { block = 1 << 20 };

static bool fail_to_write(const char* path) {
    fprintf(stderr, "AppImage: error: %s could not be written: %s\n", path, strerror(errno));
    return false;
}

static bool write_file(sqfs* fs, sqfs_inode* inode, const char* path, char* buffer) {
    const int descriptor =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (inode->base.mode & 0777) | 0600);
    if (descriptor < 0) return fail_to_write(path);
    bool done = true;
    const sqfs_off_t size = (sqfs_off_t)inode->xtra.reg.file_size;
    for (sqfs_off_t at = 0; done && at < size;) {
        sqfs_off_t count = block;
        if (sqfs_read_range(fs, inode, at, &count, buffer) != SQFS_OK || count <= 0) {
            fprintf(stderr, "AppImage: error: its file %s is damaged\n", path);
            close(descriptor);
            return false;
        }
        for (sqfs_off_t written = 0; done && written < count;) {
            const ssize_t now = write(descriptor, buffer + written, (size_t)(count - written));
            done = now > 0 || (now < 0 && errno == EINTR);
            if (now > 0) written += now;
        }
        at += count;
    }
    if (done) done = fchmod(descriptor, inode->base.mode & 0777) == 0;
    if (!done) fail_to_write(path);
    close(descriptor);
    return done;
}

// The folders above a path below `folder`.
static void make_folders(const char* folder, const char* path) {
    char place[PATH_MAX];
    for (const char* slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(place, sizeof place, "%s/%.*s", folder, (int)(slash - path), path);
        mkdir(place, 0755);
    }
}

static bool write_entry(sqfs* fs, const sqfs_traverse* at, const char* folder, char* buffer) {
    char path[PATH_MAX];
    char target[PATH_MAX];
    sqfs_inode inode;
    if (snprintf(path, sizeof path, "%s/%s", folder, at->path) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return fail_to_write(at->path);
    }
    if (sqfs_inode_get(fs, &inode, at->entry.inode) != SQFS_OK) {
        fprintf(stderr, "AppImage: error: its entry %s is damaged\n", at->path);
        return false;
    }
    make_folders(folder, at->path);
    if (S_ISDIR(inode.base.mode)) return mkdir(path, 0755) == 0 || errno == EEXIST || fail_to_write(path);
    if (S_ISREG(inode.base.mode)) return write_file(fs, &inode, path, buffer);
    size_t size = sizeof target;
    if (S_ISLNK(inode.base.mode) && sqfs_readlink(fs, &inode, target, &size) == SQFS_OK)
        return symlink(target, path) == 0 || fail_to_write(path);
    fprintf(stderr, "AppImage: error: its entry %s is neither file nor folder nor link\n", at->path);
    return false;
}

bool appimage_extract(const struct appimage* image, const char* folder, const char* pattern, bool say) {
    sqfs fs;
    if (sqfs_open_image(&fs, image->path, image->offset) != SQFS_OK) return false;
    sqfs_traverse at;
    sqfs_err error = sqfs_traverse_open(&at, &fs, sqfs_inode_root(&fs));
    char* buffer = malloc(block);
    bool done = error == SQFS_OK && buffer != NULL;
    bool any = false;
    while (done && sqfs_traverse_next(&at, &error)) {
        if (at.dir_end || (pattern != NULL && fnmatch(pattern, at.path, FNM_LEADING_DIR) != 0)) continue;
        any = true;
        if (say) printf("%s/%s\n", folder, at.path);
        done = write_entry(&fs, &at, folder, buffer);
    }
    if (error != SQFS_OK) {
        fprintf(stderr, "AppImage: error: %s is damaged\n", image->path);
        done = false;
    } else if (done && !any) {
        fprintf(stderr, "AppImage: error: nothing in it is called %s\n",
                pattern != NULL ? pattern : "anything");
        done = false;
    }
    free(buffer);
    sqfs_traverse_close(&at);
    sqfs_destroy(&fs);
    sqfs_fd_close(fs.fd);
    return done;
}

static int remove_tree_at(int parent, const char* name) {
    if (unlinkat(parent, name, 0) == 0) return 0;
    const int descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return -1;
    fchmod(descriptor, 0700);
    DIR* folder = fdopendir(descriptor);
    const struct dirent* entry = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_tree_at(descriptor, entry->d_name);
    }
    if (folder != NULL) closedir(folder);
    return unlinkat(parent, name, AT_REMOVEDIR);
}

// A folder of this user alone, made where it is missing.
static bool private_folder(const char* path) {
    struct stat status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 022) == 0 && access(path, W_OK) == 0;
}

// Folders of other versions, and of runs that were killed, which no process holds.
static void remove_older(const char* base, const char* keep) {
    DIR* folder = opendir(base);
    const struct dirent* entry = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char* name = entry->d_name;
        if ((strncmp(name, "appimage-", 9) != 0 && strncmp(name, ".appimage-", 10) != 0) ||
            strcmp(name, keep) == 0)
            continue;
        const int held = openat(dirfd(folder), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (held < 0) continue;
        if (flock(held, LOCK_EX | LOCK_NB) == 0) remove_tree_at(dirfd(folder), name);
        close(held);
    }
    if (folder != NULL) closedir(folder);
}

// Holds a whole folder: the descriptor stays open in what this process becomes. Not one that is just being
// removed, nor where nothing may be started from it.
static bool hold(const char* path) {
    char program[PATH_MAX + 16];
    snprintf(program, sizeof program, "%s/AppRun", path);
    const int held = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (held < 0) return false;
    if (flock(held, LOCK_SH | LOCK_NB) == 0 && access(program, X_OK) == 0) return true;
    close(held);
    return false;
}

static bool extract_below(const struct appimage* image, const char* base, char* folder, size_t size) {
    char name[64];
    char part[PATH_MAX];
    snprintf(name, sizeof name, "appimage-%s", image->digest);
    if (!private_folder(base) || snprintf(folder, size, "%s/%s", base, name) >= (int)size ||
        snprintf(part, sizeof part, "%s/.%s.%ld", base, name, (long)getpid()) >= (int)sizeof part)
        return false;
    struct stat status;
    if (lstat(folder, &status) == 0 && status.st_uid == geteuid() && hold(folder)) return true;
    remove_older(base, name);
    if (mkdir(part, 0700) != 0) return false;
    const int held = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = held >= 0 && flock(held, LOCK_EX) == 0 && appimage_extract(image, part, NULL, false);
    if (done && rename(part, folder) != 0) {
        // Another process was faster, or what is there cannot be used.
        if (!hold(folder)) {
            remove_tree_at(AT_FDCWD, folder);
            done = rename(part, folder) == 0;
        }
    }
    if (held >= 0) close(held);  // and the lock goes
    remove_tree_at(AT_FDCWD, part);
    return done && hold(folder);
}

bool appimage_extract_to_cache(const struct appimage* image, char* folder, size_t size) {
    char base[PATH_MAX];
    const char* cache = getenv("XDG_CACHE_HOME");
    const char* home = getenv("HOME");
    const char* temporary = getenv("TMPDIR");
    base[0] = '\0';
    if (cache != NULL && *cache == '/') {
        snprintf(base, sizeof base, "%s", cache);
    } else if (home != NULL && *home == '/') {
        snprintf(base, sizeof base, "%s/.cache", home);
    }
    if (base[0] != '\0') {
        mkdir(base, 0700);
        strncat(base, "/iir2d-workbench", sizeof base - strlen(base) - 1);
        if (extract_below(image, base, folder, size)) return true;
    }
    snprintf(base, sizeof base, "%s/iir2d-workbench-%ld",
             temporary != NULL && *temporary == '/' ? temporary : "/tmp", (long)geteuid());
    return extract_below(image, base, folder, size);
}
