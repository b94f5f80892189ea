import Mosquitto
import Synchronization

/// A limit on log lines about an unreachable broker: one line per minute for each process.
package final class BrokerAbsence: Sendable {
    private let toldAt = Mutex<ContinuousClock.Instant?>(nil)
    private static let pause: Duration = .seconds(60)

    /// Returns whether an error means that nothing answers at the broker's address.
    package static func isCause(of error: any Error) -> Bool {
        guard let error = error as? MosquittoError else { return false }
        return error.function.hasPrefix("mosquitto_connect") && error.reasonCode == nil
            && [.system, .lookup, .noConnection, .connectionLost].contains(error.code)
    }

    /// Returns whether the absence must be reported now, and records the report.
    package func mustReport(at now: ContinuousClock.Instant) -> Bool {
        toldAt.withLock { last in
            if let last, now - last < Self.pause { return false }
            last = now
            return true
        }
    }

    /// Ends the absence, so that the next absence is reported immediately.
    func end() { toldAt.withLock { $0 = nil } }
}
