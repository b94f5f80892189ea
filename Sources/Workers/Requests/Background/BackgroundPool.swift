package import Domain

/// A pool that does slow work for requests, within limits; tests replace the pool to decide when the work is done.
package protocol BackgroundPool: Sendable {
    /// Returns the number of further pieces of work that a pool currently accepts.
    func room(in kind: BackgroundPoolKind) -> Int
    /// Returns why a pool would refuse a sender's next piece of work; nil if the pool would accept the work.
    ///
    /// `others` contains the sender of each other piece of work that the same batch will submit.
    func refusal(of sender: Sender, in kind: BackgroundPoolKind, beside others: [Sender]) -> Rejection?
    /// Accepts a piece of work, or refuses it immediately if there is no room; `done` is called once, on any thread.
    func submit(_ work: BackgroundTask, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void)
}

extension Rejection {
    /// The refusal of work whose pool is full.
    static let poolIsFull = Rejection(.unavailable, "Too many requests at once; try again shortly.", retryAfter: 5)
    /// The refusal of work because its sender or source address already has too much waiting or running work.
    static let senderIsBusy = Rejection(
        .tooManyRequests,
        "Too many requests from this terminal or address are under way; wait for their answers.",
        retryAfter: 1
    )
}

extension BackgroundPool {
    package func refusal(
        of sender: Sender,
        in kind: BackgroundPoolKind,
        beside others: [Sender]
    ) -> Rejection? {
        room(in: kind) > others.count ? nil : .poolIsFull
    }

    /// Does a piece of work for a caller that can wait, such as a web page.
    package func run(_ work: BackgroundTask, for sender: Sender) async -> Prepared {
        await withCheckedContinuation { continuation in
            submit(work, from: sender) { continuation.resume(returning: $0) }
        }
    }
}

/// A pool that refuses all work, for workers that have no slow work.
struct NoPool: BackgroundPool {
    func room(in kind: BackgroundPoolKind) -> Int { 0 }

    func submit(_ work: BackgroundTask, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void) {
        work.wipe()
        done(.refused(.poolIsFull))
    }
}
