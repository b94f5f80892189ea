import Domain
import Storage
import Wire

/// The methods `device/events` and `device/commands`, which return a device's events and commands, newest first.
enum LogMethods {
    /// The requested span of time, and the types and number of entries to return.
    private struct Span {
        var did: DeviceID
        var types: Set<String>?
        var cursor: LogParameters.Cursor?
        var from: Instant
        /// The beginning of the span for the caller's own commands.
        var ownFrom: Instant
        var to: Instant
        var limit: Int
        var product: Product?
    }

    @Sendable
    static func events(_ call: inout Call) throws -> Answer {
        let span = try span(call, types: Event.types)
        let cursor = span.cursor.map { (ts: $0.time, seq: $0.number) }
        let reader = try call.caller().uid
        var page = LogPage(limit: span.limit, scanMax: call.limits.logScanMax)
        try call.tx.events.log(span.did, from: span.from, to: span.to, before: cursor) { event, seq in
            page.take(LogParameters.Cursor(time: event.ts, number: seq)) {
                guard span.types?.contains(event.type) ?? true else { return nil }
                return EventCodec.row(event, for: reader)
            }
        }
        return AnswerRows.page(.events, page.rows, next: page.next)
    }

    @Sendable
    static func commands(_ call: inout Call) throws -> Answer {
        let span = try span(call, types: ["write", "query"])
        let cursor = span.cursor.map { (at: $0.time, cid: $0.number) }
        let reader = try call.caller().uid
        var page = LogPage(limit: span.limit, scanMax: call.limits.logScanMax)
        try call.tx.commands.log(span.did, from: span.ownFrom, to: span.to, before: cursor) { command in
            page.take(LogParameters.Cursor(time: command.createdAt, number: command.cid)) {
                let isOwn = command.user == reader
                guard isOwn || command.createdAt >= span.from else { return nil }
                guard span.types?.contains(command.kind.rawValue) ?? true else { return nil }
                return CommandCodec.row(command, product: span.product, for: reader)
            }
        }
        return AnswerRows.page(.commands, page.rows, next: page.next)
    }

    private static func span(_ call: Call, types known: Set<String>) throws -> Span {
        let binding = try DeviceMethods.binding(call)
        let reach = try DeviceMethods.reach(binding.did, call)
        let own = ownSince(binding, since: reach.since, oldest: reach.oldest)
        let parameters = try LogParameters(call.fields, types: known)
        return Span(
            did: binding.did,
            types: parameters.types,
            cursor: parameters.cursor,
            from: max(parameters.from ?? reach.since, reach.since),
            ownFrom: max(parameters.from ?? own, own),
            to: parameters.to,
            limit: try call.pageLimit(),
            product: reach.product
        )
    }

    /// Returns the time from which users see their own commands.
    ///
    /// An ownership period begins after the times of all earlier reports. If the device's clock was ahead, the period
    /// therefore begins in the future. But a command's time is from the service's clock, so a new command can have a
    /// time before the period's beginning. Users still see such a command if they sent it after they were bound.
    private static func ownSince(
        _ binding: Binding,
        since: Instant,
        oldest: Instant
    ) -> Instant {
        let earliest = since.adding(seconds: -Report.aheadMaxSeconds)
        return min(since, max(binding.boundAt, earliest, oldest))
    }
}

/// A page of a log, with at most `limit` rows, which together fit into a payload.
///
/// At most `scanMax` entries of the log are read for a page.
private struct LogPage {
    private let limit: Int
    private let scanMax: Int
    private(set) var rows: [AnswerRow] = []
    private var bytes = 512
    private var visited = 0
    private var last: LogParameters.Cursor?
    private var isCut = false

    init(limit: Int, scanMax: Int) {
        self.limit = limit
        self.scanMax = scanMax
    }

    /// Adds the next entry, or skips it if `make` returns nil; returns false if the page is full.
    mutating func take(_ cursor: LogParameters.Cursor, _ make: () -> AnswerRow?) -> Bool {
        guard visited < scanMax else {
            isCut = true
            return false
        }
        visited += 1
        guard let row = make() else {
            last = cursor
            return true
        }
        let size = AnswerRows.bytes(of: row)
        guard rows.count < limit, rows.isEmpty || bytes + size <= AnswerRows.bytesMax else {
            isCut = true
            return false
        }
        rows.append(row)
        bytes += size
        last = cursor
        return true
    }

    /// The cursor of the next page, or nil at the end of the log.
    var next: String? { isCut ? last?.text : nil }
}
