import Domain

/// Does slow work for requests, within bounds; a seam, so that tests decide when it is done.
package protocol SlowPool: Sendable {
    /// How many more pieces of work a lane takes at present.
    func room(in lane: SlowLane) -> Int
    /// Takes a piece of work, or calls back at once with a refusal when there is no room.
    ///
    /// `done` is called once, on any thread.
    func submit(_ work: Preparation, done: @escaping @Sendable (Prepared) -> Void)
}

extension Rejection {
    /// What is answered when a lane of slow work is full.
    static let laneIsFull = Rejection(
        .unavailable,
        "Too much is asked at once; try again shortly.",
        retryAfter: 5
    )
}

extension SlowPool {
    /// Does a piece of work for somebody who can wait, such as a web page.
    package func run(_ work: Preparation) async -> Prepared {
        await withCheckedContinuation { continuation in
            submit(work) { continuation.resume(returning: $0) }
        }
    }
}

/// A pool for workers that never need one: refuses everything.
package struct NoPool: SlowPool {
    /// Makes one.
    package init() {}

    package func room(in lane: SlowLane) -> Int { 0 }

    package func submit(_ work: Preparation, done: @escaping @Sendable (Prepared) -> Void) {
        done(.refused(.laneIsFull))
    }
}
