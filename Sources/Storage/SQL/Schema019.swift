/// How much each device has written into its history on one day, and when its users were told that there is
/// no more room.
enum Schema019 {
    static let sql = """
        ALTER TABLE status ADD COLUMN historyDay {int} NOT NULL DEFAULT 0;
        ALTER TABLE status ADD COLUMN historyBytes {int} NOT NULL DEFAULT 0;
        ALTER TABLE status ADD COLUMN historyToldAt {int};

        """
}
