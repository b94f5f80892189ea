/// Commands and requests in the order of their making.
///
/// A row that comes last costs one page; in the order of devices and senders it came somewhere in the
/// middle, where pages are full every few rows and are divided. What is queued and what is sent have
/// indexes of their own, so that asking for either needs no list of states.
enum Schema012 {
    static let sql = """
        CREATE TABLE commandInOrder (
            seq {serial},
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
            mode TEXT NOT NULL,
            refusal TEXT,
            steps TEXT,
            secret {bytes},
            UNIQUE (did, cid)
        ) {strict};
        INSERT INTO commandInOrder (did, cid, sn, kind, state, data, bytes, actor, appId, createdAt,
            expiresAt, doneAt, code, result, late, mode, refusal, steps, secret)
        SELECT did, cid, sn, kind, state, data, bytes, actor, appId, createdAt, expiresAt, doneAt,
            code, result, late, mode, refusal, steps, secret
        FROM command ORDER BY createdAt, did, cid;
        DROP TABLE command;
        ALTER TABLE commandInOrder RENAME TO command;
        CREATE INDEX commandOpen ON command (expiresAt) WHERE state IN ('queued', 'sent');
        CREATE INDEX commandQueued ON command (did, cid) WHERE state = 'queued';
        CREATE INDEX commandSent ON command (did, cid) WHERE state = 'sent';
        CREATE INDEX commandAge ON command (did, createdAt, cid);
        CREATE INDEX commandActor ON command (actor)
            WHERE actor >= '{"kind":"user"' AND actor < '{"kind":"user#';

        CREATE TABLE requestInOrder (
            seq {serial},
            sender TEXT NOT NULL,
            id TEXT NOT NULL,
            content {bytes} NOT NULL,
            answer {bytes},
            sealed {int} NOT NULL CHECK (sealed IN (0, 1)),
            did TEXT,
            cid {int},
            at {int} NOT NULL,
            UNIQUE (sender, id)
        ) {strict};
        INSERT INTO requestInOrder (sender, id, content, answer, sealed, did, cid, at)
        SELECT sender, id, content, answer, sealed, did, cid, at FROM request ORDER BY at, sender, id;
        DROP TABLE request;
        ALTER TABLE requestInOrder RENAME TO request;
        CREATE INDEX requestAge ON request (at);

        """
}
