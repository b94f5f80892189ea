/// A device that has come anew may have missed what the broker had taken for it: that goes out again.
enum Schema011 {
    static let sql = """
        ALTER TABLE commandCall ADD COLUMN sentBefore {int};

        """
}
