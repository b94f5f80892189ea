#ifndef BULK_SOCKET_H
#define BULK_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

// libmosquitto asks the system three times for each packet that it reads, and once or twice for each
// that it writes: that was a quarter of the service's time. It does so through the C library's `read` and
// `write`, which this file defines anew: the dynamic linker takes the program's own before the C library's.
// On a thread that is inside a bulk socket they move the bytes of that socket by whole buffers; on all
// others, and for all other files, they are what they always were. Where a program is linked so that the
// library finds the C library's own, everything works as well, with more calls.

/// What was read ahead from one socket, and what is to be written to it.
///
/// It belongs to one thread. It must not be used with TLS, whose library looks at the socket itself.
struct bulk_socket;

/// Makes one; null when there is no memory.
struct bulk_socket *bulk_socket_new(void);

/// Forgets it with what it holds.
void bulk_socket_free(struct bulk_socket *self);

/// Has this thread's reads and writes of a socket go through the buffers, until `bulk_socket_leave`.
///
/// What is written stays in the buffer until that is full or `bulk_socket_flush` is called. Single bytes
/// to other files, the library's way of waking itself, which nobody waits for, are dropped meanwhile.
void bulk_socket_enter(struct bulk_socket *self, int descriptor);

/// The opposite of `bulk_socket_enter`.
void bulk_socket_leave(void);

/// The next byte that was read ahead and not asked for yet; -1 when there is none.
int bulk_socket_next(const struct bulk_socket *self);

/// Writes what waits; false with `errno` when not all could be written, EAGAIN when it may be later.
///
/// PUBACKs leave behind all else, as far as 256 bytes hold them: Mosquitto 2.0 reads one packet of a
/// connection in each turn of its loop, and messages are what somebody waits for.
bool bulk_socket_flush(struct bulk_socket *self);

/// Has PUBACKs stay here from now on, until they are released: all else passes them.
void bulk_socket_hold(struct bulk_socket *self);

/// Lets `count` more PUBACKs leave, the oldest first, each when it has been written and at the next
/// `bulk_socket_flush`.
void bulk_socket_release(struct bulk_socket *self, size_t count);

/// Whether something is left that `bulk_socket_flush` may write.
bool bulk_socket_pending(const struct bulk_socket *self);

/// Whether the library's writes come here at all: only then PUBACKs are held.
bool bulk_socket_is_interposed(const struct bulk_socket *self);

#endif
