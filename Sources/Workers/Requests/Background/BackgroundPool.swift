package import Domain

/// Does slow work for requests, within limits; a seam, so that tests decide when it is done.
package protocol BackgroundPool: Sendable {
    /// Returns the number of further pieces of work that a pool accepts at present.
    func room(in kind: BackgroundPoolKind) -> Int
    /// Returns the refusal of a sender's next piece of work in a pool, next to others that a batch is about to submit;
    /// nil if the pool accepts it.
    func refusal(
        of sender: Sender,
        in kind: BackgroundPoolKind,
        beside others: [Sender]
    ) -> Rejection?
    /// Accepts a piece of work, or calls back at once with a refusal if there is no room.
    ///
    /// `done` is called once, on any thread.
    func submit(
        _ work: BackgroundTask,
        from sender: Sender,
        done: @escaping @Sendable (Prepared) -> Void
    )
}

extension Rejection {
    /// The answer if a pool of slow work is full.
    static let poolIsFull = Rejection(
        .unavailable,
        "Too much is asked at once; try again shortly.",
        retryAfter: 5
    )
    /// The answer to a sender who has reached the limit of work under way.
    static let senderIsBusy = Rejection(
        .tooManyRequests,
        "Too much of this terminal or address is under way; wait for its answers.",
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

/// A pool for workers without slow work: refuses everything.
struct NoPool: BackgroundPool {
    func room(in kind: BackgroundPoolKind) -> Int { 0 }

    func submit(
        _ work: BackgroundTask,
        from sender: Sender,
        done: @escaping @Sendable (Prepared) -> Void
    ) {
        work.wipe()
        done(.refused(.poolIsFull))
    }
}
