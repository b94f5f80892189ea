import Domain
import Logging
import Mosquitto

/// The count of messages that the broker refused because of rights or limits.
///
/// A refused message counts as published, since the broker would refuse it again. The log reports the refusals.
struct BrokerRefusals {
    /// The minimum time between two lines in the log, in seconds.
    private static let restSeconds: Int64 = 60
    private var toldAt: Instant?
    /// The number of refusals since the last line in the log.
    private var untold = 0

    /// Counts refusals, and returns the metadata of a log line if one is due.
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
