ALTER TABLE command ADD COLUMN uid TEXT;

CREATE TABLE apiKey (
    keyId TEXT NOT NULL PRIMARY KEY,
    appId TEXT NOT NULL,
    name TEXT NOT NULL,
    terminalId TEXT NOT NULL,
    scopes TEXT NOT NULL,
    tokenHash BLOB NOT NULL,
    oldTokenHash BLOB,
    oldTokenUntil INTEGER,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER,
    lastSeenAt INTEGER,
    endedAt INTEGER
) STRICT;

CREATE UNIQUE INDEX apiKeyToken ON apiKey (tokenHash);

CREATE UNIQUE INDEX apiKeyOldToken ON apiKey (oldTokenHash) WHERE oldTokenHash IS NOT NULL;

CREATE UNIQUE INDEX apiKeyTerminal ON apiKey (terminalId);

CREATE UNIQUE INDEX apiKeyName ON apiKey (appId, name) WHERE endedAt IS NULL;

CREATE INDEX apiKeyExpiry ON apiKey (expiresAt) WHERE endedAt IS NULL AND expiresAt IS NOT NULL;

CREATE INDEX apiKeyEnded ON apiKey (endedAt) WHERE endedAt IS NOT NULL;
