/// Accounts by an address that they name, proved or not: who proves it takes it from all others.
enum Schema009 {
    static let sql = """
        CREATE INDEX accountEmailNamed ON account (appId, region, emailKey, createdAt)
            WHERE emailKey IS NOT NULL;
        CREATE INDEX accountPhoneNamed ON account (appId, region, phone)
            WHERE phone IS NOT NULL;
        """
}
