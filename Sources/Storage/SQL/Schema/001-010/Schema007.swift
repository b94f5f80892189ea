/// Commands that wait, and their whole life; the logs of events and commands by time.
enum Schema007 {
    static let sql = """
        ALTER TABLE command ADD COLUMN mode TEXT NOT NULL DEFAULT 'now';
        ALTER TABLE command ADD COLUMN refusal TEXT;
        ALTER TABLE command ADD COLUMN steps TEXT;
        ALTER TABLE command ADD COLUMN secret {bytes};
        CREATE INDEX commandOfDevice ON command (did, state) WHERE state IN ('queued', 'sent');
        CREATE INDEX commandAge ON command (did, createdAt, cid);

        CREATE TABLE commandCall (
            did TEXT NOT NULL PRIMARY KEY,
            at {int} NOT NULL
        ) {strict};
        CREATE INDEX commandCallTime ON commandCall (at);

        """
}
