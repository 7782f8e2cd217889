// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <ll.h>
#include <poll.h>
#include <signal.h>
#include <squashfuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "appimage_file.h"

static const char* const helper_names[] = {"fusermount3", "fusermount"};
static const char helper_folders[] = "/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin";

// FUSE's own program that mounts for users; it must be root's and setuid, or it can do nothing.
static bool find_helper(char* path, size_t size) {
    const char* search = getenv("PATH");
    char all[PATH_MAX];
    snprintf(all, sizeof all, "%s:%s", helper_folders, search != NULL ? search : "");
    for (size_t i = 0; i < sizeof helper_names / sizeof *helper_names; ++i) {
        char folders[PATH_MAX];
        snprintf(folders, sizeof folders, "%s", all);
        char* rest = NULL;
        for (const char* folder = strtok_r(folders, ":", &rest); folder != NULL;
             folder = strtok_r(NULL, ":", &rest)) {
            struct stat status;
            snprintf(path, size, "%s/%s", folder, helper_names[i]);
            if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == 0 &&
                (status.st_mode & S_ISUID) != 0)
                return true;
        }
    }
    return false;
}

static void silence(void) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; nothing >= 0 && i < 3; ++i) dup2(nothing, i);
    if (nothing > 2) close(nothing);
}

static pid_t start_helper(const char* helper, const char* const* arguments, int connection) {
    const pid_t child = fork();
    if (child != 0) return child;
    char number[16];
    snprintf(number, sizeof number, "%d", connection);
    if (connection >= 0) {
        fcntl(connection, F_SETFD, 0);
        setenv("_FUSE_COMMFD", number, 1);
    }
    silence();
    execv(helper, (char* const*)(uintptr_t)arguments);
    _exit(127);
}

// The descriptor that the helper sends when it has mounted; -1 where it has not.
static int receive_descriptor(int connection) {
    char byte = 0;
    struct iovec data = {&byte, 1};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got = 0;
    do {
        got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    const struct cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    int descriptor = -1;
    if (header != NULL && header->cmsg_type == SCM_RIGHTS)
        memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

static int mount_by_helper(const char* helper, const char* folder) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    const char* const arguments[] = {
        helper, "-o", "ro,nosuid,nodev,fsname=iir2d-workbench,subtype=appimage", "--", folder, NULL};
    const pid_t child = start_helper(helper, arguments, pair[1]);
    close(pair[1]);
    const int descriptor = child > 0 ? receive_descriptor(pair[0]) : -1;
    close(pair[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return descriptor;
}

static int mount_as_root(const char* folder) {
    const int descriptor = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return -1;
    char options[128];
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%ld,group_id=%ld", descriptor,
             (long)geteuid(), (long)getegid());
    if (mount("iir2d-workbench", folder, "fuse.appimage", MS_RDONLY | MS_NOSUID | MS_NODEV, options) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

// Away from the folder at once, also where a process still has a file of it open.
static void detach(const char* helper, const char* folder) {
    if (*helper == '\0') {
        umount2(folder, MNT_DETACH);
    } else {
        const char* const arguments[] = {helper, "-u", "-z", "--", folder, NULL};
        const pid_t child = start_helper(helper, arguments, -1);
        if (child > 0) waitpid(child, NULL, 0);
    }
    rmdir(folder);
}

static bool has_ended(int process, pid_t number) {
    if (process < 0) return kill(number, 0) != 0 && errno == ESRCH;  // Linux before 5.3
    struct pollfd one = {.fd = process, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = sqfs_ll_op_lookup,
    .forget = sqfs_ll_op_forget,
    .getattr = sqfs_ll_op_getattr,
    .readlink = sqfs_ll_op_readlink,
    .open = sqfs_ll_op_open,
    .read = sqfs_ll_op_read,
    .release = sqfs_ll_op_release,
    .opendir = sqfs_ll_op_opendir,
    .readdir = sqfs_ll_op_readdir,
    .releasedir = sqfs_ll_op_releasedir,
    .statfs = stfs_ll_op_statfs,
};

static void say_nothing(enum fuse_log_level level, const char* format, va_list arguments) {
    (void)level;
    (void)format;
    (void)arguments;
}

// Answers the system until the mount is gone and nobody has a file of it open any more.
static void serve(struct fuse_session* session, int process, pid_t number, const char* helper,
                  const char* folder) {
    struct fuse_buf buffer = {.mem = NULL};
    bool mounted = true;
    while (!fuse_session_exited(session)) {
        struct pollfd ready[2] = {{.fd = fuse_session_fd(session), .events = POLLIN},
                                  {.fd = mounted ? process : -1, .events = POLLIN}};
        if (poll(ready, 2, mounted && process < 0 ? 500 : -1) < 0 && errno != EINTR) break;
        if (mounted && has_ended(process, number)) {
            // The helper asks for the folder, and needs an answer: it runs beside this.
            mounted = false;
            if (fork() == 0) {
                detach(helper, folder);
                _exit(0);
            }
        }
        if (ready[0].revents == 0) continue;
        const int got = fuse_session_receive_buf(session, &buffer);
        if (got == -EINTR) continue;
        if (got <= 0) break;
        fuse_session_process_buf(session, &buffer);
    }
    free(buffer.mem);
    if (mounted) detach(helper, folder);
    while (wait(NULL) > 0) continue;
}

// What the process that serves does. Says on `told` that it is mounted.
static void mount_and_serve(const struct appimage* image, const char* helper, const char* folder, int process,
                            pid_t number, int told) {
    const int descriptor = *helper == '\0' ? mount_as_root(folder) : mount_by_helper(helper, folder);
    if (descriptor < 0) return;
    char place[32];
    snprintf(place, sizeof place, "/dev/fd/%d", descriptor);
    sqfs_ll* served = sqfs_ll_open(image->path, image->offset);
    char* words[] = {(char*)(uintptr_t) "AppImage", NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(1, words);
    struct fuse_session* session =
        served != NULL ? fuse_session_new(&arguments, &operations, sizeof operations, served) : NULL;
    if (session == NULL || fuse_session_mount(session, place) != 0 || write(told, "m", 1) != 1) {
        detach(helper, folder);
        return;
    }
    close(told);
    if (chdir("/") != 0) return;
    silence();
    serve(session, process, number, helper, folder);
}

// Whether it says that it is mounted before it ends.
static bool wait_for(int told) {
    char byte = 0;
    ssize_t got = 0;
    do {
        got = read(told, &byte, 1);
    } while (got < 0 && errno == EINTR);
    return got == 1;
}

bool appimage_mount(const struct appimage* image, char* folder, size_t size, const char** reason) {
    char helper[PATH_MAX] = "";
    const int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    const int error = errno;
    if (device >= 0) close(device);
    if (device < 0) {
        *reason = error == ENOENT ? "there is no /dev/fuse" : "/dev/fuse cannot be opened";
        return false;
    }
    if (geteuid() != 0 && !find_helper(helper, sizeof helper)) {
        *reason = "there is no setuid fusermount3";
        return false;
    }
    const char* base = getenv("TMPDIR");
    if (base == NULL || *base != '/' || access(base, W_OK) != 0) base = "/tmp";
    int told[2];
    *reason = "no folder to mount it on could be made";
    if (snprintf(folder, size, "%s/.mount_iir2d-XXXXXX", base) >= (int)size || mkdtemp(folder) == NULL)
        return false;
    *reason = "it could not be mounted";
    if (pipe2(told, O_CLOEXEC) != 0) {
        rmdir(folder);
        return false;
    }
    const pid_t number = getpid();
    const int process = (int)syscall(SYS_pidfd_open, number, 0);
    const pid_t child = fork();
    if (child == 0) {
        close(told[0]);
        // Not stopped with the program by Ctrl+C, and no child of what this process becomes.
        setsid();
        for (const int* one = (const int[]){SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, 0}; *one != 0; ++one)
            signal(*one, SIG_IGN);
        if (fork() == 0) {
            fuse_set_log_func(say_nothing);
            mount_and_serve(image, helper, folder, process, number, told[1]);
        }
        _exit(0);
    }
    close(told[1]);
    if (child > 0) waitpid(child, NULL, 0);
    const bool mounted = child > 0 && wait_for(told[0]);
    close(told[0]);
    if (process >= 0) close(process);
    if (!mounted) rmdir(folder);
    return mounted;
}
