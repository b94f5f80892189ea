import Domain
import Logging
import Mosquitto

/// Messages that the broker did not take from a worker, for rights or limits set too narrow.
///
/// They count as taken, since the same answer would come for ever; so the operator has to hear of them.
struct BrokerRefusals {
    /// How long nothing is said of further ones after a word, in seconds.
    private static let restSeconds: Int64 = 60
    private var toldAt: Instant?
    /// Refused since it was told last.
    private var untold = 0

    /// Counts what was refused; gives a word for the log, with how many, when it is time for one.
    mutating func take(
        _ receipts: [PublishReceipt],
        _ metrics: WorkerMetrics,
        at now: Instant
    ) -> Logger.Metadata? {
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
