#ifndef BULK_SOCKET_H
#define BULK_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

// libmosquitto asks the system three times for each packet that it reads, and once or twice for each
// that it writes: that was a quarter of the service's time. It does so through the C library's `read` and
// `write`, which this file replaces: the dynamic linker takes the program's own before the C library's.
// On a thread that is inside a bulk socket they move the bytes of that socket by whole buffers; on all
// others, and for all other files, they work as always. If a program is linked so that the library finds the
// C library's own functions, everything still works, with more calls.

/// The bytes read ahead from one socket, and those still to be written to it.
///
/// It belongs to one thread. It must not be used with TLS, whose library looks at the socket itself.
struct bulk_socket;

/// Creates a bulk socket; null if there is no memory.
struct bulk_socket *bulk_socket_new(void);

/// Frees a bulk socket and the bytes that it holds.
void bulk_socket_free(struct bulk_socket *self);

/// Routes this thread's reads and writes of a socket through the buffers, until `bulk_socket_leave`.
///
/// Written bytes stay in the buffer until it is full or `bulk_socket_flush` is called. Meanwhile single bytes
/// written to other files are dropped: the library wakes itself that way, and no thread waits for it.
void bulk_socket_enter(struct bulk_socket *self, int descriptor);

/// The opposite of `bulk_socket_enter`.
void bulk_socket_leave(void);

/// The next byte that was read ahead and not asked for yet; -1 when there is none.
int bulk_socket_next(const struct bulk_socket *self);

/// Writes the buffered bytes; false with `errno` if some are left, EAGAIN if a later call may write them.
///
/// PUBACKs leave last, as far as 256 bytes hold them: Mosquitto 2.0 reads one packet of a connection in
/// each turn of its loop, and receivers wait for the messages.
bool bulk_socket_flush(struct bulk_socket *self);

/// Holds PUBACKs back from now on until they are released; all other packets overtake them.
void bulk_socket_hold(struct bulk_socket *self);

/// Releases `count` more PUBACKs, the oldest first; each leaves with the first `bulk_socket_flush` after
/// the library has written it.
void bulk_socket_release(struct bulk_socket *self, size_t count);

/// Whether `bulk_socket_flush` has bytes left to write.
bool bulk_socket_pending(const struct bulk_socket *self);

/// Whether the library's writes come here at all: only then PUBACKs are held.
bool bulk_socket_is_interposed(const struct bulk_socket *self);

#endif
