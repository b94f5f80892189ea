package import Domain

/// A pool that does slow work for requests, within limits.
package protocol BackgroundPool: Sendable {
    /// Returns the number of further pieces of work that a pool currently accepts.
    func room(in kind: BackgroundPoolKind) -> Int
    /// Returns why the pool would refuse a sender's next work, or nil if the pool would accept the work.
    ///
    /// `others` contains the senders of all other pieces of work that the same batch will submit.
    func refusal(of sender: Sender, in kind: BackgroundPoolKind, beside others: [Sender]) -> Rejection?
    /// Accepts or refuses a piece of work, and calls `done` once, on any thread.
    func submit(_ work: BackgroundTask, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void)
}

extension Rejection {
    /// The refusal of work whose pool is full.
    static let poolIsFull = Rejection(.unavailable, "Too many requests at once; try again shortly.", retryAfter: 5)
    /// The refusal if a sender or source address already has too much work.
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
