CREATE TABLE homeAssistant (
    sessionId TEXT NOT NULL,
    did TEXT NOT NULL,
    uid TEXT NOT NULL,
    components TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (sessionId, did)
) STRICT, WITHOUT ROWID;

CREATE INDEX homeAssistantUser ON homeAssistant (uid);
