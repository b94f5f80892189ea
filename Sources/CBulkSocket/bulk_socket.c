#include "CBulkSocket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// A PUBACK has four bytes, or six with a reason and properties: 64 of them, or somewhat fewer.
enum { BUFFER_BYTES = 64 * 1024, ACKS_BYTES = 256, ACK_BYTES_MAX = 8, PUBACK = 0x40 };

struct bulk_socket {
    int descriptor;
    size_t in_begin, in_end;
    size_t out_begin, out_end;
    size_t acks_end;
    // Bytes of the packet that is being written that have not come yet.
    size_t rest;
    // Held PUBACKs, end to end, and the number of their bytes that may leave.
    bool holds;
    bool is_interposed;
    unsigned char *held;
    size_t held_begin, released_end, held_end, held_room;
    // Released ones that the library has not written yet.
    size_t releases;
    char in[BUFFER_BYTES];
    char out[BUFFER_BYTES];
    char acks[ACKS_BYTES];
};

static _Thread_local struct bulk_socket *current;

struct bulk_socket *bulk_socket_new(void) {
    struct bulk_socket *self = malloc(sizeof *self);
    if (self == NULL) return NULL;
    self->descriptor = -1;
    self->in_begin = self->in_end = 0;
    self->out_begin = self->out_end = 0;
    self->acks_end = 0;
    self->rest = 0;
    self->holds = self->is_interposed = false;
    self->held = NULL;
    self->held_begin = self->released_end = self->held_end = self->held_room = 0;
    self->releases = 0;
    return self;
}

void bulk_socket_free(struct bulk_socket *self) {
    free(self->held);
    free(self);
}

void bulk_socket_hold(struct bulk_socket *self) { self->holds = true; }

bool bulk_socket_is_interposed(const struct bulk_socket *self) { return self->is_interposed; }

static void bulk_release(struct bulk_socket *self) {
    for (; self->releases > 0 && self->released_end < self->held_end; self->releases--) {
        self->released_end += (size_t)self->held[self->released_end + 1] + 2;
    }
}

void bulk_socket_release(struct bulk_socket *self, size_t count) {
    self->releases += count;
    bulk_release(self);
}

bool bulk_socket_pending(const struct bulk_socket *self) {
    return self->out_begin < self->out_end || self->acks_end > 0 || self->held_begin < self->released_end;
}

void bulk_socket_enter(struct bulk_socket *self, int descriptor) {
    self->descriptor = descriptor;
    current = self;
}

void bulk_socket_leave(void) { current = NULL; }

int bulk_socket_next(const struct bulk_socket *self) {
    return self->in_begin < self->in_end ? (unsigned char)self->in[self->in_begin] : -1;
}

static bool bulk_send(struct bulk_socket *self) {
    while (self->out_begin < self->out_end) {
        ssize_t count = send(self->descriptor, self->out + self->out_begin, self->out_end - self->out_begin,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) {
            self->out_begin += (size_t)count;
        } else if (count == 0 || errno != EINTR) {
            return false;
        }
    }
    self->out_begin = self->out_end = 0;
    return true;
}

// Appends the acknowledgements to the output; false if there are none, if there is no room, or if they would
// come into the middle of a packet.
static bool bulk_append_acks(struct bulk_socket *self) {
    if (self->acks_end == 0 || self->rest > 0 || BUFFER_BYTES - self->out_end < self->acks_end) return false;
    memcpy(self->out + self->out_end, self->acks, self->acks_end);
    self->out_end += self->acks_end;
    self->acks_end = 0;
    return true;
}

// Appends released acknowledgements to the output, as many whole ones as fit.
static bool bulk_append_released(struct bulk_socket *self) {
    if (self->rest > 0) return false;
    size_t begin = self->held_begin;
    size_t end = begin;
    while (end < self->released_end) {
        size_t next = end + (size_t)self->held[end + 1] + 2;
        if (next - begin > BUFFER_BYTES - self->out_end) break;
        end = next;
    }
    if (end == begin) return false;
    memcpy(self->out + self->out_end, self->held + begin, end - begin);
    self->out_end += end - begin;
    self->held_begin = end;
    if (end == self->held_end) self->held_begin = self->released_end = self->held_end = 0;
    return true;
}

bool bulk_socket_flush(struct bulk_socket *self) {
    bulk_append_acks(self);
    if (!bulk_send(self)) return false;
    if (bulk_append_acks(self) && !bulk_send(self)) return false;
    while (bulk_append_released(self)) {
        if (!bulk_send(self)) return false;
    }
    return true;
}

// Makes room for one more held acknowledgement; false if there is no memory.
static bool bulk_make_room(struct bulk_socket *self) {
    if (self->held_room - self->held_end >= ACK_BYTES_MAX) return true;
    if (self->held_begin > self->held_room / 2) {
        memmove(self->held, self->held + self->held_begin, self->held_end - self->held_begin);
        self->released_end -= self->held_begin;
        self->held_end -= self->held_begin;
        self->held_begin = 0;
        return true;
    }
    size_t room = self->held_room == 0 ? 4096 : self->held_room * 2;
    unsigned char *larger = realloc(self->held, room);
    if (larger == NULL) return false;
    self->held = larger;
    self->held_room = room;
    return true;
}

static ssize_t bulk_read(struct bulk_socket *self, void *bytes, size_t count) {
    if (self->in_begin == self->in_end) {
        ssize_t got = recv(self->descriptor, self->in, BUFFER_BYTES, MSG_DONTWAIT);
        if (got <= 0) return got;
        self->in_begin = 0;
        self->in_end = (size_t)got;
    }
    size_t there = self->in_end - self->in_begin;
    size_t taken = count < there ? count : there;
    memcpy(bytes, self->in + self->in_begin, taken);
    self->in_begin += taken;
    return (ssize_t)taken;
}

// Whether it is one whole PUBACK: the library writes each packet by itself.
static bool bulk_is_ack(const struct bulk_socket *self, const unsigned char *bytes, size_t count) {
    return self->rest == 0 && count >= 4 && count <= ACK_BYTES_MAX && bytes[0] == PUBACK &&
           bytes[1] == count - 2;
}

static ssize_t bulk_write(struct bulk_socket *self, const void *bytes, size_t count) {
    self->is_interposed = true;
    if (self->holds && bulk_is_ack(self, bytes, count)) {
        if (!bulk_make_room(self)) {
            errno = ENOMEM;
            return -1;
        }
        memcpy(self->held + self->held_end, bytes, count);
        self->held_end += count;
        bulk_release(self);
        return (ssize_t)count;
    }
    if (bulk_is_ack(self, bytes, count)) {
        if (ACKS_BYTES - self->acks_end < count && !bulk_append_acks(self)) {
            // A later PUBACK must not overtake those that wait.
            if (!bulk_send(self)) return -1;
            bulk_append_acks(self);
        }
        memcpy(self->acks + self->acks_end, bytes, count);
        self->acks_end += count;
        return (ssize_t)count;
    }
    if (self->out_end == BUFFER_BYTES && !bulk_send(self)) return -1;
    size_t room = BUFFER_BYTES - self->out_end;
    size_t taken = count < room ? count : room;
    memcpy(self->out + self->out_end, bytes, taken);
    self->out_end += taken;
    self->rest = count - taken;
    return (ssize_t)taken;
}

// In place of the C library's. `syscall` sets errno as they do.

ssize_t read(int descriptor, void *bytes, size_t count) {
    struct bulk_socket *self = current;
    if (self != NULL && descriptor == self->descriptor) return bulk_read(self, bytes, count);
    return syscall(SYS_read, descriptor, bytes, count);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    struct bulk_socket *self = current;
    if (self != NULL && descriptor == self->descriptor) return bulk_write(self, bytes, count);
    if (self != NULL && count == 1) return 1;
    return syscall(SYS_write, descriptor, bytes, count);
}
