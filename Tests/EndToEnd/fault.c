// A preloaded library. While a flag file exists, it makes the service's calls on the database's files fail.
//
// While FAULT_DIR/fdatasync or FAULT_DIR/pwrite exists, the call with that name fails with EIO.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call, int fd) {
    char path[4096], link[64], name[4096];
    const char *folder = getenv("FAULT_DIR");
    if (folder == NULL) return 0;
    snprintf(path, sizeof path, "%s/%s", folder, call);
    int before = errno;
    int stands = access(path, F_OK) == 0;
    errno = before;
    if (!stands) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    errno = before;
    if (length < 0) return 0;
    name[length] = 0;
    return strstr(name, "lamplighter.db") != NULL;
}

#define FAIL(call, fd) do { if (fails(call, fd)) { errno = EIO; return -1; } } while (0)

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    FAIL("fdatasync", fd);
    return real(fd);
}

int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    FAIL("fdatasync", fd);
    return real(fd);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite");
    FAIL("pwrite", fd);
    return real(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    FAIL("pwrite", fd);
    return real(fd, bytes, count, offset);
}
