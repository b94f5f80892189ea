package import Domain
package import Storage
import Wire

/// A reader of the event log on behalf of an app.
package struct EventReader: Sendable, Equatable {
    /// The app, as imported: its products and users are seen.
    package var app: App
    /// The wanted entries.
    package var filter: EventFilter

    /// Makes a reader.
    package init(app: App, filter: EventFilter) { (self.app, self.filter) = (app, filter) }

    /// Entries in order, and how far the log was read.
    package struct Page: Sendable {
        /// The entries as JSON, each with the place behind it.
        package var events: [(id: EventCursor, json: [UInt8])] = []
        /// The types of the entries.
        package var types: [EventType] = []
        /// The place behind everything that was read, also behind entries that the filter left out.
        package var cursor: EventCursor
        /// Whether the log may have more behind it.
        package var isMore = false
    }

    /// Returns whether the reader gets an entry.
    package func accepts(_ event: LoggedEvent) -> Bool { filter.accepts(event) && event.isVisible(to: app) }

    /// Returns the entries behind a place: at most `limit`, of about `bytesMax` bytes as JSON.
    ///
    /// If older entries than the oldest kept are missing, an entry of their own says so first. At least one entry is
    /// returned if there is one, whatever its size.
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
        // Deleted while this reads, entries are noted as missing although they are returned too.
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

    /// Returns the place behind the deleted entries if some of them are behind a place; nil if nothing is missing.
    private func missing(after cursor: EventCursor, in tx: Transaction) throws -> EventCursor? {
        let kinds = filter.wantsStatuses ? [false, true] : [false]
        return try kinds.map { try tx.eventLog.deleted(isBulk: $0) }.filter { $0 > cursor }.min()
    }
}
