/// A connection that is so new that it may not have subscribed misses commands: those go out again in
/// front of newer ones.
enum Schema014 {
    static let sql = """
        ALTER TABLE status ADD COLUMN listensFrom {int};

        """
}
