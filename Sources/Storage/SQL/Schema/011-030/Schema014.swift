/// A connection that is so new that it may not have subscribed would miss commands: until when they are
/// held back.
enum Schema014 {
    static let sql = """
        ALTER TABLE status ADD COLUMN listensFrom {int};

        """
}
