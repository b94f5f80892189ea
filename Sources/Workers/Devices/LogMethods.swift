import Domain
import Storage
import Wire

/// `device/events` and `device/commands`: a device's events and commands, newest first.
enum LogMethods {
    /// The span of time and the kinds that a request asks for.
    private struct Span {
        var did: DeviceID
        var from: Instant
        /// The time from which the caller sees their own commands.
        var ownFrom: Instant
        var to: Instant
        var limit: Int
        var product: Product?
    }

    @Sendable
    static func events(_ call: inout Call) throws -> Reply {
        let span = try span(call)
        let types = try types(call, among: Event.types)
        let cursor = try cursor(call).map { (ts: $0, seq: $1) }
        let reader = try call.caller().uid
        var page = LogPage(limit: span.limit, scanMax: call.limits.logScanMax)
        try call.tx.events.log(span.did, from: span.from, to: span.to, before: cursor) {
            event,
            seq in
            page.take("\(event.ts.milliseconds).\(seq)") {
                guard types?.contains(event.type) ?? true else { return nil }
                return EventCodec.row(event, for: reader)
            }
        }
        return .result(EventCodec.page(page.rows, next: page.next))
    }

    @Sendable
    static func commands(_ call: inout Call) throws -> Reply {
        let span = try span(call)
        let types = try types(call, among: ["write", "query"])
        let cursor = try cursor(call).map { (at: $0, cid: $1) }
        let reader = try call.caller().uid
        var page = LogPage(limit: span.limit, scanMax: call.limits.logScanMax)
        try call.tx.commands.log(span.did, from: span.ownFrom, to: span.to, before: cursor) {
            command in
            page.take("\(command.createdAt.milliseconds).\(command.cid)") {
                let isOwn = command.actor.kind == .user && command.actor.id == reader.text
                guard isOwn || command.createdAt >= span.from else { return nil }
                guard types?.contains(command.kind.rawValue) ?? true else { return nil }
                return CommandCodec.row(command, product: span.product, for: reader)
            }
        }
        return .result(CommandCodec.page(page.rows, next: page.next))
    }

    private static func span(_ call: Call) throws -> Span {
        let binding = try DeviceMethods.binding(call)
        let reach = try DeviceMethods.reach(binding.did, call)
        let own = ownSince(binding, since: reach.since, oldest: reach.oldest)
        let given = try call.fields.instant("from")
        let from = given ?? reach.since
        let to = try call.fields.instant("to") ?? .max
        guard from < to || !call.fields.has("from") else {
            throw call.fields.refuse("to", "must be later than params.from")
        }
        return Span(
            did: binding.did,
            from: max(from, reach.since),
            ownFrom: max(given ?? own, own),
            to: to,
            limit: try call.pageLimit(),
            product: reach.product
        )
    }

    /// Returns the time from which users see their own commands.
    ///
    /// A device's ownership period begins after all its earlier reports, so in the future if its clock is
    /// ahead. Commands have the server's time: those that a user sent since the binding belong to this
    /// ownership period.
    private static func ownSince(
        _ binding: Binding,
        since: Instant,
        oldest: Instant
    ) -> Instant {
        let earliest = since.adding(seconds: -Report.aheadMaxSeconds)
        return min(since, max(binding.boundAt, earliest, oldest))
    }

    private static func types(_ call: Call, among known: Set<String>) throws -> Set<String>? {
        guard call.fields.has("types") else { return nil }
        let types = try call.fields.texts("types")
        guard !types.isEmpty, types.allSatisfy(known.contains) else {
            throw call.fields.refuse(
                "types",
                "holds some of \(known.sorted().joined(separator: ", "))"
            )
        }
        return Set(types)
    }

    private static func cursor(_ call: Call) throws -> (Instant, Int64)? {
        guard let text = try call.fields.text("cursor", length: 1...64) else { return nil }
        let numbers = text.split(separator: ".").compactMap { Int64($0) }
        guard numbers.count == 2, numbers[0].magnitude <= UInt64(Instant.max.milliseconds) else {
            throw call.fields.refuse("cursor", "is not a cursor of this method")
        }
        return (Instant(milliseconds: numbers[0]), numbers[1])
    }
}

/// A page of a log: cut at a number of rows, before it would exceed a payload, and after very many entries that did
/// not match.
private struct LogPage {
    private let limit: Int
    private let scanMax: Int
    private(set) var rows: [AnswerRow] = []
    private var bytes = 512
    private var visited = 0
    private var last: String?
    private var isCut = false

    init(limit: Int, scanMax: Int) {
        self.limit = limit
        self.scanMax = scanMax
    }

    /// Adds the next entry, or skips it if `make` returns nil; false if the page is full.
    mutating func take(_ cursor: String, _ make: () -> AnswerRow?) -> Bool {
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

    /// The cursor of the next page; nil at the end.
    var next: String? { isCut ? last : nil }
}
