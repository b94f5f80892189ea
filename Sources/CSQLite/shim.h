// The variadic functions of SQLite, which Swift can't call.
#include <sqlite3.h>

// Journals of savepoints stay in memory and grow by small pieces, not by 64 KiB; and memory is not counted,
// which takes a lock each time.
static inline int keep_memory_cheap(void) {
    int code = sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
    return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) : code;
}
