ALTER TABLE device ADD COLUMN name TEXT NOT NULL DEFAULT '';

CREATE TABLE tag (
    did TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (did, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX tagDevices ON tag (name, value, did);
