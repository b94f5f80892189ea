// What Swift's Glibc module leaves out of the C library.
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// The library has prlimit for GNU's dialect alone, which an importer can't ask for.
static inline long limit_data(int pid, unsigned long bytes) {
    struct rlimit limit = {bytes, bytes};
    return syscall(SYS_prlimit64, pid, RLIMIT_DATA, &limit, (void *)0);
}
