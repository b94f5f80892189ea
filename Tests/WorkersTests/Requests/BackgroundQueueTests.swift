import Domain
import Synchronization
import TestKit
import Testing

@testable import Workers

@Suite("The background queue")
struct BackgroundQueueTests {
    /// The number of reads that the queue has begun, and the number of reads that the test has answered.
    ///
    /// `most` is the largest number of reads that were unanswered at the same time.
    private struct Count {
        var begun = 0
        var answered = 0
        var most = 0
    }

    @Test(
        "The queue pauses at the limit of unanswered work, and continues after an answer",
        .endsInTime
    )
    func pauses() async throws {
        let count = Mutex(Count())
        let (results, arrived) = AsyncStream.makeStream(of: Prepared.self)
        let queue = BackgroundQueue<Int>(.reading, threads: 2, bounds: PoolBounds(waiting: 100, unanswered: 3)) { _ in
            count.withLock {
                $0.begun += 1
                $0.most = max($0.most, $0.begun - $0.answered)
            }
            return Prepared()
        }
        for question in 0..<50 {
            queue.submit(question, from: Sender("a")) { arrived.yield($0) }
        }
        var held: [Prepared] = []
        for await result in results {
            held.append(result)
            // While three reads are unanswered, the queue begins no further read.
            guard held.count == 3 || count.withLock({ $0.answered + held.count == 50 }) else { continue }
            count.withLock { $0.answered += held.count }
            held = []
            if count.withLock({ $0.answered == 50 }) { break }
        }
        #expect(count.withLock { $0.most } == 3)
        #expect(queue.room == 100)
    }
}
