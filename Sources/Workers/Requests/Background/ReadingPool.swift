package import Domain
package import Storage
import Wire

/// A bounded pool of threads for long reads, such as months of history.
///
/// Reads never block the store's writer. Lists and logs have a separate queue, since a single read of history can take
/// seconds. In each queue, a terminal may have at most `Limits.heldPerTerminal` reads. The same limit applies to the
/// terminal's requests in `HeldRequests`.
package final class ReadingPool: BackgroundPool {
    private let history: BackgroundQueue<HistoryQuestion>
    private let lists: BackgroundQueue<StoreReading>

    /// Makes a pool that reads a store.
    package init(_ store: Store, _ limits: Limits) {
        let reader = HistoryReader(store, scanMax: limits.historyScanMax)
        let bounds = PoolBounds(
            waiting: limits.historyQueue,
            bytes: limits.backgroundQueueBytes,
            perSender: limits.heldPerTerminal,
            perAddress: limits.counts.readsAtOncePerSource,
            unanswered: limits.readingsFinished
        )
        history = BackgroundQueue(
            .reading,
            threads: limits.historyReaders,
            bounds: bounds,
            begin: PlainThread.yieldToOthers
        ) { question in
            Self.prepared("The history can't be read now.") { prepared in
                var page = try reader.page(question)
                let answer = AnswerRows.page(.rows, page.rows, next: page.place?.cursor)
                prepared.result = AnswerCodec.payload(answer)
                page.rows = []
                prepared.page = page
            }
        }
        lists = BackgroundQueue(.listing, threads: limits.listReaders, bounds: bounds, begin: PlainThread.yieldToOthers)
        { reading in Self.prepared("The log or list can't be read now.") { try reading.read(store, &$0) } }
    }

    private static func prepared(_ failure: String, _ read: (inout Prepared) throws -> Void) -> Prepared {
        var prepared = Prepared()
        do {
            try read(&prepared)
            return prepared
        } catch let rejection as Rejection {
            return .refused(rejection)
        } catch {
            return .refused(Rejection(.unavailable, failure, retryAfter: 5))
        }
    }

    package func room(in kind: BackgroundPoolKind) -> Int {
        switch kind {
        case .reading: history.room
        case .listing: lists.room
        case .password, .provider: 0
        }
    }

    package func refusal(of sender: Sender, in kind: BackgroundPoolKind, beside others: [Sender]) -> Rejection? {
        switch kind {
        case .reading: history.refusal(of: sender, beside: others)
        case .listing: lists.refusal(of: sender, beside: others)
        case .password, .provider: .poolIsFull
        }
    }

    package func submit(_ work: BackgroundTask, from sender: Sender, done: @escaping @Sendable (Prepared) -> Void) {
        switch work {
        case .history(let question): history.submit(question, from: sender, done: done)
        case .reading(let reading): lists.submit(reading, from: sender, done: done)
        default: done(Prepared())
        }
    }

    /// Closes the queues: waiting work is refused, and running work is finished.
    package func close() {
        history.close()
        lists.close()
    }
}
