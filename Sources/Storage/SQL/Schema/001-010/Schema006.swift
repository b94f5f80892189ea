/// Invitations, guests whose time ends, and homes.
///
/// Of a code's text only the hash is kept, of an invited user's name only a masked form and a hash.
enum Schema006 {
    static let sql = """
        ALTER TABLE binding ADD COLUMN guestUntil {int};
        ALTER TABLE binding ADD COLUMN sharingId TEXT;
        CREATE INDEX bindingGuest ON binding (guestUntil) WHERE guestUntil IS NOT NULL;

        CREATE TABLE sharing (
            sharingId TEXT NOT NULL PRIMARY KEY,
            did TEXT NOT NULL,
            appId TEXT NOT NULL,
            inviterUid TEXT NOT NULL,
            guestUid TEXT,
            way TEXT NOT NULL,
            addresseeKind TEXT,
            addressee TEXT,
            addresseeHash {bytes},
            codeHash {bytes},
            access TEXT NOT NULL,
            guestMinutes {int},
            status TEXT NOT NULL,
            createdAt {int} NOT NULL,
            expiresAt {int} NOT NULL,
            acceptedAt {int},
            changedAt {int} NOT NULL
        ) {strict};
        CREATE UNIQUE INDEX sharingCode ON sharing (codeHash) WHERE codeHash IS NOT NULL;
        CREATE INDEX sharingDevice ON sharing (did) WHERE status IN ('pending', 'accepted');
        CREATE INDEX sharingInviter ON sharing (inviterUid, createdAt, sharingId);
        CREATE INDEX sharingGuest ON sharing (guestUid, createdAt, sharingId)
            WHERE guestUid IS NOT NULL;
        CREATE INDEX sharingPending ON sharing (expiresAt) WHERE status = 'pending';
        CREATE INDEX sharingEnded ON sharing (changedAt)
            WHERE status IN ('rejected', 'expired', 'revoked');

        CREATE TABLE home (
            homeId TEXT NOT NULL PRIMARY KEY,
            uid TEXT NOT NULL,
            name TEXT NOT NULL,
            latitude {double},
            longitude {double},
            createdAt {int} NOT NULL
        ) {strict};
        CREATE INDEX homeUser ON home (uid, createdAt);

        CREATE TABLE homeDevice (
            uid TEXT NOT NULL,
            did TEXT NOT NULL,
            homeId TEXT NOT NULL REFERENCES home (homeId),
            PRIMARY KEY (uid, did)
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX homeDevices ON homeDevice (homeId);

        """
}
