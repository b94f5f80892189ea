package import Domain

/// A request that is answered once a command's outcome is known.
package struct Waiter: Sendable {
    /// The asking terminal.
    package var terminal: TerminalID
    /// The request to be answered.
    package var requestID: MessageID
    /// The topic of the answer.
    package var topic: String
    /// The MQTT 5 correlation data for the answer.
    package var correlation: [UInt8]?

    /// Makes a waiter.
    package init(
        terminal: TerminalID,
        requestID: MessageID,
        topic: String,
        correlation: [UInt8]?
    ) {
        self.terminal = terminal
        self.requestID = requestID
        self.topic = topic
        self.correlation = correlation
    }
}

extension CommandTable {
    /// Adds a waiter for a command.
    package func wait(_ did: DeviceID, _ cid: Int64, _ waiter: Waiter) throws {
        try sql.run(
            """
            INSERT INTO waiter (did, cid, seq, terminalId, requestId, topic, correlation)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """
        ) {
            $0.add(did.text)
            $0.add(cid)
            $0.add(transaction.sequence.next(transaction.now))
            $0.add(waiter.terminal.text)
            $0.add(waiter.requestID.text)
            $0.add(waiter.topic)
            $0.add(bytes: waiter.correlation)
        }
    }

    /// Removes and returns the waiters for a command.
    package func takeWaiters(_ did: DeviceID, _ cid: Int64) throws -> [Waiter] {
        let waiters = try sql.query(
            """
            SELECT terminalId, requestId, topic, correlation FROM waiter
            WHERE did = $1 AND cid = $2 ORDER BY seq
            """
        ) {
            $0.add(did.text)
            $0.add(cid)
        } row: {
            Waiter(
                terminal: TerminalID(trusted: $0.text(0)),
                requestID: MessageID(trusted: $0.text(1)),
                topic: $0.text(2),
                correlation: $0.optionalBytes(3)
            )
        }
        if !waiters.isEmpty {
            try sql.run("DELETE FROM waiter WHERE did = $1 AND cid = $2") {
                $0.add(did.text)
                $0.add(cid)
            }
        }
        return waiters
    }
}
