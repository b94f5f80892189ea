CREATE TABLE notification (
    notificationId TEXT NOT NULL PRIMARY KEY,
    uid TEXT NOT NULL,
    eventId TEXT NOT NULL,
    kind TEXT NOT NULL,
    type TEXT NOT NULL,
    did TEXT,
    subject TEXT NOT NULL,
    ts INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    data TEXT NOT NULL,
    isRead INTEGER NOT NULL,
    count INTEGER NOT NULL,
    clearedAt INTEGER,
    hidden INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    why TEXT NOT NULL,
    countedIn TEXT,
    pushes TEXT NOT NULL,
    dueAt INTEGER
) STRICT;

CREATE UNIQUE INDEX notificationEvent ON notification (uid, eventId);

CREATE INDEX notificationList ON notification (uid, hidden, ts, notificationId);

CREATE INDEX notificationUnread ON notification (uid, kind) WHERE hidden = 0 AND isRead = 0;

CREATE INDEX notificationSubject ON notification (did, subject, uid, ts) WHERE did IS NOT NULL;

CREATE INDEX notificationDue ON notification (dueAt) WHERE dueAt IS NOT NULL;

CREATE INDEX notificationAge ON notification (hidden, ts);

CREATE TABLE notificationSetting (
    uid TEXT NOT NULL PRIMARY KEY,
    off TEXT NOT NULL,
    dids TEXT NOT NULL,
    offlineMinutes INTEGER NOT NULL,
    quietFrom INTEGER,
    quietTo INTEGER NOT NULL,
    quietZone TEXT
) STRICT;

CREATE TABLE pushAddress (
    terminalId TEXT NOT NULL PRIMARY KEY,
    uid TEXT NOT NULL,
    appId TEXT NOT NULL,
    kind TEXT NOT NULL,
    address BLOB NOT NULL,
    addressHash BLOB NOT NULL,
    sandbox INTEGER NOT NULL,
    since INTEGER NOT NULL,
    lastOkAt INTEGER,
    error TEXT,
    countedFrom INTEGER NOT NULL,
    pushes INTEGER NOT NULL,
    leftOut INTEGER NOT NULL,
    summaryAt INTEGER
) STRICT;

CREATE UNIQUE INDEX pushAddressUser ON pushAddress (uid, terminalId);

CREATE UNIQUE INDEX pushAddressValue ON pushAddress (addressHash);

CREATE INDEX pushAddressSummary ON pushAddress (summaryAt) WHERE summaryAt IS NOT NULL;
