package import Domain
package import JSON

/// A codec for schedules, runs and triggers (`schemas/methods/schedule.schema.json`).
package enum ScheduleCodec {
    /// The maximum size of the values that a schedule sets, in bytes of JSON.
    package static let attrsBytesMax = 16_384

    // MARK: Requests

    /// Reads the fields that `create` and `update` have in common.
    package static func parameters(_ fields: Fields) throws(Rejection) -> ScheduleParameters {
        var parameters = ScheduleParameters()
        if let text = try fields.text("date", length: 0...64) {
            guard let date = CalendarDate(text) else {
                throw fields.refuse("date", "must be a day that exists, as yyyy-MM-dd")
            }
            parameters.date = date
        }
        if let text = try fields.text("time", length: 0...64) {
            guard let time = DayTime(text) else {
                throw fields.refuse("time", "must be HH:mm, sunrise±HH:mm or sunset±HH:mm")
            }
            parameters.time = time
        }
        parameters.weekDays = try numbers("weekDays", 1...7, fields: fields)
        parameters.monthDays = try numbers("monthDays", 1...31, fields: fields)
        parameters.timezone = try fields.text("timezone", length: 1...64)
        parameters.attrs = try attrs(fields)
        parameters.remark = try fields.text("remark", length: 0...Binding.remarkMax)
        parameters.isEnabled = try fields.bool("enabled")
        parameters.misfire = try fields.word("misfire", as: Schedule.Misfire.self)
        return parameters
    }

    private static func numbers(
        _ name: String,
        _ range: ClosedRange<Int64>,
        fields: Fields
    ) throws(Rejection) -> [Int64]? {
        guard let array = try fields.array(name) else { return nil }
        let numbers = array.compactMap(\.intValue)
        guard !array.isEmpty, numbers.count == array.count, numbers.allSatisfy(range.contains) else {
            throw fields.refuse(name, "must name at least one day, from \(range.lowerBound) to \(range.upperBound)")
        }
        return Set(numbers).sorted()
    }

    private static func attrs(_ fields: Fields) throws(Rejection) -> JSONObject? {
        guard let object = try fields.object("attrs") else { return nil }
        let attrs = JSONObject(members: object.members.filter { $0.value != .null })
        guard !attrs.members.isEmpty else { throw fields.refuse("attrs", "must set at least one value") }
        guard attrs.encoded().count <= attrsBytesMax else {
            throw fields.refuse("attrs", "must have at most \(attrsBytesMax) bytes")
        }
        return attrs
    }

    // MARK: Schedules for users

    /// Returns a schedule for users, where `attrs` are the values with masked secrets.
    package static func encode(
        _ schedule: Schedule,
        attrs: JSONObject,
        polar: (date: CalendarDate, outcome: ScheduleRules.DayOutcome)? = nil
    ) -> JSONObject {
        var object = JSONObject(showing: [
            "scheduleId": schedule.id, "did": schedule.did, "nextAt": schedule.nextAt,
            "time": schedule.timing.time.description,
        ])
        switch schedule.timing.days {
        case .once(let date): object["date"] = .string(date.description)
        case .weekly(let days): object["weekDays"] = .array(days.map { .integer($0) })
        case .monthly(let days): object["monthDays"] = .array(days.map { .integer($0) })
        }
        object.members +=
            JSONObject([
                ("timezone", .string(schedule.timing.zone)), ("attrs", .object(attrs)),
                ("remark", .string(schedule.remark)), ("enabled", .bool(schedule.isEnabled)),
                ("misfire", .string(schedule.misfire.rawValue)),
                ("actor", EventCodec.encode(Actor(.user, schedule.creator.text), for: nil)),
                ("createdAt", .integer(schedule.createdAt.milliseconds)),
                ("updatedAt", .integer(schedule.updatedAt.milliseconds)), ("polar", polar.map { Self.polar($0) }),
            ]).members
        return object
    }

    /// Returns the member `polar`, which says that a schedule's next day has no sunrise or sunset.
    private static func polar(_ polar: (date: CalendarDate, outcome: ScheduleRules.DayOutcome)) -> JSONValue {
        [
            "date": .string(polar.date.description),
            "sun": .string(polar.outcome == .polarDay ? "polarDay" : "polarNight"),
        ]
    }

    /// The position right after the schedule `id` in a list of schedules of several devices.
    package typealias Position = (did: DeviceID, id: ScheduleID)

    /// Parses the cursor of `schedule/list`, or returns nil if there is no cursor.
    package static func cursor(_ fields: Fields) throws(Rejection) -> Position? {
        guard let text = try fields.text("cursor", length: 1...129) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let did = DeviceID(String(parts[0])), let id = ScheduleID(String(parts[1])) else {
            throw fields.refuse("cursor", "is not a cursor of schedule/list")
        }
        return (did, id)
    }

    private static func text(_ position: Position) -> String { "\(position.did.text).\(position.id.text)" }

    /// Returns the answer to `schedule/list`.
    package static func page(_ rows: [AnswerRow], next: Position?) -> Answer {
        AnswerRows.page(.schedules, rows, next: next.map(text))
    }

    /// Returns the answer to a change: the schedule and all schedules of its device.
    ///
    /// `ignored` contains the names of the request's fields that had no effect.
    package static func changed(_ schedule: Answer?, _ rows: [AnswerRow], next: Position?, ignored: [String]) -> Answer
    {
        [
            "schedule": schedule.map { .object($0) }, "schedules": .array(rows),
            "cursor": next.map { .string(text($0)) },
            "ignored": ignored.isEmpty ? nil : .array(ignored.map { .string($0) }),
        ]
    }

    /// Encodes the message that pushes a device's schedules to a user.
    package static func push(_ did: DeviceID, _ rows: [AnswerRow], next: Position?) -> [UInt8] {
        JSONObject(showing: ["did": did, "schedules": rows, "cursor": next.map(text)]).encoded()
    }

    /// Returns a row of a list of schedules.
    package static func row(
        _ schedule: Schedule,
        attrs: AttributeValues,
        polar: (date: CalendarDate, outcome: ScheduleRules.DayOutcome)?
    ) -> AnswerRow {
        .object(encode(schedule, attrs: attrs, polar: polar))
    }

    // MARK: Runs

    /// Parses the cursor of `schedule/runs`: all runs on the next page were due before the returned time.
    package static func runCursor(_ fields: Fields) throws(Rejection) -> Instant? {
        guard let text = try fields.text("cursor", length: 1...20) else { return nil }
        guard let moment = Int64(text) else { throw fields.refuse("cursor", "is not a cursor of schedule/runs") }
        return Instant(milliseconds: moment)
    }

    /// Returns the answer to `schedule/runs`.
    package static func runs(_ rows: [AnswerRow], next: Instant?) -> Answer {
        AnswerRows.page(.runs, rows, next: next.map { "\($0.milliseconds)" })
    }

    /// Returns the event that announces a finished run.
    package static func event(of run: ScheduleRun, at now: Instant) -> Event {
        Event(
            // All messages about the end of the same run have the same id.
            id: "\(run.schedule.text)-\(run.dueAt.milliseconds)",
            type: "scheduleRun",
            name: run.schedule.text,
            value: JSONObject(showing: ["state": run.state.rawValue, "dueAt": run.dueAt, "cid": run.cid]).shown,
            reason: run.error?.rawValue,
            ts: now,
            actor: Actor(.schedule, run.schedule.text)
        )
    }

    /// Returns a run as shown to users.
    package static func encode(_ run: ScheduleRun) -> JSONValue {
        JSONObject(showing: [
            "dueAt": run.dueAt, "firedAt": run.firedAt, "state": run.state.rawValue, "cid": run.cid, "code": run.code,
            "error": run.error.map { AnswerCodec.error(Rejection($0, message($0))) },
        ]).shown
    }

    private static func message(_ code: ErrorCode) -> String {
        switch code {
        case .deviceOffline: "The device was not connected."
        case .forbidden: "The schedule's creator may see the device, but not control it."
        case .notBound: "The schedule's creator is no longer bound to the device."
        case .invalidRequest: "The values no longer fit the device's product."
        default: "No command was sent."
        }
    }

    // MARK: Triggers

    /// Encodes the trigger of a due schedule, which the scheduler publishes at `firedAt`.
    package static func encode(_ trigger: Trigger, firedAt: Instant) -> [UInt8] {
        JSONObject([("dueAt", .integer(trigger.dueAt.milliseconds)), ("firedAt", .integer(firedAt.milliseconds))])
            .encoded()
    }

    /// Parses the trigger of a due schedule.
    ///
    /// The field `firedAt` is required but not kept. Instead, a run stores the time at which the schedule worker
    /// handled the trigger.
    package static func decode(trigger bytes: ArraySlice<UInt8>, of schedule: ScheduleID) throws(WireError) -> Trigger {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let dueAt = try fields.required("dueAt", fields.instant("dueAt"))
            _ = try fields.required("firedAt", fields.instant("firedAt"))
            return Trigger(schedule, dueAt: dueAt)
        }
    }
}
