import Dispatch
import PostgreSQL
import Synchronization

/// A limited number of database connections, each used by one thread at a time.
///
/// When a connection fails, it is closed together with all idle connections. After a failover, these connections lead
/// to a server that no longer accepts writes. A failed attempt to connect starts a pause. During the pause, further
/// attempts fail at once. The pause grows from 0.1 to 2 seconds.
final class PostgresPool: Sendable {
    /// The longest time for which a thread waits for a connection, in seconds.
    static let waitMax = 10
    private static let pauses: (least: Double, most: Double) = (0.1, 2)

    /// A pooled connection, used by only one thread at a time.
    ///
    /// A thread takes a connection out of the idle list under the list's lock. A connection of libpq can change
    /// threads, but not serve two at once. Hence the type is `@unchecked`.
    private struct Lent: @unchecked Sendable {
        let connection: PostgresConnection
    }

    private struct State {
        var idle: [Lent] = []
        var lent = 0
        /// The number of failed attempts to connect since the last success.
        var failures = 0
        var lastFailure: PostgresError?
        var notBefore: ContinuousClock.Instant?
        var tell: (@Sendable (String?) -> Void)?
    }

    private let state = Mutex(State())
    private let room: DispatchSemaphore
    private let size: Int
    private let open: @Sendable () throws -> PostgresConnection

    /// Creates a pool of at most `size` connections, which `open` makes.
    init(size: Int, open: @escaping @Sendable () throws -> PostgresConnection) {
        (self.size, self.open) = (size, open)
        room = DispatchSemaphore(value: size)
    }

    /// The number of connections, both idle and lent.
    var count: Int { state.withLock { $0.idle.count + $0.lent } }

    /// Lends a connection to `body`, after waiting up to `waitMax` seconds for a free one.
    ///
    /// - Throws: An error of `body`, or a `PostgresError` if there is no connection.
    func with<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        guard room.wait(timeout: .now() + .seconds(Self.waitMax)) == .success else {
            throw PostgresError(state: "53300", message: "all \(size) connections are in use")
        }
        defer { room.signal() }
        let lent = try state.withLock { $0.idle.popLast() } ?? connect()
        state.withLock { $0.lent += 1 }
        defer { state.withLock { $0.lent -= 1 } }
        do {
            let value = try body(lent.connection)
            takeBack(lent)
            return value
        } catch let error as PostgresError where error.kind == .server {
            state.withLock { $0.idle = [] }
            throw error
        } catch {
            // After a lost answer to a commit, the idle connections are closed too. They lead to the same server.
            if lent.connection.isLost { state.withLock { $0.idle = [] } }
            takeBack(lent)
            throw error
        }
    }

    private func takeBack(_ lent: Lent) {
        guard !lent.connection.isLost, !lent.connection.isInTransaction, !lent.connection.wasCancelled else { return }
        state.withLock { $0.idle.append(lent) }
    }

    private func connect() throws -> Lent {
        let pending = state.withLock { state -> PostgresError? in
            guard let notBefore = state.notBefore, notBefore > .now else { return nil }
            return state.lastFailure
        }
        if let pending { throw pending }
        do {
            let connection = try open()
            noteSuccess()
            return Lent(connection: connection)
        } catch let error as PostgresError {
            noteFailure(error)
            throw error
        }
    }

    // MARK: Availability

    /// Sets a function that is called after each failed attempt to connect, and after the next successful attempt.
    ///
    /// The function gets the reason for the failure, or nil after the success.
    func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) { state.withLock { $0.tell = tell } }

    private func noteSuccess() {
        let tell = state.withLock { state -> (@Sendable (String?) -> Void)? in
            guard state.failures > 0 else { return nil }
            state.failures = 0
            state.notBefore = nil
            return state.tell
        }
        tell?(nil)
    }

    private func noteFailure(_ error: PostgresError) {
        let tell = state.withLock { state -> (@Sendable (String?) -> Void)? in
            let pause = Self.pauses.least * Double(1 << min(state.failures, 5))
            state.failures += 1
            state.lastFailure = error
            // The pause is random, so that processes don't all connect at the same moment.
            let seconds = min(pause, Self.pauses.most) * .random(in: 0.5...1)
            state.notBefore = .now + .seconds(seconds)
            return state.tell
        }
        tell?(error.description)
    }
}
