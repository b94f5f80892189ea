/// A request that was refused while its worker was away is refused as often as it came by then, and carried out
/// when it comes again.
enum Schema016 {
    static let sql = """
        ALTER TABLE request ADD COLUMN turnedAway {int};
        CREATE INDEX requestTurnedAway ON request (seq) WHERE turnedAway IS NOT NULL;

        """
}
