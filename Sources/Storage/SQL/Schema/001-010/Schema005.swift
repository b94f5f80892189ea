/// History in two parts: what has just come, batch by batch, and pieces of one device each.
///
/// A batch of reports then writes one row, whatever the number of its devices; a sorter moves the
/// rows into the devices' pieces in the background.
enum Schema005 {
    static let sql = """
        ALTER TABLE history RENAME TO historyRow;

        CREATE TABLE historyTail (
            seq {int} NOT NULL PRIMARY KEY,
            size {int} NOT NULL,
            lines {bytes} NOT NULL
        ) {strict};

        CREATE TABLE history (
            did TEXT NOT NULL,
            fromTs {int} NOT NULL,
            seq {int} NOT NULL,
            toTs {int} NOT NULL,
            count {int} NOT NULL,
            lines {bytes} NOT NULL,
            PRIMARY KEY (did, fromTs, seq)
        ) {strict}, WITHOUT ROWID;

        INSERT INTO history (did, fromTs, seq, toTs, count, lines)
        SELECT did, ts, seq, ts, 1, CAST('[' || ts || ',' || coalesce(data, 'null')
            || coalesce(',"' || bytes || '"', '') || ']\n' AS {bytes})
        FROM historyRow;
        DROP TABLE historyRow;

        ALTER TABLE status ADD COLUMN recent {bytes};

        """
}
