import Domain
import Foundation
import JSON
import Storage

/// The JSON form of schedules in the console's interface.
enum ScheduleView {
    /// Returns schedules as rows (`Schedule`), with their last runs and with masked secrets.
    static func rows(_ schedules: [Schedule], in tx: Transaction) throws -> [JSONObject] {
        let names = try tx.devices.names(of: schedules.map(\.did))
        return try schedules.map { schedule in
            let product = try tx.statuses.find(schedule.did)
                .flatMap { try tx.products.find($0.productKey) }
            let last = try tx.runs.newest(schedule.id, before: .max, limit: 1).first
            return row(
                schedule,
                product: product,
                lastRun: last,
                deviceName: names[schedule.did]
            )
        }
    }

    private static func row(
        _ schedule: Schedule,
        product: Product?,
        lastRun: ScheduleRun?,
        deviceName: String?
    ) -> JSONObject {
        JSONObject(showing: [
            "scheduleId": schedule.id, "did": schedule.did, "deviceName": Shown.name(deviceName),
            "creator": schedule.creator, "appId": schedule.app, "time": "\(schedule.timing.time)",
        ]).adding(days(schedule.timing.days)).adding([
            ("timezone", .string(schedule.timing.zone)),
            ("attrs", .object(ProductRules.masked(schedule.attrs, product: product))),
            ("remark", schedule.remark.isEmpty ? nil : .string(schedule.remark)),
            ("enabled", .bool(schedule.isEnabled)), ("misfire", .string(schedule.misfire.rawValue)),
            ("nextAt", schedule.nextAt.map(Shown.moment)), ("createdAt", Shown.moment(schedule.createdAt)),
            ("updatedAt", Shown.moment(schedule.updatedAt)),
            ("lastRun", lastRun.map { .object(run($0, of: schedule.did)) }),
        ])
    }

    /// Returns a run as JSON (`ScheduleRun`).
    static func run(
        _ run: ScheduleRun,
        of did: DeviceID?,
        deviceName: String? = nil
    ) -> JSONObject {
        JSONObject(showing: [
            "scheduleId": run.schedule, "did": did, "deviceName": Shown.name(deviceName), "dueAt": run.dueAt,
            "firedAt": run.firedAt, "state": run.state.rawValue, "cid": run.cid, "error": run.error?.rawValue,
            "code": run.code,
        ])
    }

    /// Returns a dictionary that maps the id of each run's schedule to the id of the schedule's device.
    static func devices(
        of runs: [ScheduleRun],
        in tx: Transaction
    ) throws -> [ScheduleID: DeviceID] {
        var devices: [ScheduleID: DeviceID] = [:]
        for run in runs where devices[run.schedule] == nil {
            devices[run.schedule] = try tx.schedules.find(run.schedule)?.did
        }
        return devices
    }
}

/// The moments at which daylight saving time begins or ends in a time zone.
enum ClockChanges {
    /// Returns each clock change of a time zone within a period, with the offsets from UTC before and after the change.
    static func of(_ name: String, from: Instant, to: Instant) -> [JSONValue] {
        guard let zone = TimeZone(identifier: name) else { return [] }
        var changes: [JSONValue] = []
        var moment = Date(timeIntervalSince1970: Double(from.milliseconds) / 1000)
        let end = Date(timeIntervalSince1970: Double(to.milliseconds) / 1000)
        while let next = zone.nextDaylightSavingTimeTransition(after: moment), next < end {
            changes.append([
                "at": .integer(Int64(next.timeIntervalSince1970 * 1000)), "timezone": .string(name),
                "before": .integer(Int64(zone.secondsFromGMT(for: next.addingTimeInterval(-1)))),
                "after": .integer(Int64(zone.secondsFromGMT(for: next))),
            ])
            moment = next
        }
        return changes
    }
}

extension ScheduleView {
    private static func days(_ days: Timing.Days) -> [(String, JSONValue?)] {
        switch days {
        case .once(let date): [("date", .string("\(date)"))]
        case .weekly(let numbers): [("weekDays", .array(numbers.map { .integer($0) }))]
        case .monthly(let numbers): [("monthDays", .array(numbers.map { .integer($0) }))]
        }
    }
}
