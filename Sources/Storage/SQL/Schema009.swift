/// Accounts are found by any address that they name, proved or not: whoever proves one takes it from
/// all others.
enum Schema009 {
    static let sql = """
        CREATE INDEX accountEmailNamed ON account (appId, region, emailKey)
            WHERE emailKey IS NOT NULL;
        CREATE INDEX accountPhoneNamed ON account (appId, region, phone)
            WHERE phone IS NOT NULL;

        """
}
