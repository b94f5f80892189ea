package import Domain

/// Does slow work for requests, within bounds; a seam, so that tests decide when it is done.
package protocol SlowPool: Sendable {
    /// How many more pieces of work a lane takes at present.
    func room(in lane: SlowLane) -> Int
    /// Why a lane would not take a sender's next piece of work, beside others that a batch is about to
    /// submit to it; nil where it would.
    func refusal(of sender: Sender, in lane: SlowLane, beside others: [Sender]) -> Rejection?
    /// Takes a piece of work, or calls back at once with a refusal when there is no room.
    ///
    /// `done` is called once, on any thread.
    func submit(
        _ work: Preparation,
        from sender: Sender,
        done: @escaping @Sendable (Prepared) -> Void
    )
}

extension Rejection {
    /// What is answered when a lane of slow work is full.
    static let laneIsFull = Rejection(
        .unavailable,
        "Too much is asked at once; try again shortly.",
        retryAfter: 5
    )
    /// What is answered to a sender who has as much under way as one may have.
    static let senderIsBusy = Rejection(
        .tooManyRequests,
        "Too much of this terminal or address is under way; wait for its answers.",
        retryAfter: 1
    )
}

extension SlowPool {
    package func refusal(
        of sender: Sender,
        in lane: SlowLane,
        beside others: [Sender]
    ) -> Rejection? {
        room(in: lane) > others.count ? nil : .laneIsFull
    }

    /// Does a piece of work for somebody who can wait, such as a web page.
    package func run(_ work: Preparation, for sender: Sender) async -> Prepared {
        await withCheckedContinuation { continuation in
            submit(work, from: sender) { continuation.resume(returning: $0) }
        }
    }
}

/// A pool for workers that never need one: refuses everything.
package struct NoPool: SlowPool {
    /// Makes one.
    package init() {}

    package func room(in lane: SlowLane) -> Int { 0 }

    package func submit(
        _ work: Preparation,
        from sender: Sender,
        done: @escaping @Sendable (Prepared) -> Void
    ) {
        work.wipe()
        done(.refused(.laneIsFull))
    }
}
