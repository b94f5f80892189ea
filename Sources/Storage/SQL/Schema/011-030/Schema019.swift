/// The bytes that each device wrote into its history on one day, and when its users were notified of the bound.
enum Schema019 {
    static let sql = """
        ALTER TABLE status ADD COLUMN historyDay {int} NOT NULL DEFAULT 0;
        ALTER TABLE status ADD COLUMN historyBytes {int} NOT NULL DEFAULT 0;
        ALTER TABLE status ADD COLUMN historyToldAt {int};

        """
}
