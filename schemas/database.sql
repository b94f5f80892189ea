CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE product (
    productKey TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    document TEXT NOT NULL,
    secretHash BLOB NOT NULL,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL
) STRICT;

CREATE TABLE listedMac (
    productKey TEXT NOT NULL REFERENCES product (productKey),
    mac TEXT NOT NULL,
    PRIMARY KEY (productKey, mac)
) STRICT;

CREATE TABLE app (
    appId TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    document TEXT NOT NULL,
    secretHash BLOB NOT NULL,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL
, secrets BLOB) STRICT;

CREATE TABLE service (
    name TEXT NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    secretHash BLOB NOT NULL
) STRICT;

CREATE TABLE device (
    did TEXT NOT NULL PRIMARY KEY,
    productKey TEXT NOT NULL REFERENCES product (productKey),
    mac TEXT NOT NULL,
    secretHash BLOB,
    passcodeHash BLOB,
    hardware TEXT NOT NULL,
    ownership INTEGER NOT NULL,
    ownershipSince INTEGER NOT NULL,
    lastCid INTEGER NOT NULL DEFAULT 0,
    resetUntil INTEGER,
    certificatesFrom INTEGER,
    createdAt INTEGER NOT NULL,
    registeredAt INTEGER
, name TEXT NOT NULL DEFAULT '') STRICT;

CREATE UNIQUE INDEX deviceMac ON device (productKey, mac);

CREATE TABLE status (
    did TEXT NOT NULL PRIMARY KEY,
    productKey TEXT NOT NULL,
    version INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    attributes TEXT NOT NULL,
    conditions TEXT NOT NULL,
    online INTEGER NOT NULL CHECK (online IN (0, 1)),
    alive INTEGER NOT NULL CHECK (alive IN (0, 1)),
    connection INTEGER NOT NULL,
    session TEXT,
    lastSeenAt INTEGER,
    recent BLOB,
    listensFrom INTEGER,
    historyDay INTEGER NOT NULL DEFAULT 0,
    historyBytes INTEGER NOT NULL DEFAULT 0,
    historyToldAt INTEGER,
    historyCountDay INTEGER NOT NULL DEFAULT 0,
    historyCount INTEGER NOT NULL DEFAULT 0,
    historyCountBefore INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX statusOnline ON status (did, productKey, online) WHERE online = 1;

CREATE TABLE event (
    did TEXT NOT NULL,
    ts INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    eventId TEXT NOT NULL,
    type TEXT NOT NULL,
    name TEXT,
    value TEXT,
    reason TEXT,
    actorKind TEXT NOT NULL,
    actorId TEXT NOT NULL,
    actorTerminal TEXT,
    PRIMARY KEY (did, ts, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX eventActor ON event (actorId) WHERE actorKind = 'user';

CREATE TABLE binding (
    did TEXT NOT NULL REFERENCES device (did),
    uid TEXT NOT NULL,
    appId TEXT NOT NULL,
    role TEXT NOT NULL,
    access TEXT NOT NULL,
    subscribed INTEGER NOT NULL CHECK (subscribed IN (0, 1)),
    alias TEXT NOT NULL,
    remark TEXT NOT NULL,
    boundAt INTEGER NOT NULL,
    guestUntil INTEGER,
    sharingId TEXT,
    PRIMARY KEY (did, uid)
) STRICT, WITHOUT ROWID;

CREATE INDEX bindingUser ON binding (uid, boundAt);

CREATE INDEX bindingGuest ON binding (guestUntil) WHERE guestUntil IS NOT NULL;

CREATE TABLE account (
    uid TEXT NOT NULL PRIMARY KEY,
    appId TEXT NOT NULL,
    region TEXT NOT NULL,
    countryCode TEXT NOT NULL,
    nickname TEXT NOT NULL,
    anonymous INTEGER NOT NULL CHECK (anonymous IN (0, 1)),
    deviceIdHash BLOB,
    tempUnit INTEGER NOT NULL,
    timezone TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    username TEXT,
    usernameKey TEXT,
    phone TEXT,
    phoneCountry TEXT,
    phoneVerified INTEGER NOT NULL DEFAULT 0,
    email TEXT,
    emailKey TEXT,
    emailClaim INTEGER NOT NULL DEFAULT 0,
    externalUid TEXT,
    passwordHash TEXT,
    profile TEXT NOT NULL DEFAULT '{}',
    avatar TEXT,
    avatarUrl TEXT,
    lastSeenAt INTEGER,
    phoneSince INTEGER,
    emailSince INTEGER,
    pendingPhone TEXT,
    pendingPhoneCountry TEXT,
    pendingEmail TEXT,
    pendingEmailKey TEXT,
    lastLoginAt INTEGER
) STRICT;

CREATE UNIQUE INDEX accountDevice ON account (appId, region, deviceIdHash);

CREATE UNIQUE INDEX accountUsername ON account (appId, region, usernameKey) WHERE usernameKey IS NOT NULL;

CREATE UNIQUE INDEX accountPhone ON account (appId, region, phone) WHERE phoneVerified = 1;

CREATE UNIQUE INDEX accountEmail ON account (appId, region, emailKey) WHERE emailClaim > 0;

CREATE UNIQUE INDEX accountExternal ON account (appId, region, externalUid) WHERE externalUid IS NOT NULL;

CREATE INDEX accountIdle ON account (lastSeenAt) WHERE anonymous = 1;

CREATE INDEX accountEmailNamed ON account (appId, region, emailKey) WHERE emailKey IS NOT NULL;

CREATE INDEX accountPhoneNamed ON account (appId, region, phone) WHERE phone IS NOT NULL;

CREATE INDEX accountPendingPhone ON account (appId, region, pendingPhone) WHERE pendingPhone IS NOT NULL;

CREATE INDEX accountPendingEmail ON account (appId, region, pendingEmailKey) WHERE pendingEmailKey IS NOT NULL;

CREATE TABLE terminal (
    terminalId TEXT NOT NULL PRIMARY KEY,
    appId TEXT NOT NULL,
    createdAt INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
    sessionId TEXT NOT NULL PRIMARY KEY,
    uid TEXT NOT NULL REFERENCES account (uid),
    appId TEXT NOT NULL,
    terminalId TEXT NOT NULL,
    tokenHash BLOB NOT NULL,
    platform TEXT NOT NULL,
    os TEXT NOT NULL,
    name TEXT NOT NULL,
    loginTime INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    endedAt INTEGER,
    endReason TEXT,
    cutOffAt INTEGER,
    lastSeenAt INTEGER,
    oldTokenHash BLOB,
    oldTokenUntil INTEGER
, clientId TEXT, scopes TEXT) STRICT;

CREATE UNIQUE INDEX sessionToken ON session (tokenHash);

CREATE UNIQUE INDEX sessionTerminal ON session (terminalId) WHERE endedAt IS NULL;

CREATE INDEX sessionUser ON session (uid) WHERE endedAt IS NULL;

CREATE INDEX sessionExpiry ON session (expiresAt) WHERE endedAt IS NULL;

CREATE UNIQUE INDEX sessionOldToken ON session (oldTokenHash) WHERE oldTokenHash IS NOT NULL;

CREATE INDEX sessionEnded ON session (endedAt) WHERE endedAt IS NOT NULL;

CREATE INDEX sessionOwner ON session (uid);

CREATE TABLE waiter (
    did TEXT NOT NULL,
    cid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    terminalId TEXT NOT NULL,
    requestId TEXT NOT NULL,
    topic TEXT NOT NULL,
    correlation BLOB,
    traceparent TEXT,
    PRIMARY KEY (did, cid, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
    did TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (did, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX inboxAge ON inbox (at);

CREATE TABLE notice (
    noticeId TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX noticeAge ON notice (at);

CREATE TABLE outbox (
    id INTEGER NOT NULL PRIMARY KEY,
    worker TEXT NOT NULL,
    sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
    messages BLOB NOT NULL,
    createdAt INTEGER NOT NULL
) STRICT;

CREATE TABLE refresh (
    did TEXT NOT NULL,
    uid TEXT NOT NULL,
    PRIMARY KEY (did, uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE deadLetter (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    worker TEXT NOT NULL,
    topic TEXT NOT NULL,
    payload BLOB NOT NULL,
    shapeOnly INTEGER NOT NULL CHECK (shapeOnly IN (0, 1)),
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE TABLE attempt (
    subject TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER
) STRICT;

CREATE INDEX attemptEnd ON attempt (until);

CREATE TABLE identity (
    appId TEXT NOT NULL,
    region TEXT NOT NULL,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    uid TEXT NOT NULL REFERENCES account (uid),
    linkedAt INTEGER NOT NULL,
    accessToken BLOB,
    PRIMARY KEY (appId, region, provider, subject)
) STRICT;

CREATE UNIQUE INDEX identityUser ON identity (uid, provider);

CREATE TABLE code (
    scope BLOB NOT NULL PRIMARY KEY,
    codeHash BLOB NOT NULL,
    codeToken TEXT NOT NULL,
    tries INTEGER NOT NULL,
    sentAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    usedAt INTEGER,
    tokenTries INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX codeExpiry ON code (expiresAt);

CREATE TABLE ticket (
    ticketHash BLOB NOT NULL PRIMARY KEY,
    scope BLOB NOT NULL,
    expiresAt INTEGER NOT NULL,
    usedAt INTEGER
) STRICT;

CREATE INDEX ticketExpiry ON ticket (expiresAt);

CREATE TABLE avatar (
    uid TEXT NOT NULL PRIMARY KEY REFERENCES account (uid),
    digest TEXT NOT NULL,
    mediaType TEXT NOT NULL,
    image BLOB NOT NULL
) STRICT;

CREATE INDEX avatarDigest ON avatar (digest);

CREATE TABLE delivery (
    messageId TEXT NOT NULL PRIMARY KEY,
    channel TEXT NOT NULL,
    dummy INTEGER NOT NULL CHECK (dummy IN (0, 1)),
    content BLOB NOT NULL,
    tries INTEGER NOT NULL,
    told TEXT,
    dueAt INTEGER NOT NULL,
    claimedBy INTEGER,
    error TEXT,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL
, terminalId TEXT) STRICT;

CREATE INDEX deliveryDue ON delivery (channel, dueAt);

CREATE INDEX deliveryExpiry ON delivery (expiresAt);

CREATE TABLE link (
    tokenHash BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    uid TEXT NOT NULL,
    content BLOB NOT NULL,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    usedAt INTEGER
) STRICT;

CREATE INDEX linkUser ON link (uid, kind);

CREATE INDEX linkExpiry ON link (expiresAt);

CREATE TABLE logoutCode (
    uid TEXT NOT NULL PRIMARY KEY,
    codeHash BLOB NOT NULL,
    expiresAt INTEGER NOT NULL,
    usedAt INTEGER
) STRICT;

CREATE INDEX logoutCodeAge ON logoutCode (expiresAt);

CREATE TABLE cancellation (
    uid TEXT NOT NULL PRIMARY KEY,
    deletesAt INTEGER NOT NULL,
    erasedAt INTEGER
) STRICT;

CREATE INDEX cancellationDue ON cancellation (deletesAt);

CREATE TABLE audit (
    id INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    uid TEXT,
    appId TEXT,
    actorKind TEXT NOT NULL,
    actorId TEXT NOT NULL,
    actorTerminal TEXT,
    terminalId TEXT,
    detail TEXT,
    subject TEXT,
    before TEXT,
    after TEXT
) STRICT;

CREATE INDEX auditUser ON audit (uid, id);

CREATE INDEX auditSubject ON audit (subject, id) WHERE subject IS NOT NULL;

CREATE TABLE historyBuffer (
    seq INTEGER NOT NULL PRIMARY KEY,
    owner INTEGER NOT NULL,
    size INTEGER NOT NULL,
    lines BLOB NOT NULL
) STRICT;

CREATE TABLE history (
    did TEXT NOT NULL,
    fromTs INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    toTs INTEGER NOT NULL,
    count INTEGER NOT NULL,
    lines BLOB NOT NULL,
    PRIMARY KEY (did, fromTs, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE historyDay (
    did TEXT NOT NULL,
    day INTEGER NOT NULL,
    name TEXT NOT NULL,
    halves TEXT NOT NULL,
    stale INTEGER NOT NULL CHECK (stale IN (0, 1)),
    PRIMARY KEY (did, day, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX historyDayStale ON historyDay (day, did) WHERE stale = 1;

CREATE TABLE sharing (
    sharingId TEXT NOT NULL PRIMARY KEY,
    did TEXT NOT NULL,
    appId TEXT NOT NULL,
    inviterUid TEXT NOT NULL,
    guestUid TEXT,
    way TEXT NOT NULL,
    addresseeKind TEXT,
    addressee TEXT,
    addresseeHash BLOB,
    codeHash BLOB,
    access TEXT NOT NULL,
    guestMinutes INTEGER,
    status TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    acceptedAt INTEGER,
    changedAt INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX sharingCode ON sharing (codeHash) WHERE codeHash IS NOT NULL;

CREATE INDEX sharingDevice ON sharing (did) WHERE status IN ('pending', 'accepted');

CREATE INDEX sharingInviter ON sharing (inviterUid, createdAt, sharingId);

CREATE INDEX sharingGuest ON sharing (guestUid, createdAt, sharingId) WHERE guestUid IS NOT NULL;

CREATE INDEX sharingPending ON sharing (expiresAt) WHERE status = 'pending';

CREATE INDEX sharingEnded ON sharing (changedAt) WHERE status IN ('rejected', 'expired', 'revoked');

CREATE TABLE home (
    homeId TEXT NOT NULL PRIMARY KEY,
    uid TEXT NOT NULL,
    name TEXT NOT NULL,
    latitude REAL,
    longitude REAL,
    createdAt INTEGER NOT NULL
) STRICT;

CREATE INDEX homeUser ON home (uid, createdAt);

CREATE TABLE homeDevice (
    uid TEXT NOT NULL,
    did TEXT NOT NULL,
    homeId TEXT NOT NULL REFERENCES home (homeId),
    PRIMARY KEY (uid, did)
) STRICT, WITHOUT ROWID;

CREATE INDEX homeDevices ON homeDevice (homeId);

CREATE TABLE dispatch (
    did TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    sentBefore INTEGER
) STRICT;

CREATE INDEX dispatchTime ON dispatch (at);

CREATE TABLE schedule (
    scheduleId TEXT NOT NULL PRIMARY KEY,
    did TEXT NOT NULL,
    uid TEXT NOT NULL,
    appId TEXT NOT NULL,
    date TEXT,
    weekDays INTEGER NOT NULL,
    monthDays INTEGER NOT NULL,
    time TEXT NOT NULL,
    sun INTEGER NOT NULL CHECK (sun IN (0, 1)),
    timezone TEXT NOT NULL,
    attrs TEXT NOT NULL,
    secretAttrs BLOB,
    remark TEXT NOT NULL,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    misfire TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    activeSince INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    nextAt INTEGER,
    FOREIGN KEY (did, uid) REFERENCES binding (did, uid) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX scheduleDue ON schedule (nextAt, scheduleId) WHERE nextAt IS NOT NULL;

CREATE INDEX scheduleDevice ON schedule (did, scheduleId);

CREATE INDEX scheduleSun ON schedule (uid, scheduleId) WHERE sun = 1;

CREATE INDEX scheduleZone ON schedule (timezone, scheduleId);

CREATE TABLE scheduleRun (
    scheduleId TEXT NOT NULL REFERENCES schedule (scheduleId) ON DELETE CASCADE,
    dueAt INTEGER NOT NULL,
    firedAt INTEGER NOT NULL,
    state TEXT NOT NULL,
    cid INTEGER,
    error TEXT,
    code INTEGER,
    PRIMARY KEY (scheduleId, dueAt)
) STRICT, WITHOUT ROWID;

CREATE INDEX scheduleRunOpen ON scheduleRun (scheduleId, cid) WHERE state = 'sent';

CREATE INDEX scheduleRunAge ON scheduleRun (dueAt);

CREATE TABLE zone (
    name TEXT NOT NULL PRIMARY KEY,
    rules BLOB NOT NULL
) STRICT;

CREATE TABLE replan (
    subject TEXT NOT NULL PRIMARY KEY,
    reached TEXT NOT NULL
) STRICT;

CREATE TABLE command (
    seq INTEGER NOT NULL PRIMARY KEY,
    did TEXT NOT NULL,
    cid INTEGER NOT NULL,
    sn INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    data TEXT NOT NULL,
    bytes TEXT,
    actorKind TEXT NOT NULL,
    actorId TEXT NOT NULL,
    actorTerminal TEXT,
    appId TEXT,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    doneAt INTEGER,
    code INTEGER,
    result TEXT,
    late INTEGER NOT NULL CHECK (late IN (0, 1)),
    mode TEXT NOT NULL,
    refusal TEXT,
    steps TEXT,
    secret BLOB,
    trace TEXT, uid TEXT,
    UNIQUE (did, cid)
) STRICT;

CREATE INDEX commandOpen ON command (expiresAt) WHERE state IN ('queued', 'sent');

CREATE INDEX commandQueued ON command (did, cid) WHERE state = 'queued';

CREATE INDEX commandSent ON command (did, cid) WHERE state = 'sent';

CREATE INDEX commandAge ON command (did, createdAt, cid);

CREATE TABLE request (
    seq INTEGER NOT NULL PRIMARY KEY,
    sender TEXT NOT NULL,
    id TEXT NOT NULL,
    content BLOB NOT NULL,
    answer BLOB,
    sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
    did TEXT,
    cid INTEGER,
    at INTEGER NOT NULL,
    turnedAway INTEGER,
    UNIQUE (sender, id)
) STRICT;

CREATE INDEX requestTurnedAway ON request (seq) WHERE turnedAway IS NOT NULL;

CREATE TABLE formerBinding (
    uid TEXT NOT NULL,
    did TEXT NOT NULL,
    lastCid INTEGER NOT NULL,
    checkedTo INTEGER NOT NULL,
    PRIMARY KEY (uid, did)
) STRICT, WITHOUT ROWID;

CREATE INDEX formerBindingDevice ON formerBinding (did, lastCid);

CREATE TABLE refusal (
    id INTEGER NOT NULL PRIMARY KEY,
    likeness BLOB NOT NULL UNIQUE,
    reason TEXT NOT NULL,
    firstAt INTEGER NOT NULL,
    lastAt INTEGER NOT NULL,
    times INTEGER NOT NULL,
    detail BLOB NOT NULL
) STRICT;

CREATE INDEX refusalLast ON refusal (lastAt, id);

CREATE TABLE node (
    slot INTEGER NOT NULL PRIMARY KEY,
    node TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    draining INTEGER NOT NULL CHECK (draining IN (0, 1)),
    startedAt INTEGER NOT NULL,
    untilAt INTEGER NOT NULL
) STRICT;

CREATE TABLE lease (
    worker TEXT NOT NULL,
    lane INTEGER NOT NULL,
    node TEXT,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (worker, lane)
) STRICT, WITHOUT ROWID;

CREATE TABLE operator (
    name TEXT NOT NULL PRIMARY KEY,
    role TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    passwordHash TEXT
) STRICT;

CREATE TABLE operatorLink (
    tokenHash BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL
) STRICT;

CREATE INDEX operatorLinkExpiry ON operatorLink (expiresAt);

CREATE TABLE operatorSession (
    tokenHash BLOB NOT NULL,
    sessionId TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    way TEXT NOT NULL,
    address TEXT NOT NULL,
    client TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    seenAt INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX operatorSessionToken ON operatorSession (tokenHash);

CREATE INDEX operatorSessionAge ON operatorSession (createdAt);

CREATE TABLE operatorToken (
    tokenHash BLOB NOT NULL,
    tokenId TEXT NOT NULL PRIMARY KEY,
    label TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    usedAt INTEGER
) STRICT;

CREATE UNIQUE INDEX operatorTokenSecret ON operatorToken (tokenHash);

CREATE INDEX operatorTokenExpiry ON operatorToken (expiresAt);

CREATE TABLE messageRecord (
    messageId TEXT NOT NULL PRIMARY KEY,
    channel TEXT NOT NULL,
    address TEXT NOT NULL,
    addressHash BLOB NOT NULL,
    template TEXT NOT NULL,
    appId TEXT NOT NULL,
    provider TEXT NOT NULL,
    state TEXT NOT NULL,
    tries INTEGER NOT NULL,
    error TEXT,
    createdAt INTEGER NOT NULL,
    endedAt INTEGER NOT NULL
) STRICT;

CREATE INDEX messageRecordCreation ON messageRecord (createdAt, messageId);

CREATE INDEX messageRecordEnd ON messageRecord (endedAt);

CREATE INDEX messageRecordAddress ON messageRecord (addressHash);

CREATE TABLE providerUse (
    appId TEXT NOT NULL,
    provider TEXT NOT NULL,
    succeededAt INTEGER,
    failedAt INTEGER,
    failure TEXT,
    PRIMARY KEY (appId, provider)
) STRICT;

CREATE TABLE tag (
    did TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (did, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX tagDevices ON tag (name, value, did);

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

CREATE TABLE homeAssistant (
    sessionId TEXT NOT NULL,
    did TEXT NOT NULL,
    uid TEXT NOT NULL,
    components TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (sessionId, did)
) STRICT, WITHOUT ROWID;

CREATE INDEX homeAssistantUser ON homeAssistant (uid);

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

CREATE INDEX deliveryTerminal ON delivery (terminalId) WHERE terminalId IS NOT NULL;
