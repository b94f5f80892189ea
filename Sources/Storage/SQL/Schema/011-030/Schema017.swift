/// Counts say when they end, so that short ones go soon; tries of a code that bring its token are counted
/// apart from those that don't.
enum Schema017 {
    static let sql = """
        ALTER TABLE attempt ADD COLUMN until {int};
        UPDATE attempt SET until = since + 86400000;
        DROP INDEX attemptAge;
        CREATE INDEX attemptEnd ON attempt (until);
        ALTER TABLE code ADD COLUMN tokenTries {int} NOT NULL DEFAULT 0;

        """
}
