import Domain
import JSON
import Storage
import Wire

/// The lists of schedules, and of their runs, for users.
enum ScheduleLists {
    static let isUnknown = Rejection(
        .resourceNotFound,
        "There is no such schedule.",
        field: "params.scheduleId"
    )

    /// Returns the schedule that the request names, with the caller's binding to its device.
    static func visible(_ call: Call) throws -> (Schedule, Binding) {
        let id = try call.fields.requiredID("scheduleId", as: ScheduleID.self)
        guard let schedule = try call.tx.schedules.find(id),
            let binding = try call.tx.bindings.find(schedule.did, call.caller().uid),
            !binding.isOver(at: call.tx.now)
        else { throw isUnknown }
        return (schedule, binding)
    }

    /// Returns the answer with a device's schedules, and with one schedule by itself.
    static func answer(
        _ did: DeviceID,
        _ call: Call,
        beside schedule: JSONObject? = nil
    ) throws -> JSONObject {
        let schedules = try call.tx.schedules.all(of: did)
        var bytes = AnswerRows.frameBytes + (schedule?.encoded().count ?? 0)
        let rows = try ScheduleNotifications.rows(
            schedules,
            product: try ScheduleNotifications.product(of: did, call.catalog, in: call.tx),
            bytes: &bytes,
            in: call.tx
        )
        return [
            "schedule": schedule.map { .object($0) }, "schedules": .array(rows),
            "cursor": ScheduleNotifications.cursor(schedules, shown: rows.count),
        ]
    }

    // MARK: Schedules

    @Sendable
    static func list(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let start = try cursor(fields)
        var page = Page(limit: try call.pageLimit())
        if fields.object["did"] != nil {
            let did = try DeviceMethods.binding(call).did
            try page.add(did, after: start?.did == did ? start?.id : nil, call)
        } else {
            try addAll(to: &page, from: start, call)
        }
        return .result([
            "schedules": .array(page.rows), "cursor": page.isCut ? page.cursor : nil,
        ])
    }

    private static func addAll(
        to page: inout Page,
        from start: (did: DeviceID, id: ScheduleID)?,
        _ call: Call
    ) throws {
        let uid = try call.caller().uid
        if let start, let binding = try call.tx.bindings.find(start.did, uid),
            !binding.isOver(at: call.tx.now)
        {
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

    private static func cursor(_ fields: Fields) throws -> (did: DeviceID, id: ScheduleID)? {
        guard let text = try fields.text("cursor", length: 1...129) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let did = DeviceID(String(parts[0])),
            let id = ScheduleID(String(parts[1]))
        else { throw fields.refuse("cursor", "is not a cursor of schedule/list") }
        return (did, id)
    }

    /// Rows that fit into one answer.
    private struct Page {
        let limit: Int
        var rows: [JSONValue] = []
        var cursor: JSONValue?
        /// Whether there is more.
        var isCut = false
        private var bytes = AnswerRows.frameBytes

        init(limit: Int) { self.limit = limit }

        mutating func add(_ did: DeviceID, after id: ScheduleID?, _ call: Call) throws {
            let schedules = try call.tx.schedules.all(of: did)
                .filter { schedule in id.map { schedule.id > $0 } ?? true }
            let shown = try ScheduleNotifications.rows(
                schedules.prefix(limit - rows.count),
                product: try ScheduleNotifications.product(of: did, call.catalog, in: call.tx),
                bytes: &bytes,
                in: call.tx
            )
            rows += shown
            isCut = shown.count < schedules.count
            guard !shown.isEmpty else { return }
            let last = schedules[shown.count - 1]
            cursor = .string("\(last.did.text).\(last.id.text)")
        }
    }

    // MARK: Runs

    @Sendable
    static func runs(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let (schedule, _) = try visible(call)
        let limit = try call.pageLimit()
        var before = Instant.max
        if let text = try fields.text("cursor", length: 1...20) {
            guard let moment = Int64(text) else {
                throw fields.refuse("cursor", "is not a cursor of schedule/runs")
            }
            before = Instant(milliseconds: moment)
        }
        let found = try call.tx.runs.newest(schedule.id, before: before, limit: Int64(limit) + 1)
        let rows = AnswerRows.fitting(found.prefix(limit), row: ScheduleCodec.encode)
        let isCut = rows.count < found.count && !rows.isEmpty
        return .result([
            "runs": .array(rows),
            "cursor": isCut ? .string("\(found[rows.count - 1].dueAt.milliseconds)") : nil,
        ])
    }
}
