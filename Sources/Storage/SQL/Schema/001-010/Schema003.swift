/// Outgoing messages, and the links in them.
enum Schema003 {
    static let sql = """
        CREATE TABLE delivery (
            messageId TEXT NOT NULL PRIMARY KEY,
            channel TEXT NOT NULL,
            dummy {int} NOT NULL CHECK (dummy IN (0, 1)),
            content {bytes} NOT NULL,
            tries {int} NOT NULL,
            told TEXT,
            dueAt {int} NOT NULL,
            createdAt {int} NOT NULL,
            expiresAt {int} NOT NULL
        ) {strict};
        CREATE INDEX deliveryDue ON delivery (channel, dueAt);
        CREATE INDEX deliveryExpiry ON delivery (expiresAt);

        CREATE TABLE link (
            tokenHash {bytes} NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            uid TEXT NOT NULL,
            content {bytes} NOT NULL,
            createdAt {int} NOT NULL,
            expiresAt {int} NOT NULL,
            usedAt {int}
        ) {strict};
        CREATE INDEX linkUser ON link (uid, kind);
        CREATE INDEX linkExpiry ON link (expiresAt);

        """
}
