import Mosquitto
import Synchronization

/// Says that the broker can't be reached: once for all workers of a process, then once a minute.
package final class BrokerAbsence: Sendable {
    private let toldAt = Mutex<ContinuousClock.Instant?>(nil)
    private static let pause: Duration = .seconds(60)

    /// Whether an error means that nothing answers at the broker's address.
    package static func isCause(of error: any Error) -> Bool {
        guard let error = error as? MosquittoError else { return false }
        return error.function.hasPrefix("mosquitto_connect") && error.reasonCode == nil
            && [.system, .lookup, .noConnection, .connectionLost].contains(error.code)
    }

    /// Whether it is time to say so.
    package func mustTell(at now: ContinuousClock.Instant) -> Bool {
        toldAt.withLock { last in
            if let last, now - last < Self.pause { return false }
            last = now
            return true
        }
    }

    /// The broker answers: its next absence is told at once.
    func end() { toldAt.withLock { $0 = nil } }
}
