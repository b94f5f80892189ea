package import Domain
package import Storage

/// Runs long reads, such as months of history, on threads of its own with a bounded queue: readers of the store
/// never block its writer.
package final class ReadingPool: BackgroundPool {
    private let queue: BackgroundQueue<HistoryQuestion>

    /// Makes a pool over a store.
    package init(_ store: Store, _ limits: Limits) {
        let reader = HistoryReader(store, scanMax: limits.historyScanMax)
        queue = BackgroundQueue(
            .reading,
            threads: limits.historyReaders,
            bounds: PoolBounds(
                waiting: limits.historyQueue,
                bytes: limits.backgroundQueueBytes,
                perAddress: limits.counts.readsAtOncePerSource
            )
        ) { question in
            var prepared = Prepared()
            do {
                prepared.page = try reader.page(question)
                return prepared
            } catch {
                return .refused(
                    Rejection(.unavailable, "The history can't be read now.", retryAfter: 5)
                )
            }
        }
    }

    package func room(in kind: BackgroundPoolKind) -> Int { kind == .reading ? queue.room : 0 }

    package func refusal(
        of sender: Sender,
        in kind: BackgroundPoolKind,
        beside others: [Sender]
    ) -> Rejection? {
        kind == .reading ? queue.refusal(of: sender, beside: others) : .poolIsFull
    }

    package func submit(
        _ work: BackgroundTask,
        from sender: Sender,
        done: @escaping @Sendable (Prepared) -> Void
    ) {
        guard case .history(let question) = work else { return done(Prepared()) }
        queue.submit(question, from: sender, done: done)
    }

    /// Closes the queue: refuses waiting work, and finishes running work.
    package func close() { queue.close() }
}
