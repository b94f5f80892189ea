import Dispatch
import Domain
import Storage
import Synchronization
import Wire

/// A reader that reads the next page while a batch is being posted.
final class WebhookReadahead: Sendable {
    private let reader: EventReader
    private let cursor: EventCursor
    private let limit: Int
    private let page = Mutex<EventReader.Page?>(nil)
    private let isRead = DispatchSemaphore(value: 0)

    /// Begins to read on another thread.
    init(_ reader: EventReader, after cursor: EventCursor, limit: Int, in store: Store, at now: Instant) {
        (self.reader, self.cursor, self.limit) = (reader, cursor, limit)
        DispatchQueue.global().async { [self] in
            let read = try? store.read(at: now) { try reader.page(after: cursor, limit: limit, in: $0) }
            page.withLock { $0 = read }
            isRead.signal()
        }
    }

    /// Waits until the page has been read; the caller must have no open transaction.
    func wait() {
        isRead.wait()
        isRead.signal()
    }

    /// Returns the page, or nil if it doesn't match the reader, cursor and limit.
    func page(of reader: EventReader, after cursor: EventCursor, limit: Int) -> EventReader.Page? {
        guard cursor == self.cursor, limit == self.limit, reader == self.reader else { return nil }
        return page.withLock(\.self)
    }
}

extension EventReader {
    /// Returns the entries of a webhook's next post.
    func page(after cursor: EventCursor, limit: Int, in tx: Transaction) throws -> Page {
        let bytesMax = WebhookRules.bytesMax - WebhookCodec.frameBytes
        return try read(after: cursor, limit: limit, bytesMax: bytesMax, in: tx)
    }
}
