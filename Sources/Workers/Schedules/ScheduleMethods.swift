import Domain
import Storage
import Wire

/// The methods `schedule/…`, which plan commands for given times (`schemas/methods/schedule.schema.json`).
enum ScheduleMethods {
    static let all: [String: Method] = [
        "schedule/create": Method(locks: .device, run: create),
        "schedule/list": Method(isReading: true, run: ScheduleLists.list),
        "schedule/update": Method(run: update),
        "schedule/delete": Method(run: delete),
        "schedule/enable": Method { call in try setEnabled(true, &call) },
        "schedule/disable": Method { call in try setEnabled(false, &call) },
        "schedule/runs": Method(isReading: true, run: ScheduleLists.runs),
    ]

    // MARK: Making

    @Sendable
    private static func create(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let parameters = try ScheduleCodec.parameters(fields)
        guard let time = parameters.time else { throw fields.refuse("time", "is missing") }
        guard let attrs = parameters.attrs else { throw fields.refuse("attrs", "is missing") }
        let binding = try DeviceMethods.binding(call)
        try DeviceMethods.requireControl(binding)
        try check(attrs, for: binding.did, call)
        guard try call.tx.schedules.count(ofDevice: binding.did) < Schedule.perDeviceMax else {
            let message = "The device already has \(Schedule.perDeviceMax) schedules."
            throw Rejection(.forbidden, message, field: "params.did")
        }
        var calendar = ScheduleCalendar(call.tx, keepsNewZones: true)
        let zone = try parameters.timezone ?? userZone(call)
        var schedule = Schedule(
            id: ScheduleID(trusted: call.work.makeID("s")),
            did: binding.did,
            creator: binding.uid,
            app: binding.app,
            timing: Timing(days: .weekly([]), time: time, zone: zone),
            attrs: attrs,
            remark: parameters.remark ?? "",
            isEnabled: parameters.isEnabled ?? true,
            misfire: parameters.misfire ?? .skip,
            createdAt: call.tx.now
        )
        schedule.timing.days = try ScheduleTimes.days(parameters, of: schedule, by: &calendar, at: call.tx.now)
        try ScheduleTimes.plan(&schedule, hasDate: parameters.date != nil, by: &calendar, at: call.tx.now)
        return try save(schedule, ignored: parameters.ignored, &call)
    }

    /// Returns the caller's time zone, or UTC if the system doesn't know it.
    private static func userZone(_ call: Call) throws -> String {
        let zone = try call.user().timezone
        return TimeZones.contains(zone) ? zone : "UTC"
    }

    private static func check(_ attrs: AttributeValues, for did: DeviceID, _ call: Call) throws {
        guard let product = try call.work.product(of: did) else { throw DeviceMethods.isGone }
        let rejection = ProductRules.check(written: attrs, product: product, path: "params.attrs")
        if let rejection { throw rejection }
    }

    // MARK: Changing

    /// Returns the schedule and the caller's binding, or throws if the caller may not change the schedule.
    ///
    /// The method locks the schedule's device. The reference describes the rights (schedules#rights).
    private static func changeable(_ call: Call) throws -> (Schedule, Binding) {
        let (schedule, binding) = try call.tx.lock({ try ScheduleLists.visible(call) }, naming: { ([], [$0.0.did]) })
        guard schedule.creator == binding.uid || binding.role.isPrincipal else { throw ScheduleLists.isUnknown }
        return (schedule, binding)
    }

    @Sendable
    private static func update(_ call: inout Call) throws -> Reply {
        var (schedule, binding) = try changeable(call)
        let parameters = try ScheduleCodec.parameters(call.fields)
        if let attrs = parameters.attrs {
            try DeviceMethods.requireControl(binding)
            // Answers show `"***"` in place of a write-only value. A client that sends `"***"` keeps the stored value.
            let product = try call.work.product(of: schedule.did)
            schedule.attrs = ProductRules.unmasked(attrs, stored: schedule.attrs, product: product)
            try check(schedule.attrs, for: schedule.did, call)
        }
        let wasEnabled = schedule.isEnabled
        schedule.remark = parameters.remark ?? schedule.remark
        schedule.misfire = parameters.misfire ?? schedule.misfire
        schedule.isEnabled = parameters.isEnabled ?? wasEnabled
        schedule.timing.time = parameters.time ?? schedule.timing.time
        schedule.timing.zone = parameters.timezone ?? schedule.timing.zone
        schedule.timing.days = parameters.days ?? schedule.timing.days
        schedule.updatedAt = call.tx.now
        if parameters.concernsTiming || (schedule.isEnabled && !wasEnabled) {
            var calendar = ScheduleCalendar(call.tx, keepsNewZones: true)
            try ScheduleTimes.plan(&schedule, hasDate: parameters.date != nil, by: &calendar, at: call.tx.now)
        }
        if !schedule.isEnabled { schedule.nextAt = nil }
        return try save(schedule, ignored: parameters.ignored, &call)
    }

    private static func setEnabled(_ isEnabled: Bool, _ call: inout Call) throws -> Reply {
        let (schedule, _) = try changeable(call)
        do {
            _ = try ScheduleSwitch.set(schedule, to: isEnabled, in: &call.work)
        } catch let rejection as Rejection {
            throw Rejection.invalid("params.scheduleId", rejection.message)
        }
        return .result(try ScheduleLists.answer(schedule.did, call))
    }

    @Sendable
    private static func delete(_ call: inout Call) throws -> Reply {
        let (schedule, _) = try changeable(call)
        try call.tx.schedules.delete(schedule)
        try notifyUsers(schedule.did, &call)
        return .result(try ScheduleLists.answer(schedule.did, call))
    }

    // MARK: Consequences

    private static func save(_ schedule: Schedule, ignored: [String], _ call: inout Call) throws -> Reply {
        let product = try call.work.product(of: schedule.did)
        let masked = ProductRules.masked(schedule.attrs, product: product)
        try call.tx.schedules.save(schedule, masked: masked)
        try notifyUsers(schedule.did, &call)
        var calendar = ScheduleCalendar(call.tx, keepsNewZones: false)
        let polar = schedule.isEnabled ? try calendar.polar(schedule, at: call.tx.now) : nil
        let shown = ScheduleCodec.encode(schedule, attrs: masked, polar: polar)
        return .result(try ScheduleLists.answer(schedule.did, call, beside: shown, ignored: ignored))
    }

    private static func notifyUsers(_ did: DeviceID, _ call: inout Call) throws {
        try ScheduleNotifications.push(did, in: &call.work)
        call.work.effects.wake(.scheduler)
    }
}
