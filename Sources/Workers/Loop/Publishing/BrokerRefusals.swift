import Domain
import Logging
import Mosquitto

/// The count of a worker's messages that the broker refused because of its rights or limits.
///
/// They count as published, since the broker would always refuse them, so the log must notify the operator.
struct BrokerRefusals {
    /// The least time between two lines in the log, in seconds.
    private static let restSeconds: Int64 = 60
    private var toldAt: Instant?
    /// The number of refusals since the last line.
    private var untold = 0

    /// Counts refusals; returns the metadata of a log line with their number if a line is due.
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
