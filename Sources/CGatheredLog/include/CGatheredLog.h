#ifndef C_GATHERED_LOG_H
#define C_GATHERED_LOG_H

// Has SQLite's log (`-wal`) written by one call a transaction.
//
// The engine writes each frame of its log by two calls, header and page: two dozen for a transaction that
// changes twelve pages, at a microsecond or two and more where caches are cold. This VFS lies over the
// system's own and gathers what follows on what was written before. Everything gathered is written
//
// - with the last frame of a transaction, which the engine marks in its header,
// - before the log is synced, read, measured, cut or asked anything,
// - when there is no room for more.
//
// What is left when the right to write is given back belongs to a transaction that was undone, and is
// dropped: another process may write there from then on. A write that failed fails every use of the log
// until then, so that no transaction goes on without what it wrote. Other files are not touched.

// Makes it the way to files for all connections opened from now on; SQLite's code of the result.
int gathered_log_register(void);

#endif
