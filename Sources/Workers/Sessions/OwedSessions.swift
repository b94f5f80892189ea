import DequeModule
import Metrics
package import Mosquitto
import Synchronization

/// A queue of abandoned MQTT sessions at the broker, with separate threads that end these sessions.
///
/// To end a session, a thread connects with the client's id and a clean start, and then disconnects. Mosquitto has no
/// other way to end one session. Failed tries need no record. The gate sends a client's id again until the session has
/// ended.
package final class OwedSessions: Sendable {
    /// The maximum number of clients in the queue.
    private static let owedMax = 1000
    /// The maximum number of threads, each ending about a hundred sessions a second.
    private static let endersMax = 2
    /// The longest wait for the broker's answer.
    private static let patience: Duration = .seconds(2)

    private struct State {
        var waiting = Deque<String>()
        /// The clients that are waiting, and those whose sessions are being ended.
        var known: Set<String> = []
        var threads = 0
    }

    private let state = Mutex(State())
    private let options: ConnectionOptions
    private let ended = Counter(label: "lamplighter_broker_sessions_ended_total")

    /// Creates a queue whose threads connect with a worker's options.
    package init(_ options: ConnectionOptions) {
        var options = options
        (options.cleanStart, options.sessionExpirySeconds) = (true, 0)
        (options.will, options.batches) = (nil, nil)
        (options.connectTimeout, options.writeTimeout) = (Self.patience, Self.patience)
        self.options = options
    }

    /// Queues clients so that their sessions are ended, as long as the queue has room.
    @Sendable
    package func end(_ clients: [String]) {
        let mustStart = state.withLock { state in
            for client in clients where state.waiting.count < Self.owedMax {
                if state.known.insert(client).inserted { state.waiting.append(client) }
            }
            guard !state.waiting.isEmpty, state.threads < Self.endersMax else { return false }
            state.threads += 1
            return true
        }
        if mustStart { PlainThread.detach { self.work() } }
    }

    /// True if no client is waiting and no session is being ended.
    var isIdle: Bool { state.withLock { $0.known.isEmpty } }

    private func work() {
        guard let waker = try? Waker() else { return state.withLock { $0.threads -= 1 } }
        while let client = next() {
            if end(client, waker) { ended.increment() }
            state.withLock { _ = $0.known.remove(client) }
        }
    }

    private func next() -> String? {
        state.withLock { state in
            let client = state.waiting.popFirst()
            if client == nil { state.threads -= 1 }
            return client
        }
    }

    private func end(_ client: String, _ waker: Waker) -> Bool {
        var options = options
        options.clientID = client
        do {
            var connection = try MosquittoClient(options, waker: waker)
            _ = try connection.connect()
            connection.disconnect()
            return true
        } catch {
            return false
        }
    }
}
