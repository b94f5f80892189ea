package import Domain
package import Storage
import Wire

/// A reader of the event log on behalf of an app.
package struct EventReader: Sendable, Equatable {
    /// The app for which the reader reads; only entries about the app's products and users are read.
    package var app: App
    /// The filter that selects the entries to return.
    package var filter: EventFilter

    /// Makes a reader for an app.
    package init(app: App, filter: EventFilter) { (self.app, self.filter) = (app, filter) }

    /// A page of entries in order, with the position up to which the log was read.
    package struct Page: Sendable {
        /// The entries as JSON, each with the cursor after which reading continues.
        package var events: [(id: EventCursor, json: [UInt8])] = []
        /// The types of the entries, in the same order.
        package var types: [EventType] = []
        /// The cursor after all entries that were read, including entries that the filter left out.
        package var cursor: EventCursor
        /// Whether the log may have more entries after `cursor`.
        package var isMore = false
    }

    /// Returns whether an entry is meant for this reader.
    package func accepts(_ event: LoggedEvent) -> Bool { filter.accepts(event) && event.isVisible(to: app) }

    /// Returns the entries after a cursor: at most `limit`, with at most about `bytesMax` bytes of JSON.
    ///
    /// If entries after the cursor have been deleted, the first entry reports the gap. If there are entries, at least
    /// one is returned, whatever its size.
    package func read(after cursor: EventCursor, limit: Int, bytesMax: Int, in tx: Transaction) throws -> Page {
        var page = Page(cursor: cursor)
        var bytes = 0
        func add(_ event: LoggedEvent, _ id: EventCursor) -> Bool {
            let json = LoggedEventCodec.encode(event, id: id, for: app.id)
            guard page.events.isEmpty || bytes + json.count < bytesMax, page.events.count < limit else { return false }
            bytes += json.count + 1
            page.events.append((id, json))
            page.types.append(event.type)
            return true
        }
        // The gap is determined after the entries are read, so entries deleted in between are returned and also
        // reported as missing.
        let (end, isMore) = try tx.eventLog.read(after: cursor, withBulk: filter.wantsStatuses) { event, id in
            !accepts(event) || add(event, id)
        }
        (page.cursor, page.isMore) = (end, isMore)
        if let missing = try missing(after: cursor, in: tx), cursor != .start {
            let gap = LoggedEventCodec.gap(from: cursor, to: missing, at: tx.now)
            page.events.insert((missing, LoggedEventCodec.encode(gap, id: missing, for: app.id)), at: 0)
            page.types.insert(.gap, at: 0)
        }
        page.cursor = max(page.cursor, page.events.first?.id ?? page.cursor)
        return page
    }

    /// Returns the end of the deleted entries if some of them come after a cursor; nil if no entry is missing.
    private func missing(after cursor: EventCursor, in tx: Transaction) throws -> EventCursor? {
        let kinds = filter.wantsStatuses ? [false, true] : [false]
        return try kinds.map { try tx.eventLog.deleted(isBulk: $0) }.filter { $0 > cursor }.min()
    }
}
