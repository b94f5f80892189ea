import Domain
import Synchronization

@testable import Workers

/// A receiver at the end of a direct route; it refuses the first few messages.
final class FarSide: Sendable {
    private let state = Mutex<(taken: [ComposedMessage], calls: Int, failures: Int)>(([], 0, 0))
    private let failure: MessageFailure

    init(failures: Int = 0, _ failure: MessageFailure = .unavailable("")) {
        self.failure = failure
        state.withLock { $0.failures = failures }
    }

    /// The direct route that leads to this receiver.
    var route: Route { .direct { (message) async throws(MessageFailure) in try self.take(message) } }
    var taken: [ComposedMessage] { state.withLock { $0.taken } }
    var calls: Int { state.withLock { $0.calls } }

    func take(_ message: ComposedMessage) throws(MessageFailure) {
        let fails = state.withLock { state in
            state.calls += 1
            if state.failures > 0 {
                state.failures -= 1
                return true
            }
            state.taken.append(message)
            return false
        }
        if fails { throw failure }
    }

    /// Runs one round of the sender, and gives the sender time to store the results of `count` calls.
    func run(_ service: MessageSender, until count: Int) async throws {
        _ = service.round()
        while calls < count { await Task.yield() }
        for _ in 0..<50 { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// A gate at which tasks wait until a test opens it.
final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)

    func open() { isOpen.store(true, ordering: .releasing) }

    func wait() async {
        while !isOpen.load(ordering: .acquiring) {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}
