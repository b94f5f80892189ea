// A preloaded library that shifts a process's wall clock by the seconds in the file $CLOCK_FILE. If $CLOCK_MOVES is
// set, the library reads the file ten times a second.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long shift(void) {
    const char *path = getenv("CLOCK_FILE");
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    long seconds = 0;
    if (file == NULL) return 0;
    if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
    fclose(file);
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    static long seconds;
    static int known;
    static long read_at;
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    if (!known) { known = 1; seconds = shift(); }
    if (getenv("CLOCK_MOVES") != NULL) {
        struct timespec steady;
        real(CLOCK_MONOTONIC, &steady);
        long tenths = steady.tv_sec * 10 + steady.tv_nsec / 100000000;
        if (tenths != read_at) { read_at = tenths; seconds = shift(); }
    }
    int result = real(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += seconds;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) *out = now.tv_sec;
    return now.tv_sec;
}
