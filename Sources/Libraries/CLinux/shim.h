// Declarations of the C library that Swift's Glibc module doesn't include.
#include <sys/epoll.h>
#include <sys/syscall.h>

// The C library declares prlimit only under _GNU_SOURCE, which can't be set for a Swift import. limit_data therefore
// uses syscall. The header that declares syscall isn't included here, because all declarations in that header would
// then belong to this module instead of Glibc.
extern long syscall(long number, ...);

static inline long limit_data(int pid, unsigned long bytes) {
    const struct {
        unsigned long soft, hard;
    } limit = {bytes, bytes};
    const int data = 2;  // RLIMIT_DATA
    return syscall(SYS_prlimit64, pid, data, &limit, (void *)0);
}
