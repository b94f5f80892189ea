#pragma once
#include <zlib.h>

// Compresses bytes as gzip. The function is in C because deflateInit2 is a macro, which Swift doesn't import.
static inline int lamplighter_gzip(
    const unsigned char *bytes, unsigned int count, unsigned char *room, unsigned int roomCount, unsigned long *written) {
    z_stream stream = {0};
    // Because 16 is added to `MAX_WBITS`, zlib writes gzip's header and trailer. The time in the header stays 0, so
    // that equal input gives equal output.
    int code = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY);
    if (code != Z_OK) return code;
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = count;
    stream.next_out = room;
    stream.avail_out = roomCount;
    code = deflate(&stream, Z_FINISH);
    *written = stream.total_out;
    deflateEnd(&stream);
    return code;
}
