/// The gate's refusals, alike ones of an hour in one row; who was refused what is sealed, since a secret may
/// have been typed into any field.
enum Schema020 {
    static let sql = """
        CREATE TABLE refusal (
            id {serial},
            likeness {bytes} NOT NULL UNIQUE,
            reason TEXT NOT NULL,
            firstAt {int} NOT NULL,
            lastAt {int} NOT NULL,
            times {int} NOT NULL,
            detail {bytes} NOT NULL
        ) {strict};
        CREATE INDEX refusalLast ON refusal (lastAt, id);

        """
}
