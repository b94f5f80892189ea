extension AttemptTable {
    /// Takes a counted try back, since it was a right one.
    package func takeBack(_ subject: String) throws {
        try transaction.sql.run(
            "UPDATE attempt SET count = count - 1 WHERE subject = $1 AND count > 0"
        ) {
            $0.add(subject)
        }
    }
}
