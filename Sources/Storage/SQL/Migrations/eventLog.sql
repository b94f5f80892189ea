CREATE TABLE eventLog (
    xid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    bulk INTEGER NOT NULL,
    count INTEGER NOT NULL,
    createdAt INTEGER NOT NULL,
    messages BLOB NOT NULL,
    PRIMARY KEY (xid, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE eventSubscription (
    subscriptionId TEXT NOT NULL PRIMARY KEY,
    appId TEXT NOT NULL,
    keyId TEXT,
    name TEXT NOT NULL,
    types TEXT NOT NULL,
    productKeys TEXT NOT NULL,
    dids TEXT NOT NULL,
    bulk INTEGER NOT NULL,
    url TEXT,
    batch INTEGER NOT NULL,
    secret BLOB,
    oldSecret BLOB,
    oldSecretUntil INTEGER,
    cursor TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    tries INTEGER NOT NULL,
    dueAt INTEGER,
    failingSince INTEGER,
    lastOkAt INTEGER,
    lastError TEXT,
    createdAt INTEGER NOT NULL,
    deliveries TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE INDEX eventSubscriptionApp ON eventSubscription (appId, createdAt);
