/// Addresses that wait to be proved beside those that log in; when a user logged in last; and a time zone only
/// where the user said one: until now every account had UTC, without having chosen it.
enum Schema018 {
    static let sql = """
        ALTER TABLE account ADD COLUMN pendingPhone TEXT;

        ALTER TABLE account ADD COLUMN pendingPhoneCountry TEXT;

        ALTER TABLE account ADD COLUMN pendingEmail TEXT;

        ALTER TABLE account ADD COLUMN pendingEmailKey TEXT;

        ALTER TABLE account ADD COLUMN lastLoginAt {int};

        CREATE INDEX accountPendingPhone ON account (appId, region, pendingPhone)
            WHERE pendingPhone IS NOT NULL;

        CREATE INDEX accountPendingEmail ON account (appId, region, pendingEmailKey)
            WHERE pendingEmailKey IS NOT NULL;

        UPDATE account SET timezone = '' WHERE timezone = 'UTC';

        UPDATE account SET lastLoginAt =
            (SELECT max(s.loginTime) FROM session AS s WHERE s.uid = account.uid);

        """
}
