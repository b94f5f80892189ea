import Domain
import JSON
import Storage
import Web
import Wire

/// The timeline of a device: reports, commands, events, bindings, refusals and operators' actions, the newest first.
///
/// Each entry contains data that the console's page turns into a sentence in the operator's language. The cursor
/// contains the time of the last entry on the page, and the number of entries with this time that have already been
/// returned.
struct Timeline {
    private struct Entry {
        var at: Instant
        var order: Int64
        var object: JSONObject
    }

    private let call: OperationCall
    private let kinds: Set<String>
    private let limit: Int
    private let before: Instant
    private let skip: Int

    private static let allKinds: Set<String> = ["report", "command", "event", "binding", "refusal", "act"]
    /// The maximum number of refusals that are examined for one page.
    private static let scanMax = 5000

    init(_ call: OperationCall) throws {
        self.call = call
        limit = try call.limit()
        let wanted = Set(
            (call.request.query["kinds"] ?? "").split(separator: ",").map(String.init)
        )
        guard wanted.isSubset(of: Self.allKinds) else {
            let names = Self.allKinds.sorted().joined(separator: ", ")
            throw Refused.invalid("kinds", "kinds must be among \(names).")
        }
        kinds = wanted.isEmpty ? Self.allKinds : wanted
        guard let cursor = call.request.query["cursor"] else {
            (before, skip) = (.max, 0)
            return
        }
        guard let place = HistoryPlace(cursor: cursor) else { throw Refused.invalid("cursor", "This is not a cursor.") }
        (before, skip) = (place.ts, place.skip)
    }

    /// Returns a page of the timeline.
    func reply() throws -> JSONObject {
        try call.read { tx in
            let device = try DeviceOperations.device(call, in: tx).device
            let product = try tx.products.find(device.productKey)
            var entries: [Entry] = []
            if kinds.contains("report") { entries += try reports(device, product, in: tx) }
            if kinds.contains("command") { entries += try commands(device.did, product, in: tx) }
            if kinds.contains("event") { entries += try events(device.did, in: tx) }
            if kinds.contains("binding") { entries += try bindings(device.did, in: tx) }
            if kinds.contains("refusal") { entries += try refusals(device, in: tx) }
            if kinds.contains("act") { entries += try acts(device.did, in: tx) }
            entries.sort { ($0.at, $0.order) > ($1.at, $1.order) }
            return page(entries)
        }
    }

    private func page(_ entries: [Entry]) -> JSONObject {
        let rest = entries.dropFirst(entries.first?.at == before ? skip : 0)
        let rows = Array(rest.prefix(limit))
        guard rest.count > limit, let last = rows.last else { return Shown.page(rows.map(\.object)) }
        let told = rows.reversed().prefix { $0.at == last.at }.count
        let place = HistoryPlace(last.at, skip: told + (last.at == before ? skip : 0))
        return Shown.page(rows.map(\.object), next: place.cursor)
    }

    /// The maximum number of rows to fetch of each kind: enough to fill the whole page.
    private var most: Int { limit + skip + 1 }

    // MARK: Kinds

    private func entry(
        _ kind: String,
        _ type: String,
        at moment: Instant,
        id: String,
        order: Int64? = nil,
        with more: KeyValuePairs<String, (any Showable)?>
    ) -> Entry {
        var object = JSONObject(showing: ["id": "\(kind)-\(id)", "at": moment, "kind": kind, "type": type])
        object.members += JSONObject(showing: more).members
        return Entry(at: moment, order: order ?? Int64(id) ?? 0, object: object)
    }

    private func reports(_ device: DeviceRecord, _ product: Product?, in tx: Transaction) throws -> [Entry] {
        // Records have no numbers. So a record is identified by its time and its index among the records of that time.
        // For each page, all records of the cursor's time are read, even those that an earlier page contained.
        // Therefore, a record has the same index on every page.
        var (moment, place) = (Instant.max, Int64(0))
        return try tx.history.newest(device.did, until: before, limit: most).map { record in
            (moment, place) = (record.ts, record.ts == moment ? place + 1 : 0)
            let data = record.data.map { ProductRules.masked($0, product: product) }
            return entry(
                "report",
                record.binary == nil ? "values" : "bytes",
                at: record.ts,
                id: "\(record.ts.milliseconds).\(place)",
                order: -place,
                with: ["actor": Actor.device(device.did), "data": data]
            )
        }
    }

    private func commands(_ did: DeviceID, _ product: Product?, in tx: Transaction) throws -> [Entry] {
        try tx.commands.newest(did, until: before, limit: most).map { command in
            let data = ProductRules.masked(command.data, product: product)
            return entry(
                "command",
                command.state.rawValue,
                at: command.createdAt,
                id: "\(command.cid)",
                with: [
                    "actor": command.actor, "cause": command.refusal?.rawValue ?? command.code.map { "\($0)" },
                    "cid": command.cid, "steps": CommandView.steps(command), "data": data,
                ]
            )
        }
    }

    private func events(_ did: DeviceID, in tx: Transaction) throws -> [Entry] {
        var entries: [Entry] = []
        try tx.events.log(
            did,
            from: Instant(milliseconds: 0),
            to: before,
            before: nil
        ) { event, number in
            entries.append(
                entry(
                    "event",
                    event.type,
                    at: event.ts,
                    id: "\(number)",
                    with: ["actor": event.actor, "cause": event.reason, "name": event.name, "data": event.value]
                )
            )
            return entries.count < most
        }
        return entries
    }

    private func bindings(_ did: DeviceID, in tx: Transaction) throws -> [Entry] {
        let bound = try tx.bindings.all(of: did).filter { $0.boundAt <= before }.map { binding in
            entry(
                "binding",
                "bound",
                at: binding.boundAt,
                id: binding.uid.text,
                with: ["actor": Self.user(binding.uid), "name": binding.role.rawValue]
            )
        }
        let invited = try tx.sharings.open(of: did).filter { $0.createdAt <= before }.map { sharing in
            entry(
                "binding",
                "invited",
                at: sharing.createdAt,
                id: sharing.id.text,
                with: ["actor": Self.user(sharing.inviter), "name": sharing.status.rawValue]
            )
        }
        return (bound + invited).sorted { $0.at > $1.at }.prefix(most).map(\.self)
    }

    private static func user(_ uid: UserID) -> JSONObject { JSONObject(showing: ["kind": "user", "id": uid]) }

    private func refusals(_ device: DeviceRecord, in tx: Transaction) throws -> [Entry] {
        let names = ["device:\(device.did)", "product:\(device.productKey)"]
        return try tx.refusals.page(since: Instant(milliseconds: 0), limit: Self.scanMax)
            .filter { row in
                let refusal = row.refusal
                guard refusal.lastAt <= before else { return false }
                return refusal.username == names[0]
                    || (refusal.username == names[1] && refusal.clientID == device.mac.text)
            }.suffix(most).map { id, refusal in
                entry(
                    "refusal",
                    refusal.reason,
                    at: refusal.lastAt,
                    id: "\(id)",
                    with: [
                        "actor": Actor.device(device.did), "cause": refusal.action,
                        "name": refusal.topic, "times": refusal.times,
                    ]
                )
            }
    }

    private func acts(_ did: DeviceID, in tx: Transaction) throws -> [Entry] {
        let subject = "device \(did)"
        return try tx.audit.acts(on: subject, until: before, limit: most).map { id, act in
            entry("act", act.detail ?? "", at: act.at, id: "\(id)", with: ["actor": act.actor, "data": act.after])
        }
    }
}
