package import Domain
package import Storage
import Wire

/// A reader of the event log on behalf of an app.
package struct EventReader: Sendable, Equatable {
    /// The reader reads only entries about the products and users of this app.
    package var app: App
    /// The filter that selects the entries to return.
    package var filter: EventFilter

    /// Makes a reader for an app.
    package init(app: App, filter: EventFilter) { (self.app, self.filter) = (app, filter) }

    /// A page of entries in order, with the position up to which the log was read.
    package struct Page: Sendable {
        /// The entries as JSON, each with its cursor; a reader that continues from that cursor gets the next entry.
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

    /// Returns at most `limit` entries after a cursor, with at most about `bytesMax` bytes of JSON.
    ///
    /// If entries were deleted, a `gap` entry says so. The first entry is returned whatever its size.
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
        // The gap is determined after the entries are read. An entry that is deleted between these two steps is both
        // returned and reported as missing.
        let (end, isMore) = try tx.eventLog.read(after: cursor, withBulk: filter.wantsStatuses) { event, id in
            !accepts(event) || add(event, id)
        }
        (page.cursor, page.isMore) = (end, isMore)
        guard cursor != .start else { return page }
        for place in try deleted(behind: cursor, in: tx) where place <= page.cursor || !page.isMore {
            note(missingUpTo: place, behind: cursor, in: &page)
        }
        if page.events.count > limit {
            (page.events, page.types) = (Array(page.events.prefix(limit)), Array(page.types.prefix(limit)))
            (page.cursor, page.isMore) = (page.events.last?.id ?? cursor, true)
        }
        return page
    }

    /// Returns the positions up to which entries have been deleted, if these positions are after `cursor`.
    ///
    /// Statuses are deleted separately from other entries, so each of the two kinds has its own position.
    private func deleted(behind cursor: EventCursor, in tx: Transaction) throws -> Set<EventCursor> {
        let kinds = filter.wantsStatuses ? [false, true] : [false]
        return Set(try kinds.map { try tx.eventLog.deleted(isBulk: $0) }.filter { $0 > cursor })
    }

    /// Inserts the entry that reports a gap, with the time of the last missing row.
    private func note(missingUpTo place: EventCursor, behind cursor: EventCursor, in page: inout Page) {
        let index = page.events.firstIndex { $0.id > place } ?? page.events.count
        let from = index > 0 ? page.events[index - 1].id : cursor
        let gap = LoggedEventCodec.gap(from: from, to: place, at: place.writtenAt)
        page.events.insert((place, LoggedEventCodec.encode(gap, id: place, for: app.id)), at: index)
        page.types.insert(.gap, at: index)
        page.cursor = max(page.cursor, place)
    }
}
