import Domain
package import Storage

extension Store {
    /// Waits until all rows of the event log can be read.
    ///
    /// A row can be read only when all earlier transactions have ended. These include other tests' transactions on the
    /// same server.
    package func awaitEvents() throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let isReadable = try read { tx in
                let last = try tx.sql.first("SELECT xid, seq FROM eventLog ORDER BY xid DESC, seq DESC LIMIT 1") {
                    row in
                    EventCursor(xid: row.next(), seq: row.next())
                }
                return try last.map { try $0 <= tx.eventLog.end() } ?? true
            }
            if isReadable { return }
        }
    }
}
