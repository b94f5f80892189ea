package import Domain
package import JSON
package import Storage
import Wire

/// The JSON form of devices in the console's interface.
package enum DeviceView {
    /// The members of the hardware data that can contain the firmware's version, the most specific first.
    private static let firmware = ["mcuSoftVersion", "wifiFirmwareVer", "wifiSoftVersion"]

    /// Returns a device as a row of the list (`DeviceRow`).
    static func row(
        _ listing: DeviceListing,
        product: Product?,
        owner: (uid: UserID, alias: String)?,
        tags: [DeviceTag]
    ) -> JSONObject {
        let (device, status) = (listing.device, listing.status.status)
        let names = { (kind: ConditionKind) in
            status.open.filter { $0.kind == kind }.map(\.name)
        }
        let version = firmware.lazy.compactMap { device.hardware[$0]?.stringValue }.first
        return JSONObject(showing: [
            "did": device.did, "productKey": device.productKey,
            "productName": product?.name ?? "", "mac": device.mac, "name": Shown.name(device.name),
            "alias": Shown.name(owner?.alias), "tags": Self.tags(tags), "owner": owner?.uid,
            "online": status.presence.isOnline, "since": status.presence.lastSeenAt,
            "version": status.version, "changedAt": status.ts, "firmware": version,
            "alerts": names(.alert), "faults": names(.fault), "createdAt": device.createdAt,
            "registeredAt": device.registeredAt,
        ])
    }

    /// Returns tags as an object that maps each tag's name to its value.
    static func tags(_ tags: [DeviceTag]) -> JSONObject {
        JSONObject(members: tags.map { .init(key: $0.name, value: .string($0.value)) })
    }

    /// Returns devices as rows of the list, in the given order.
    static func rows(_ listings: [DeviceListing], in tx: Transaction) throws -> [JSONObject] {
        let dids = listings.map(\.device.did)
        let (owners, tags) = (try tx.devices.owners(of: dids), try tx.devices.tags(of: dids))
        var products: [ProductKey: Product] = [:]
        return try listings.map { listing in
            let key = listing.device.productKey
            if products[key] == nil { products[key] = try tx.products.find(key) }
            let did = listing.device.did
            return row(
                listing,
                product: products[key],
                owner: owners[did],
                tags: tags[did] ?? []
            )
        }
    }

    /// Returns the row of a device, or nil if the device doesn't exist.
    package static func row(of did: DeviceID, in tx: Transaction) throws -> JSONObject? {
        guard let device = try tx.devices.find(did), let status = try tx.statuses.find(did) else { return nil }
        return try rows([DeviceListing(device: device, status: status)], in: tx).first
    }

    /// Returns the answer to a request for one device (`Device`).
    static func page(_ listing: DeviceListing, root: String, in tx: Transaction) throws -> JSONObject {
        let (device, status) = (listing.device, listing.status.status)
        let product = try tx.products.find(device.productKey)
        let bindings = try tx.bindings.all(of: device.did)
        let open = try tx.commands.open(device.did)
        let newest = try tx.commands.newest(device.did, limit: 50)
        let conditions = status.open.map {
            JSONObject(showing: ["kind": $0.kind.rawValue, "name": $0.name, "at": $0.ts])
        }
        return JSONObject(showing: [
            "row": try rows([listing], in: tx).first, "presence": presence(status.presence),
            "points": PointView.points(status, product: product, open: open, newest: newest), "alerts": conditions,
            "hardware": device.hardware, "hasSecret": device.secretHash != nil, "ownershipSince": device.ownershipSince,
            "resetUntil": device.resetUntil, "certificatesFrom": device.certificatesFrom, "users": bindings.count,
            "openCommands": open.count, "grants": grants(device, root: root),
        ])
    }

    private static func presence(_ presence: Presence) -> JSONObject {
        let isKnownByDevice = presence.session != nil || presence.lastSeenAt != nil
        let way = presence.connection > 0 ? "gate" : isKnownByDevice ? "device" : "nothing"
        return JSONObject(showing: [
            "online": presence.isOnline, "knownBy": way, "since": presence.lastSeenAt,
            "connection": presence.connection, "run": presence.session, "listensFrom": presence.listensFrom,
        ])
    }

    /// Returns the rights that the gate grants to a device that has a secret (reference: connecting#rights).
    private static func grants(_ device: DeviceRecord, root: String) -> [String] {
        guard device.secretHash != nil else { return [] }
        let base = "\(root)/device/\(device.did)"
        return ["report", "info", "presence"].map { "> \(base)/\($0)" }
            + ["command", "response"].map { "< \(base)/\($0)" }
    }
}

/// The JSON form of data points with their values.
enum PointView {
    /// Returns a data point as the product declares it.
    static func declared(_ point: DataPoint) -> JSONObject {
        JSONObject(showing: [
            "name": point.name, "title": point.displayName, "kind": point.kind.rawValue,
            "access": point.access.rawValue, "unit": point.unit, "min": point.min,
            "max": point.max, "step": point.step,
            "values": point.values.isEmpty ? nil : point.values, "maxLength": point.maxLength,
        ])
    }

    /// Returns a device's data points with their known and wanted values.
    ///
    /// If the product declares no data points, those that the device has reported are returned.
    static func points(_ status: Status, product: Product?, open: [Command], newest: [Command]) -> [JSONObject] {
        let declared = product.map(\.dataPoints) ?? []
        let points =
            declared.isEmpty
            ? status.attributes.map { JSONObject(showing: ["name": $0.name, "kind": "any", "access": "rw"]) }
            : declared.map(Self.declared)
        return points.map { point in
            var point = point
            let name = point["name"]?.stringValue ?? ""
            let isHidden = point["access"]?.stringValue == "wo"
            if !isHidden, let held = status.attributes.first(where: { $0.name == name }) {
                point["value"] = held.value
                point["at"] = held.ts.shown
            }
            let setter = newest.first { $0.state == .done && $0.kind == .write && $0.data[name] != nil }
            point["by"] = setter?.actor.shown
            if let waiting = open.last(where: { $0.kind == .write && $0.data[name] != nil }) {
                point["wanted"] =
                    JSONObject(showing: [
                        "value": isHidden ? nil : waiting.data[name], "cid": waiting.cid,
                        "state": waiting.state.rawValue, "at": waiting.createdAt, "by": waiting.actor,
                    ]).shown
            }
            return point
        }
    }
}
