/// Fewer indexes to write for each command.
///
/// The senders of commands had an index of their own, which only erasing an account reads; since senders are
/// bound to the device, ended bindings lead to the same rows. Requests lie in the order of their coming, so
/// that the oldest are the first.
enum Schema013 {
    static let sql = """
        CREATE TABLE formerBond (
            uid TEXT NOT NULL,
            did TEXT NOT NULL,
            lastCid {int} NOT NULL,
            checkedTo {int} NOT NULL,
            PRIMARY KEY (uid, did)
        ) {strict}, WITHOUT ROWID;
        CREATE INDEX formerBondDevice ON formerBond (did, lastCid);
        INSERT INTO formerBond (uid, did, lastCid, checkedTo)
        SELECT u.uid, c.did, max(c.cid), 0
        FROM (SELECT uid FROM account UNION SELECT uid FROM cancellation) AS u
            JOIN command AS c ON c.actor >= '{"kind":"user","id":"' || u.uid || '"'
                AND c.actor < '{"kind":"user","id":"' || u.uid || '"~'
                AND c.actor >= '{"kind":"user"' AND c.actor < '{"kind":"user#'
        WHERE NOT EXISTS (SELECT 1 FROM binding AS b WHERE b.did = c.did AND b.uid = u.uid)
        GROUP BY u.uid, c.did;
        DROP INDEX commandActor;
        DROP INDEX requestAge;

        """
}
