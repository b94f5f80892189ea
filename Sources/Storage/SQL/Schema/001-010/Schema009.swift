/// Accounts are found by any address that they hold, verified or not: the account that verifies one takes it
/// from all others.
enum Schema009 {
    static let sql = """
        CREATE INDEX accountEmailNamed ON account (appId, region, emailKey)
            WHERE emailKey IS NOT NULL;
        CREATE INDEX accountPhoneNamed ON account (appId, region, phone)
            WHERE phone IS NOT NULL;

        """
}
