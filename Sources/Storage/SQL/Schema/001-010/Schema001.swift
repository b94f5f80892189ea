/// The first tables.
///
/// Keys of the device path begin with `did`.
enum Schema001 {
    static let sql = """
        CREATE TABLE meta (
            name TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) {strict};

        CREATE TABLE product (
            productKey TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            document TEXT NOT NULL,
            secretHash {bytes} NOT NULL,
            createdAt {int} NOT NULL,
            updatedAt {int} NOT NULL
        ) {strict};

        CREATE TABLE listedMac (
            productKey TEXT NOT NULL REFERENCES product (productKey),
            mac TEXT NOT NULL,
            PRIMARY KEY (productKey, mac)
        ) {strict};

        CREATE TABLE app (
            appId TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            document TEXT NOT NULL,
            secretHash {bytes} NOT NULL,
            createdAt {int} NOT NULL,
            updatedAt {int} NOT NULL
        ) {strict};

        CREATE TABLE service (
            name TEXT NOT NULL PRIMARY KEY,
            role TEXT NOT NULL,
            secretHash {bytes} NOT NULL
        ) {strict};

        CREATE TABLE device (
            did TEXT NOT NULL PRIMARY KEY,
            productKey TEXT NOT NULL REFERENCES product (productKey),
            mac TEXT NOT NULL,
            secretHash {bytes},
            passcodeHash {bytes},
            hardware TEXT NOT NULL,
            generation {int} NOT NULL,
            generationAt {int} NOT NULL,
            lastCid {int} NOT NULL,
            resetUntil {int},
            createdAt {int} NOT NULL,
            registeredAt {int}
        ) {strict};
        CREATE UNIQUE INDEX deviceMac ON device (productKey, mac);

        CREATE TABLE status (
            did TEXT NOT NULL PRIMARY KEY,
            productKey TEXT NOT NULL,
            version {int} NOT NULL,
            ts {int} NOT NULL,
            attributes TEXT NOT NULL,
            conditions TEXT NOT NULL,
            online {int} NOT NULL CHECK (online IN (0, 1)),
            alive {int} NOT NULL CHECK (alive IN (0, 1)),
            connection {int} NOT NULL,
            session TEXT,
            lastSeenAt {int}
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX statusOnline ON status (did) WHERE online = 1;

        CREATE TABLE history (
            did TEXT NOT NULL,
            ts {int} NOT NULL,
            seq {int} NOT NULL,
            data TEXT,
            bytes TEXT,
            PRIMARY KEY (did, ts, seq)
        ) {strict}, WITHOUT ROWID;

        CREATE TABLE event (
            did TEXT NOT NULL,
            ts {int} NOT NULL,
            seq {int} NOT NULL,
            eventId TEXT NOT NULL,
            type TEXT NOT NULL,
            name TEXT,
            value TEXT,
            reason TEXT,
            actor TEXT NOT NULL,
            PRIMARY KEY (did, ts, seq)
        ) {strict}, WITHOUT ROWID;

        CREATE TABLE binding (
            did TEXT NOT NULL REFERENCES device (did),
            uid TEXT NOT NULL,
            appId TEXT NOT NULL,
            role TEXT NOT NULL,
            access TEXT NOT NULL,
            subscribed {int} NOT NULL CHECK (subscribed IN (0, 1)),
            alias TEXT NOT NULL,
            remark TEXT NOT NULL,
            boundAt {int} NOT NULL,
            PRIMARY KEY (did, uid)
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX bindingUser ON binding (uid, boundAt);

        CREATE TABLE account (
            uid TEXT NOT NULL PRIMARY KEY,
            appId TEXT NOT NULL,
            region TEXT NOT NULL,
            countryCode TEXT NOT NULL,
            nickname TEXT NOT NULL,
            anonymous {int} NOT NULL CHECK (anonymous IN (0, 1)),
            deviceIdHash {bytes},
            tempUnit {int} NOT NULL,
            timezone TEXT NOT NULL,
            createdAt {int} NOT NULL
        ) {strict};
        CREATE UNIQUE INDEX accountDevice ON account (appId, region, deviceIdHash);

        CREATE TABLE terminal (
            terminalId TEXT NOT NULL PRIMARY KEY,
            appId TEXT NOT NULL,
            createdAt {int} NOT NULL
        ) {strict};

        CREATE TABLE session (
            sessionId TEXT NOT NULL PRIMARY KEY,
            uid TEXT NOT NULL REFERENCES account (uid),
            appId TEXT NOT NULL,
            terminalId TEXT NOT NULL,
            tokenHash {bytes} NOT NULL,
            platform TEXT NOT NULL,
            os TEXT NOT NULL,
            name TEXT NOT NULL,
            loginTime {int} NOT NULL,
            expiresAt {int} NOT NULL,
            endedAt {int},
            endReason TEXT
        ) {strict};
        CREATE UNIQUE INDEX sessionToken ON session (tokenHash);
        CREATE UNIQUE INDEX sessionTerminal ON session (terminalId) WHERE endedAt IS NULL;
        CREATE INDEX sessionUser ON session (uid) WHERE endedAt IS NULL;
        CREATE INDEX sessionExpiry ON session (expiresAt) WHERE endedAt IS NULL;

        CREATE TABLE command (
            did TEXT NOT NULL,
            cid {int} NOT NULL,
            sn {int} NOT NULL,
            kind TEXT NOT NULL,
            state TEXT NOT NULL,
            data TEXT NOT NULL,
            bytes TEXT,
            actor TEXT NOT NULL,
            appId TEXT,
            createdAt {int} NOT NULL,
            expiresAt {int} NOT NULL,
            doneAt {int},
            code {int},
            result TEXT,
            late {int} NOT NULL CHECK (late IN (0, 1)),
            PRIMARY KEY (did, cid)
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX commandOpen ON command (expiresAt) WHERE state IN ('queued', 'sent');

        CREATE TABLE waiter (
            did TEXT NOT NULL,
            cid {int} NOT NULL,
            seq {int} NOT NULL,
            terminalId TEXT NOT NULL,
            requestId TEXT NOT NULL,
            topic TEXT NOT NULL,
            correlation {bytes},
            PRIMARY KEY (did, cid, seq)
        ) {strict}, WITHOUT ROWID;

        CREATE TABLE inbox (
            did TEXT NOT NULL,
            id TEXT NOT NULL,
            version {int} NOT NULL,
            at {int} NOT NULL,
            PRIMARY KEY (did, id)
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX inboxAge ON inbox (at);

        CREATE TABLE request (
            sender TEXT NOT NULL,
            id TEXT NOT NULL,
            content {bytes} NOT NULL,
            answer {bytes},
            sealed {int} NOT NULL CHECK (sealed IN (0, 1)),
            did TEXT,
            cid {int},
            at {int} NOT NULL,
            PRIMARY KEY (sender, id)
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX requestAge ON request (at);

        CREATE TABLE notice (
            noticeId TEXT NOT NULL PRIMARY KEY,
            at {int} NOT NULL
        ) {strict};
        CREATE INDEX noticeAge ON notice (at);

        CREATE TABLE outbox (
            id {int} NOT NULL PRIMARY KEY,
            worker TEXT NOT NULL,
            sealed {int} NOT NULL CHECK (sealed IN (0, 1)),
            messages {bytes} NOT NULL,
            createdAt {int} NOT NULL
        ) {strict};

        CREATE TABLE refresh (
            did TEXT NOT NULL,
            uid TEXT NOT NULL,
            PRIMARY KEY (did, uid)
        ) {strict}, WITHOUT ROWID;

        CREATE TABLE deadLetter (
            id {int} NOT NULL PRIMARY KEY,
            worker TEXT NOT NULL,
            topic TEXT NOT NULL,
            payload {bytes} NOT NULL,
            shapeOnly {int} NOT NULL CHECK (shapeOnly IN (0, 1)),
            reason TEXT NOT NULL,
            at {int} NOT NULL
        ) {strict};

        CREATE TABLE attempt (
            subject TEXT NOT NULL PRIMARY KEY,
            count {int} NOT NULL,
            since {int} NOT NULL
        ) {strict};
        CREATE INDEX attemptAge ON attempt (since);

        """
}
