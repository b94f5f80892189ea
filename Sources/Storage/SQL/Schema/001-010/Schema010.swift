/// Accounts know since when they have an address: one that came with a change that is undone goes
/// with it.
enum Schema010 {
    static let sql = """
        ALTER TABLE account ADD COLUMN phoneSince {int};
        ALTER TABLE account ADD COLUMN emailSince {int};

        """
}
