#include "CGatheredLog.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Numbers of SQLite's file format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
enum { FRAME_HEADER_BYTES = 24, PAGES_AT_COMMIT_AT = 4, WRITE_LOCK = 0 };

enum { BUFFER_BYTES = 64 * 1024 };

// What lies behind the system's own part of an open file.
struct extra {
    // The system's methods, some of them replaced.
    sqlite3_io_methods methods;
    const sqlite3_io_methods *below;
    // A database's log, while it is open.
    struct extra *log;
    // A log's database, while it is open.
    struct extra *database;
    sqlite3_file *file;
    char *bytes;
    int count;
    sqlite3_int64 offset;
    // Whether the frame that was begun is a transaction's last.
    bool is_last;
    // Why something gathered could not be written.
    int failure;
};

static sqlite3_vfs *system_vfs;
static sqlite3_vfs gathering_vfs;

static size_t extra_at(void) {
    size_t alignment = _Alignof(max_align_t);
    return ((size_t)system_vfs->szOsFile + alignment - 1) / alignment * alignment;
}

static struct extra *extra_of(sqlite3_file *file) { return (struct extra *)((char *)file + extra_at()); }

static int pour(struct extra *log) {
    if (log->failure != SQLITE_OK || log->count == 0) return log->failure;
    log->failure = log->below->xWrite(log->file, log->bytes, log->count, log->offset);
    log->count = 0;
    log->is_last = false;
    return log->failure;
}

static void drop(struct extra *log) {
    log->count = 0;
    log->is_last = false;
    log->failure = SQLITE_OK;
}

// MARK: A log

static bool has_room(struct extra *log, int count) {
    if (log->bytes == NULL) log->bytes = malloc(BUFFER_BYTES);
    return log->bytes != NULL && count <= BUFFER_BYTES - log->count;
}

static bool marks_last(const void *bytes, int count) {
    static const char none[4];
    return count == FRAME_HEADER_BYTES && memcmp((const char *)bytes + PAGES_AT_COMMIT_AT, none, sizeof none) != 0;
}

static int log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct extra *log = extra_of(file);
    bool follows = log->count == 0 || offset == log->offset + log->count;
    if (!follows || !has_room(log, count)) {
        int code = pour(log);
        if (code != SQLITE_OK) return code;
    }
    if (log->failure != SQLITE_OK) return log->failure;
    if (!has_room(log, count)) return log->below->xWrite(file, bytes, count, offset);
    if (log->count == 0) log->offset = offset;
    memcpy(log->bytes + log->count, bytes, (size_t)count);
    log->count += count;
    if (log->is_last) return pour(log);
    log->is_last = marks_last(bytes, count);
    return SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = pour(extra_of(file));
    return code != SQLITE_OK ? code : extra_of(file)->below->xRead(file, bytes, count, offset);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = pour(extra_of(file));
    return code != SQLITE_OK ? code : extra_of(file)->below->xTruncate(file, size);
}

static int log_sync(sqlite3_file *file, int flags) {
    int code = pour(extra_of(file));
    return code != SQLITE_OK ? code : extra_of(file)->below->xSync(file, flags);
}

static int log_file_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = pour(extra_of(file));
    return code != SQLITE_OK ? code : extra_of(file)->below->xFileSize(file, size);
}

static int log_file_control(sqlite3_file *file, int operation, void *argument) {
    int code = pour(extra_of(file));
    return code != SQLITE_OK ? code : extra_of(file)->below->xFileControl(file, operation, argument);
}

static int log_close(sqlite3_file *file) {
    struct extra *log = extra_of(file);
    if (log->database != NULL) log->database->log = NULL;
    free(log->bytes);
    log->bytes = NULL;
    return log->below->xClose(file);
}

// MARK: A database

static int database_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    struct extra *database = extra_of(file);
    if ((flags & SQLITE_SHM_UNLOCK) && offset <= WRITE_LOCK && WRITE_LOCK < offset + count && database->log != NULL) {
        drop(database->log);
    }
    return database->below->xShmLock(file, offset, count, flags);
}

static int database_close(sqlite3_file *file) {
    struct extra *database = extra_of(file);
    if (database->log != NULL) database->log->database = NULL;
    return database->below->xClose(file);
}

// MARK: Opening

static void gather(struct extra *log, sqlite3_file *database_file) {
    struct extra *database = extra_of(database_file);
    // Without a word on the right to write nothing may be held back.
    if (database_file->pMethods != &database->methods) return;
    database->log = log;
    log->database = database;
    log->methods.xWrite = log_write;
    log->methods.xRead = log_read;
    log->methods.xTruncate = log_truncate;
    log->methods.xSync = log_sync;
    log->methods.xFileSize = log_file_size;
    log->methods.xFileControl = log_file_control;
    log->methods.xClose = log_close;
    log->file->pMethods = &log->methods;
}

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    struct extra *extra = extra_of(file);
    memset(extra, 0, sizeof *extra);
    int code = system_vfs->xOpen(system_vfs, name, file, flags, out_flags);
    if (code != SQLITE_OK || file->pMethods == NULL || file->pMethods->iVersion < 3) return code;
    extra->file = file;
    extra->below = file->pMethods;
    extra->methods = *file->pMethods;
    if (flags & SQLITE_OPEN_MAIN_DB) {
        extra->methods.xShmLock = database_shm_lock;
        extra->methods.xClose = database_close;
        file->pMethods = &extra->methods;
    } else if ((flags & SQLITE_OPEN_WAL) && name != NULL) {
        gather(extra, sqlite3_database_file_object(name));
    }
    return code;
}

int gathered_log_register(void) {
    if (system_vfs != NULL) return SQLITE_OK;
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    if (vfs == NULL) return SQLITE_ERROR;
    system_vfs = vfs;
    gathering_vfs = *vfs;
    gathering_vfs.zName = "gathered-log";
    gathering_vfs.pNext = NULL;
    gathering_vfs.szOsFile = (int)(extra_at() + sizeof(struct extra));
    gathering_vfs.xOpen = open_file;
    return sqlite3_vfs_register(&gathering_vfs, 1);
}
