import CPostgreSQL
import Glibc

/// Functions that wait with a time limit, because a frozen server doesn't close the connection.
extension PostgresConnection {
    /// The longest wait for an answer, which is longer than the server's time limit for a statement.
    package static let answerMilliseconds = 20_000

    /// Returns the next answer, or nil if the statement has no more answers.
    ///
    /// - Throws: A `PostgresError` if no answer arrived in time. The connection is then marked as lost.
    func nextAnswer() throws(PostgresError) -> OpaquePointer? {
        guard PQflush(handle) != 0 || PQisBusy(handle) != 0 else { return PQgetResult(handle) }
        let end = ContinuousClock.now + .milliseconds(patience)
        while true {
            let left = PQflush(handle)
            guard left >= 0 else { throw lastError }
            if left == 0, PQisBusy(handle) == 0 { return PQgetResult(handle) }
            if let open, open.mayCancel, !wasCancelled, let over = open.end, over < end {
                if try !wait(until: over, writes: left == 1) { cancel() }
            } else if try !wait(until: end, writes: left == 1) {
                giveUp()
                throw PostgresError(message: "the server did not answer within \(patience / 1000) s")
            }
            guard PQconsumeInput(handle) == 1 else { throw lastError }
        }
    }

    /// Returns the last answer to the sent statements, or throws the first failure.
    func lastAnswer() throws(PostgresError) -> PostgresResult {
        var last: PostgresResult?
        var failure: PostgresError?
        while let answer = try nextAnswer() {
            do throws(PostgresError) {
                last = try check(answer)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        guard let last else { throw lastError }
        return last
    }

    /// Returns the texts of notifications on the channels to which the connection listens (`LISTEN`).
    ///
    /// Waits until a notification arrives or the time is up.
    ///
    /// - Throws: A `PostgresError` if the connection is lost.
    package func notifications(waiting time: Duration) throws(PostgresError) -> [String] {
        let end = ContinuousClock.now + time
        while true {
            guard !isGivenUp, PQconsumeInput(handle) == 1 else { throw lastError }
            var texts: [String] = []
            while let next = PQnotifies(handle) {
                texts.append(String(cString: next.pointee.extra))
                PQfreemem(next)
            }
            let rest = (end - .now) / .milliseconds(1)
            guard texts.isEmpty, rest > 0 else { return texts }
            var waiting = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, Int32(min(rest + 1, 600_000)))
        }
    }

    /// Waits until the connection is readable, and returns false when the time is up.
    ///
    /// If `writes` is true, the wait also ends when the connection is writable.
    private func wait(until end: ContinuousClock.Instant, writes: Bool) throws(PostgresError) -> Bool {
        let rest = (end - .now) / .milliseconds(1)
        var waiting = pollfd(fd: PQsocket(handle), events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0)
        let count = rest > 0 ? poll(&waiting, 1, Int32(min(rest + 1, 600_000))) : 0
        return count > 0 || count < 0 && errno == EINTR
    }
}
