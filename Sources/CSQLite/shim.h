// What Swift can't call of SQLite, since it takes any number of arguments.
#include <sqlite3.h>

// Journals of savepoints stay in memory and grow by small pieces, not by 64 KiB.
static inline int keep_savepoints_small(void) {
    return sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
}
