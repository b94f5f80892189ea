import Credentials
import Domain
import Synchronization
import Web

/// A queue of refusals by this process's listeners, to be published on `system/refusal`.
///
/// The listeners' threads add refusals, and the broker's monitor publishes them. They are then counted, logged, stored
/// and shown like the gate's refusals. Without a broker, refusals wait. If too many are waiting, further refusals are
/// only counted.
final class ListenerRefusals: Sendable {
    private struct State {
        var waiting: [ClientRefusal] = []
        var missed: Int64 = 0
    }

    private let state = Mutex(State())

    /// The maximum number of waiting refusals, which equals the number that the gate publishes at most in a second.
    private static let waitingMax = 100

    /// Adds a refusal, or only counts it if too many are waiting.
    func note(_ refusal: ListenerRefusal, at now: Instant) {
        state.withLock { state in
            guard state.waiting.count < Self.waitingMax else { return state.missed += 1 }
            state.waiting.append(Self.told(refusal, at: now))
        }
    }

    /// Removes and returns the waiting refusals, and the number of refusals that were only counted.
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
            // The refusal of a published message must have a topic. The broker doesn't log the topic of a message that
            // it refuses, so the topic is the empty string here.
            topic: isOfClient ? "" : nil,
            reason: reason.rawValue,
            at: now
        )
        told.detail = refusal.detail.isEmpty || isOfClient ? nil : refusal.detail
        return told
    }
}
