ALTER TABLE session ADD COLUMN clientId TEXT;

ALTER TABLE session ADD COLUMN scopes TEXT;

CREATE INDEX sessionClient ON session (clientId) WHERE endedAt IS NULL;

CREATE INDEX sessionLinked ON session (terminalId) WHERE clientId IS NOT NULL;

CREATE TABLE oauthClient (
    clientId TEXT NOT NULL PRIMARY KEY,
    appId TEXT NOT NULL,
    name TEXT NOT NULL,
    redirects TEXT NOT NULL,
    scopes TEXT NOT NULL,
    secretHash BLOB
) STRICT;

CREATE UNIQUE INDEX oauthClientName ON oauthClient (appId, name);

CREATE TABLE oauthToken (
    tokenHash BLOB NOT NULL PRIMARY KEY,
    sessionId TEXT NOT NULL,
    kind TEXT NOT NULL,
    expiresAt INTEGER NOT NULL,
    usedAt INTEGER
) STRICT;

CREATE INDEX oauthTokenSession ON oauthToken (sessionId);

CREATE INDEX oauthTokenExpiry ON oauthToken (expiresAt);
