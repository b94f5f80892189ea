package import Domain

/// A request that is answered once the outcome of a command is known.
package struct Waiter: Sendable {
    /// The terminal that sent the request.
    package var terminal: TerminalID
    /// The id of the request to be answered.
    package var requestID: MessageID
    /// The topic to which the answer is published.
    package var topic: String
    /// The MQTT 5 correlation data for the answer.
    package var correlation: [UInt8]?
    /// The `traceparent` for the answer.
    package var traceparent: String?

    /// Makes a waiting request.
    package init(
        terminal: TerminalID,
        requestID: MessageID,
        topic: String,
        correlation: [UInt8]?,
        traceparent: String? = nil
    ) {
        self.terminal = terminal
        self.requestID = requestID
        self.topic = topic
        self.correlation = correlation
        self.traceparent = traceparent
    }
}

extension CommandTable {
    /// Adds a request that waits for a command's outcome.
    package func addWaiter(_ waiter: Waiter, for did: DeviceID, cid: Int64) throws {
        try transaction.requireLock(of: did)
        let seq = transaction.sequence.next(now)
        try sql.run(WaiterRow.table.insert, WaiterRow(did: did, cid: cid, seq: seq, waiter: waiter))
    }

    /// Removes and returns the requests that wait for a command's outcome.
    package func takeWaiters(_ did: DeviceID, _ cid: Int64) throws -> [Waiter] {
        try transaction.requireLock(of: did)
        let waiters = try sql.rows(of: WaiterRow.table, "WHERE did = $1 AND cid = $2 ORDER BY seq", did, cid).map(
            \.waiter
        )
        if !waiters.isEmpty { try sql.run("DELETE FROM waiter WHERE did = $1 AND cid = $2", did, cid) }
        return waiters
    }
}

/// A waiting request, its command, and a sequence number among that command's requests.
struct WaiterRow: TableRow {
    var did: DeviceID
    var cid: Int64
    var seq: Int64
    var waiter: Waiter

    static let table = Table<WaiterRow>("waiter")

    static func map(_ column: inout ColumnMapper<WaiterRow>) -> WaiterRow {
        WaiterRow(
            did: column("did", \.did, as: .key),
            cid: column("cid", \.cid, as: .key),
            seq: column("seq", \.seq, as: .key),
            waiter: Waiter(
                terminal: column("terminalId", \.waiter.terminal),
                requestID: column("requestId", \.waiter.requestID),
                topic: column("topic", \.waiter.topic),
                correlation: column("correlation", \.waiter.correlation),
                traceparent: column("traceparent", \.waiter.traceparent)
            )
        )
    }
}
