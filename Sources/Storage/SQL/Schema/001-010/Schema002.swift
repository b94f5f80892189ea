/// Accounts with names, addresses, passwords and providers; codes and tickets.
///
/// Only an address that logs in is unique: any account may record another's address unverified. A phone that is
/// an account's username is found as a phone.
enum Schema002 {
    static let sql = """
        ALTER TABLE account ADD COLUMN username TEXT;
        ALTER TABLE account ADD COLUMN usernameKey TEXT;
        ALTER TABLE account ADD COLUMN phone TEXT;
        ALTER TABLE account ADD COLUMN phoneCountry TEXT;
        ALTER TABLE account ADD COLUMN phoneVerified {int} NOT NULL DEFAULT 0;
        ALTER TABLE account ADD COLUMN email TEXT;
        ALTER TABLE account ADD COLUMN emailKey TEXT;
        ALTER TABLE account ADD COLUMN emailClaim {int} NOT NULL DEFAULT 0;
        ALTER TABLE account ADD COLUMN externalUid TEXT;
        ALTER TABLE account ADD COLUMN passwordHash TEXT;
        ALTER TABLE account ADD COLUMN profile TEXT NOT NULL DEFAULT '{}';
        ALTER TABLE account ADD COLUMN avatar TEXT;
        ALTER TABLE account ADD COLUMN avatarUrl TEXT;
        CREATE UNIQUE INDEX accountUsername ON account (appId, region, usernameKey)
            WHERE usernameKey IS NOT NULL;
        CREATE UNIQUE INDEX accountPhone ON account (appId, region, phone)
            WHERE phoneVerified = 1;
        CREATE UNIQUE INDEX accountEmail ON account (appId, region, emailKey)
            WHERE emailClaim > 0;
        CREATE UNIQUE INDEX accountExternal ON account (appId, region, externalUid)
            WHERE externalUid IS NOT NULL;

        CREATE TABLE identity (
            appId TEXT NOT NULL,
            region TEXT NOT NULL,
            provider TEXT NOT NULL,
            subject TEXT NOT NULL,
            uid TEXT NOT NULL REFERENCES account (uid),
            linkedAt {int} NOT NULL,
            accessToken {bytes},
            PRIMARY KEY (appId, region, provider, subject)
        ) {strict};
        CREATE UNIQUE INDEX identityUser ON identity (uid, provider);

        CREATE TABLE code (
            scope {bytes} NOT NULL PRIMARY KEY,
            codeHash {bytes} NOT NULL,
            codeToken TEXT NOT NULL,
            tries {int} NOT NULL,
            sentAt {int} NOT NULL,
            expiresAt {int} NOT NULL,
            usedAt {int}
        ) {strict};
        CREATE INDEX codeExpiry ON code (expiresAt);

        CREATE TABLE ticket (
            ticketHash {bytes} NOT NULL PRIMARY KEY,
            scope {bytes} NOT NULL,
            expiresAt {int} NOT NULL,
            usedAt {int}
        ) {strict};
        CREATE INDEX ticketExpiry ON ticket (expiresAt);

        CREATE TABLE avatar (
            uid TEXT NOT NULL PRIMARY KEY REFERENCES account (uid),
            digest TEXT NOT NULL,
            mediaType TEXT NOT NULL,
            image {bytes} NOT NULL
        ) {strict};
        CREATE INDEX avatarDigest ON avatar (digest);

        """
}
