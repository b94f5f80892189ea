import Domain
import JSON
import Storage
import Web
import Wire
import Workers

/// The operations on schedules.
enum ScheduleOperations {
    static let all: [Operation] = [
        Operation("listSchedules", "GET", "schedules", role: .viewer, list),
        Operation("listUpcoming", "GET", "schedules/upcoming", role: .viewer) { call in try Upcoming(call).reply() },
        Operation("showSchedule", "GET", "schedules/{scheduleId}", role: .viewer, show),
        Operation("changeSchedule", "PATCH", "schedules/{scheduleId}", role: .operator, change),
        Operation("runSchedule", "POST", "schedules/{scheduleId}/run", role: .operator, run),
    ]

    private static let scanMax = 50_000
    private static let nextMax = 10
    private static let runsMax: Int64 = 50

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let (limit, terms) = (try call.limit(), try call.search())
        try terms.requireKeys(["device", "user", "zone", "enabled"])
        let after = try call.cursor(after: "s-", ScheduleKind.self)
        let page = PageWanted(after: after, limit: limit, scanMax: scanMax)
        return try call.read { try Self.page(page, terms, in: $0) }
    }

    /// Returns a page of the schedules that match a search.
    static func page(_ wanted: PageWanted, _ terms: SearchTerms, in tx: Transaction) throws -> JSONObject {
        var names: [DeviceID: String] = [:]
        let found = try wanted.rows {
            let page = try tx.schedules.page(after: $0, limit: $1)
            names = try tx.devices.names(of: page.map(\.did))
            return page
        } id: {
            $0.id.text
        } fits: {
            try fits($0, terms, named: names[$0.did])
        }
        return Shown.page(try ScheduleView.rows(found.rows, in: tx), next: found.next)
    }

    private static func fits(_ schedule: Schedule, _ terms: SearchTerms, named name: String?) throws -> Bool {
        try terms.terms.allSatisfy { term in
            let isFound =
                switch term.key {
                case "device": term.finds(anyOf: [schedule.did.text, name])
                case "user": term.finds(schedule.creator.text)
                case "zone": term.finds(schedule.timing.zone)
                case "enabled": try term.flag() == schedule.isEnabled
                default:
                    term.finds(anyOf: [
                        schedule.id.text, schedule.did.text, name, schedule.creator.text, schedule.remark,
                    ])
                }
            return isFound != term.isNegated
        }
    }

    private static func schedule(_ call: OperationCall, in tx: Transaction) throws -> Schedule {
        let id = try call.id("scheduleId", ScheduleKind.self)
        guard let found = try tx.schedules.find(id) else { throw Refused.notFound("schedule", id.text) }
        return found
    }

    private static func show(_ call: OperationCall) throws -> JSONObject {
        try call.read { tx in
            let found = try schedule(call, in: tx)
            var calendar = ScheduleCalendar(tx, keepsNewZones: false)
            var next: [JSONValue] = []
            var moment = found.nextAt
            while let at = moment, next.count < nextMax {
                next.append(Shown.moment(at))
                moment = try calendar.next(found, after: at)
            }
            let runs = try tx.runs.newest(found.id, before: .max, limit: runsMax)
            return [
                "schedule": .object(try ScheduleView.rows([found], in: tx)[0]), "next": .array(next),
                "runs": .array(runs.map { .object(ScheduleView.run($0, of: found.did)) }),
            ]
        }
    }

    private static func change(_ call: OperationCall) throws -> JSONObject {
        let isEnabled = try call.fields.requiredBool("enabled")
        let id = try call.id("scheduleId", ScheduleKind.self)
        let found = try call.act { work, act in
            let known = try work.tx.lock({ try schedule(call, in: work.tx) }, naming: { ([], [$0.did]) })
            act.subject = "schedule \(id)"
            act.before = ["enabled": .bool(known.isEnabled)]
            act.after = ["enabled": .bool(isEnabled)]
            return try ScheduleSwitch.set(known, to: isEnabled, in: &work)
        }
        return try call.read { try ScheduleView.rows([found], in: $0)[0] }
    }

    private static func run(_ call: OperationCall) throws -> JSONObject {
        let (command, product) = try call.act { work, act in
            let known = try schedule(call, in: work.tx)
            let product = try work.product(of: known.did)
            let request = CommandRequest(did: known.did, data: known.attrs, mode: .now, ttl: nil, actor: call.actor)
            act.subject = "schedule \(known.id)"
            return (try CommandDispatcher.enqueue(request, product: product, in: &work), product)
        }
        return CommandView.row(command, product: product)
    }
}

private struct Upcoming {
    private let call: OperationCall
    private let from: Instant
    private let now: Instant
    private let to: Instant

    private static let schedulesMax = 1000
    private static let occurrencesMax = 2000
    private static let runsMax = 1000

    init(_ call: OperationCall) throws {
        self.call = call
        let seconds = try call.integer("hours", in: 1...168, default: 24) * 3600
        now = call.now
        from = now.adding(seconds: -seconds)
        to = now.adding(seconds: seconds)
    }

    func reply() throws -> JSONObject {
        try call.read { tx in
            let schedules = try tx.schedules.planned(before: to, limit: Self.schedulesMax)
            var (rows, isCut) = ([(Instant, JSONObject)](), schedules.count == Self.schedulesMax)
            var calendar = ScheduleCalendar(tx, keepsNewZones: false)
            let runs = try tx.runs.all(from: from, to: to, limit: Self.runsMax)
            let owners = try ScheduleView.devices(of: runs, in: tx)
            let names = try tx.devices.names(of: schedules.map(\.did) + owners.values)
            for schedule in schedules {
                let product = try tx.statuses.find(schedule.did)
                    .flatMap { try tx.products.find($0.productKey) }
                let attrs = ProductRules.masked(schedule.attrs, product: product)
                var moment = schedule.nextAt
                while let at = moment, at < to {
                    guard rows.count < Self.occurrencesMax else {
                        isCut = true
                        break
                    }
                    let row = JSONObject(showing: [
                        "at": at, "scheduleId": schedule.id, "did": schedule.did,
                        "deviceName": Shown.name(names[schedule.did]), "timezone": schedule.timing.zone, "attrs": attrs,
                    ])
                    rows.append((at, row))
                    moment = try calendar.next(schedule, after: at)
                }
            }
            rows.sort { $0.0 < $1.0 }
            let zones = Set(schedules.map(\.timing.zone))
            let runRows = runs.map { run in
                let did = owners[run.schedule]
                return ScheduleView.run(run, of: did, deviceName: did.flatMap { names[$0] }).shown
            }
            return [
                "from": Shown.moment(from), "to": Shown.moment(to), "occurrences": .array(rows.map { .object($0.1) }),
                "runs": .array(runRows),
                "clockChanges": .array(zones.sorted().flatMap { ClockChanges.of($0, from: from, to: to) }),
                "isCut": .bool(isCut),
            ]
        }
    }
}
