import Domain
import Storage
import Wire

@testable import Workers

/// When a handler that is interrupted stops; what it throws undoes the transaction.
final class Interruption {
    enum Point { case before, after }

    var point: Point?
    /// How many batches go through before.
    var passes = 0

    init(_ point: Point? = nil, passes: Int = 0) {
        self.point = point
        self.passes = passes
    }

    func strike(_ here: Point) throws {
        guard point == here else { return }
        guard passes == 0 else {
            passes -= 1
            return
        }
        point = nil
        // What no message is to blame for: the loop ends.
        throw CancellationError()
    }
}

/// A handler that can be stopped in the transaction.
struct Interrupting<Inner: BatchHandler>: BatchHandler {
    var inner: Inner
    let interruption: Interruption

    var name: WorkerName { inner.name }
    var filters: [String] { inner.filters }
    var retainedFilters: [String] { inner.retainedFilters }
    var sweptFilters: [String] { inner.sweptFilters }
    var nextDue: Instant? { inner.nextDue }

    mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Owed {
        try interruption.strike(.before)
        let owed = try inner.handle(batch, in: tx)
        try interruption.strike(.after)
        return owed
    }

    mutating func due(in tx: Transaction) throws -> Owed? { try inner.due(in: tx) }
    func isDue(in tx: Transaction) throws -> Bool { try inner.isDue(in: tx) }
    mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] {
        try inner.connected(isSessionPresent: isSessionPresent, in: tx)
    }
    mutating func takeSignals() -> [OutboundMessage] { inner.takeSignals() }
}
