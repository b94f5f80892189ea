// Wrappers of SQLite's variadic functions, which Swift can't call.
#include <sqlite3.h>

// Keeps the journals of savepoints in memory. There they grow in small pieces, instead of taking 64 KiB at once. Turns
// off SQLite's counting of memory, which would take a lock for each allocation.
static inline int keep_memory_cheap(void) {
    int code = sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
    return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) : code;
}

// Makes SQLite refuse string literals in double quotes. By default, SQLite treats a mistyped name in double quotes as a
// string literal.
static inline void refuse_quoted_texts(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
}
