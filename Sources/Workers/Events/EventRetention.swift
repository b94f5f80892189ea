import Domain
import Metrics
import Storage

/// A job that keeps the log's statuses and its other entries within size limits.
struct EventRetention: MaintenanceJob {
    /// The log's rows of one kind (statuses or other entries), divided into pages.
    ///
    /// For each page, only its end and the size of its rows are kept.
    private struct Kind {
        let isBulk: Bool
        let gauge: Gauge
        var pages: [(end: EventCursor, bytes: Int64)] = []
        var bytes: Int64 = 0

        /// Adds a page, or extends the previous page if the new page has no rows of this kind.
        mutating func add(_ page: (end: EventCursor, bytes: Int64)) {
            if page.bytes == 0, let last = pages.indices.last { return pages[last].end = page.end }
            pages.append(page)
            bytes += page.bytes
        }

        mutating func forget(upTo deleted: EventCursor) {
            while let page = pages.first, page.end <= deleted {
                bytes -= page.bytes
                pages.removeFirst()
            }
        }

        /// Returns the end of the pages to delete, or `start` if nothing must be deleted.
        func excess(over max: Int64) -> EventCursor {
            var (left, place) = (bytes, EventCursor.start)
            for page in pages where left > max {
                left -= page.bytes
                place = page.end
            }
            return place
        }
    }

    /// The minimum number of pages of a full log.
    ///
    /// Whole pages are deleted, so each page must be a small part of the log.
    private static let pagesMin: Int64 = 64
    private let environment: Environment
    private var kinds: [Kind]
    let name = "events"
    let interval: Duration = .seconds(20)

    init(_ environment: Environment) {
        self.environment = environment
        kinds = [false, true].map { isBulk in
            let label = [("kind", isBulk ? "status" : "event")]
            return Kind(isBulk: isBulk, gauge: Gauge(label: "lamplighter_event_log_bytes", dimensions: label))
        }
    }

    mutating func step() throws -> Bool {
        let (limits, now, step) = (environment.limits, environment.clock.now, environment.limits.sweepStep)
        let oldest = now.adding(seconds: -limits.eventDays * 86_400)
        var isMore = false
        for index in kinds.indices {
            var kind = kinds[index]
            let page = try environment.store.read { tx in
                kind.forget(upTo: try tx.eventLog.deleted(isBulk: kind.isBulk))
                let seen = try kind.pages.last?.end ?? tx.eventLog.deleted(isBulk: kind.isBulk)
                let bytesMax = limits.eventBytes / Self.pagesMin
                return try tx.eventLog.weigh(after: seen, isBulk: kind.isBulk, limit: step, bytesMax: bytesMax)
            }
            if let page {
                kind.add(page)
                isMore = true
            }
            kind.gauge.record(kind.bytes)
            let excess = kind.excess(over: limits.eventBytes)
            kinds[index] = kind
            let deleted = try environment.store.batch(at: now) { tx in
                try tx.eventLog.delete(upTo: excess, before: oldest, isBulk: kind.isBulk, limit: step)
            }
            isMore = isMore || deleted == step
        }
        return isMore
    }

    func rest() { for kind in kinds { kind.gauge.record(0) } }
}
