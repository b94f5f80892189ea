/// A reconnected device may have missed messages that the broker had accepted for it: those are sent again.
enum Schema011 {
    static let sql = """
        ALTER TABLE commandCall ADD COLUMN sentBefore {int};

        """
}
