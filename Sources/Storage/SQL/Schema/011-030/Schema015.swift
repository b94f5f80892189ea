/// A device's first life with users has no beginning: what it kept from before its registration is theirs.
enum Schema015 {
    static let sql = """
        UPDATE device SET generationAt = 0 WHERE generation = 1;

        """
}
