import Domain
import Storage
import Wire

/// The lists of schedules, and of schedules' runs, that users can request.
enum ScheduleLists {
    static let isUnknown = Rejection(.resourceNotFound, "There is no such schedule.", field: "params.scheduleId")

    /// Returns the schedule that the request names, with the caller's binding to that schedule's device.
    static func visible(_ call: Call) throws -> (Schedule, Binding) {
        let id = try call.fields.scheduleID()
        guard let schedule = try call.tx.schedules.find(id),
            let binding = try call.tx.bindings.find(schedule.did, call.caller().uid), !binding.isOver(at: call.tx.now)
        else { throw isUnknown }
        return (schedule, binding)
    }

    /// Returns the answer with a device's schedules, and `schedule` in a separate member.
    static func answer(
        _ did: DeviceID,
        _ call: Call,
        beside schedule: Answer? = nil,
        ignored: [String] = []
    ) throws -> Answer {
        let schedules = try call.tx.schedules.all(ofDevice: did)
        var bytes = AnswerRows.frameBytes + (schedule.map { AnswerCodec.payload($0).count } ?? 0)
        let rows = try rows(schedules, product: try call.work.product(of: did), bytes: &bytes, in: call.tx)
        return ScheduleCodec.changed(schedule, rows, next: next(schedules, shown: rows.count), ignored: ignored)
    }

    /// Returns the rows of a device's schedules, up to the number of rows that fit into the payload.
    static func rows(
        _ schedules: some Sequence<Schedule>,
        product: Product?,
        bytes: inout Int,
        in tx: Transaction
    ) throws -> [AnswerRow] {
        var calendar = ScheduleCalendar(tx, keepsNewZones: false)
        return try AnswerRows.fitting(schedules, bytes: &bytes) { schedule in
            ScheduleCodec.row(
                schedule,
                attrs: ProductRules.masked(schedule.attrs, product: product),
                polar: schedule.isEnabled ? try calendar.polar(schedule, at: tx.now) : nil
            )
        }
    }

    /// Returns the position after the last shown row, or nil if no rows follow or no row is shown.
    static func next(_ schedules: [Schedule], shown: Int) -> ScheduleCodec.Position? {
        guard shown < schedules.count, shown > 0 else { return nil }
        let last = schedules[shown - 1]
        return (last.did, last.id)
    }

    // MARK: Schedules

    @Sendable
    static func list(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let start = try ScheduleCodec.cursor(fields)
        var page = Page(limit: try call.pageLimit())
        if fields.namesDevice {
            let did = try DeviceMethods.binding(call).did
            try page.add(did, after: start?.did == did ? start?.id : nil, call)
        } else {
            try addAll(to: &page, from: start, call)
        }
        return .result(ScheduleCodec.page(page.rows, next: page.isCut ? page.last : nil))
    }

    private static func addAll(to page: inout Page, from start: ScheduleCodec.Position?, _ call: Call) throws {
        let uid = try call.caller().uid
        if let start, let binding = try call.tx.bindings.find(start.did, uid), !binding.isOver(at: call.tx.now) {
            try page.add(start.did, after: start.id, call)
        }
        var last = start?.did.text ?? ""
        while !page.isCut {
            let dids = try call.tx.schedules.devices(of: uid, after: last, limit: 20)
            for did in dids where !page.isCut { try page.add(did, after: nil, call) }
            guard dids.count == 20, let next = dids.last else { return }
            last = next.text
        }
    }

    /// A page of rows that fit into one answer.
    private struct Page {
        let limit: Int
        var rows: [AnswerRow] = []
        /// The position after the last row.
        var last: ScheduleCodec.Position?
        /// Whether more rows follow.
        var isCut = false
        private var bytes = AnswerRows.frameBytes

        init(limit: Int) { self.limit = limit }

        mutating func add(_ did: DeviceID, after id: ScheduleID?, _ call: Call) throws {
            let schedules = try call.tx.schedules.all(ofDevice: did)
                .filter { schedule in id.map { schedule.id > $0 } ?? true }
            let shown = try ScheduleLists.rows(
                schedules.prefix(limit - rows.count),
                product: try call.work.product(of: did),
                bytes: &bytes,
                in: call.tx
            )
            rows += shown
            isCut = shown.count < schedules.count
            guard !shown.isEmpty else { return }
            let last = schedules[shown.count - 1]
            self.last = (last.did, last.id)
        }
    }

    // MARK: Runs

    @Sendable
    static func runs(_ call: inout Call) throws -> Reply {
        let (schedule, _) = try visible(call)
        let limit = try call.pageLimit()
        let before = try ScheduleCodec.runCursor(call.fields) ?? .max
        let found = try call.tx.runs.newest(schedule.id, before: before, limit: Int64(limit) + 1)
        let rows = AnswerRows.fitting(found.prefix(limit), row: ScheduleCodec.encode)
        let isCut = rows.count < found.count && !rows.isEmpty
        return .result(
            ScheduleCodec.runs(rows, next: isCut ? found[rows.count - 1].dueAt : nil)
        )
    }
}
