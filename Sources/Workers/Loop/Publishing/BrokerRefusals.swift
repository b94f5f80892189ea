import Domain
import Logging
import Mosquitto

/// The count of a worker's messages that the broker refused because of the worker's rights or the broker's limits.
///
/// A refused message counts as published, since the broker would refuse it again; the log reports the refusals.
struct BrokerRefusals {
    /// The minimum time between two lines in the log, in seconds.
    private static let restSeconds: Int64 = 60
    private var toldAt: Instant?
    /// The number of refusals since the last line in the log.
    private var untold = 0

    /// Counts refusals; if a log line is due, returns the line's metadata with the number of refusals.
    mutating func count(_ receipts: [PublishReceipt], _ metrics: WorkerMetrics, at now: Instant) -> Logger.Metadata? {
        let refused = receipts.filter(\.isRefused)
        guard let last = refused.last else { return nil }
        metrics.refusedByBroker(refused.count)
        untold += refused.count
        if let toldAt, now >= toldAt, now < toldAt.adding(seconds: Self.restSeconds) { return nil }
        defer { (toldAt, untold) = (now, 0) }
        return [
            "messages": "\(untold)", "reason.code": "0x\(String(last.reasonCode, radix: 16))",
        ]
    }
}
