import Credentials
import Domain
import Synchronization
import Web

/// The refusals of this process's own listeners, on their way to `system/refusal`, where the gate's are published too.
///
/// The listeners' threads note them and the broker's monitor publishes them, so they are counted, logged, kept and
/// followed like the gate's. They wait while there is no broker. In a flood, only their number is published.
final class ListenerRefusals: Sendable {
    private struct State {
        var waiting: [ClientRefusal] = []
        var missed: Int64 = 0
    }

    private let state = Mutex(State())

    /// The maximum number of waiting refusals: as many as the gate publishes in a second.
    private static let waitingMax = 100

    /// Notes a refusal; beyond the bound it is only counted.
    func note(_ refusal: ListenerRefusal, at now: Instant) {
        state.withLock { state in
            guard state.waiting.count < Self.waitingMax else { return state.missed += 1 }
            state.waiting.append(Self.told(refusal, at: now))
        }
    }

    /// Takes the waiting refusals, and the number of refusals that were only counted.
    func take() -> (refusals: [ClientRefusal], missed: Int64) {
        state.withLock { state in
            defer { state = State() }
            return (state.waiting, state.missed)
        }
    }

    private static func told(_ refusal: ListenerRefusal, at now: Instant) -> ClientRefusal {
        let reason: RefusalReason =
            switch refusal.reason {
            case .origin: .originNotAllowed
            case .handshake: .handshakeFailed
            case .crowded: .tooManyConnections
            case .qos: .qosNotSupported
            case .signIn: .operatorSignIn
            }
        let isOfClient = refusal.reason == .qos
        var told = ClientRefusal(
            action: isOfClient ? "publish" : "connect",
            username: refusal.name,
            clientID: isOfClient ? refusal.detail : "",
            address: refusal.address,
            // Required for a publish; the broker doesn't log it.
            topic: isOfClient ? "" : nil,
            reason: reason.rawValue,
            at: now
        )
        told.detail = refusal.detail.isEmpty || isOfClient ? nil : refusal.detail
        return told
    }
}
