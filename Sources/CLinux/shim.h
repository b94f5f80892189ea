// What Swift's Glibc module leaves out of the C library.
#include <sys/epoll.h>
#include <sys/syscall.h>

// The library has prlimit for GNU's dialect alone, which an importer can't ask for. Its headers are left
// out, or what they declare would be this module's and not Glibc's.
extern long syscall(long number, ...);

static inline long limit_data(int pid, unsigned long bytes) {
    const struct {
        unsigned long soft, hard;
    } limit = {bytes, bytes};
    const int data = 2;  // RLIMIT_DATA
    return syscall(SYS_prlimit64, pid, data, &limit, (void *)0);
}
