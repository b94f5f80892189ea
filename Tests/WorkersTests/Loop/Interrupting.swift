import Domain
import Storage

@testable import Workers

/// The point at which a handler is interrupted; the error undoes the transaction.
final class Interruption {
    enum Point { case before, after }

    var point: Point?
    /// The number of batches that get through first.
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
        // An error that no message is to blame for, so the loop ends.
        throw CancellationError()
    }
}

/// A handler that can be interrupted in its transaction.
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

/// A handler that fails when it does or checks due work.
struct Failing<Inner: BatchHandler>: BatchHandler {
    struct Poison: Error {}

    final class Dose {
        var isDuePoisoned = false
        var isLookPoisoned = false
        /// The number of attempts at due work.
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
