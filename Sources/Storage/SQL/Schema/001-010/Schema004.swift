/// Sessions that are refreshed and ended from afar, the audit trail, and accounts that go.
///
/// The indexes over actors hold what users caused, not what devices did, so that the device path
/// does not pay for them; they are there to take a user's name out again.
enum Schema004 {
    static let sql = """
        ALTER TABLE session ADD COLUMN lastSeenAt {int};
        ALTER TABLE session ADD COLUMN oldTokenHash {bytes};
        ALTER TABLE session ADD COLUMN oldTokenUntil {int};
        CREATE UNIQUE INDEX sessionOldToken ON session (oldTokenHash)
            WHERE oldTokenHash IS NOT NULL;
        CREATE INDEX sessionEnded ON session (endedAt) WHERE endedAt IS NOT NULL;
        CREATE INDEX sessionOwner ON session (uid);

        ALTER TABLE account ADD COLUMN lastSeenAt {int};
        UPDATE account SET lastSeenAt = createdAt;
        CREATE INDEX accountIdle ON account (lastSeenAt) WHERE anonymous = 1;

        CREATE TABLE logoutCode (
            uid TEXT NOT NULL PRIMARY KEY,
            codeHash {bytes} NOT NULL,
            expiresAt {int} NOT NULL,
            usedAt {int}
        ) {strict};
        CREATE INDEX logoutCodeAge ON logoutCode (expiresAt);

        CREATE TABLE cancellation (
            uid TEXT NOT NULL PRIMARY KEY,
            deletesAt {int} NOT NULL,
            erasedAt {int}
        ) {strict};
        CREATE INDEX cancellationDue ON cancellation (deletesAt);

        CREATE TABLE audit (
            id {int} NOT NULL PRIMARY KEY,
            at {int} NOT NULL,
            kind TEXT NOT NULL,
            uid TEXT,
            appId TEXT,
            actor TEXT NOT NULL,
            terminalId TEXT,
            detail TEXT
        ) {strict};
        CREATE INDEX auditUser ON audit (uid, id);

        CREATE INDEX eventActor ON event (actor)
            WHERE actor >= '{"kind":"user"' AND actor < '{"kind":"user#';
        CREATE INDEX commandActor ON command (actor)
            WHERE actor >= '{"kind":"user"' AND actor < '{"kind":"user#';

        """
}
