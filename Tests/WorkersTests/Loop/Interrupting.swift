import Domain
import Storage

@testable import Workers

/// A planned interruption of a handler by an error, which rolls the transaction back.
final class Interruption {
    enum Point { case before, after }

    var point: Point?
    /// The number of batches that are handled before the interruption.
    var passes = 0

    init(_ point: Point? = nil, passes: Int = 0) {
        self.point = point
        self.passes = passes
    }

    func interrupt(_ here: Point) throws {
        guard point == here else { return }
        guard passes == 0 else {
            passes -= 1
            return
        }
        point = nil
        // The loop never blames a message for a `CancellationError`, so this error ends the loop.
        throw CancellationError()
    }
}

/// A handler that a test can interrupt in the middle of its transaction.
struct Interrupting<Inner: BatchHandler>: BatchHandler {
    var inner: Inner
    let interruption: Interruption

    var role: WorkerRole { inner.role }

    mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        try interruption.interrupt(.before)
        let effects = try inner.handle(batch, in: tx)
        try interruption.interrupt(.after)
        return effects
    }

    mutating func due(in tx: Transaction) throws -> Effects? { try inner.due(in: tx) }
    func waiting(in tx: Transaction?) throws -> WaitingWork { try inner.waiting(in: tx) }
    mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] {
        try inner.connected(isSessionPresent: isSessionPresent, in: tx)
    }
}

/// A handler that fails while it looks for due work or does due work.
struct Failing<Inner: BatchHandler>: BatchHandler {
    struct Poison: Error {}

    final class Dose {
        var isDuePoisoned = false
        var isLookPoisoned = false
        /// The number of times that the handler has begun due work.
        var dueCount = 0
    }

    var inner: Inner
    let dose: Dose

    var role: WorkerRole { inner.role }

    mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects { try inner.handle(batch, in: tx) }

    mutating func due(in tx: Transaction) throws -> Effects? {
        dose.dueCount += 1
        if dose.isDuePoisoned { throw Poison() }
        return try inner.due(in: tx)
    }

    func waiting(in tx: Transaction?) throws -> WaitingWork {
        if dose.isLookPoisoned, tx != nil { throw Poison() }
        var waiting = try inner.waiting(in: tx)
        if dose.isDuePoisoned { waiting.nextDue = WaitingWork.atOnce }
        return waiting
    }
}
