import Domain
package import JSON
import ServiceSettings
import Storage
import Web

/// The operations on the list of devices and on a single device.
package enum DeviceOperations {
    static let all: [Operation] = [
        Operation("listDevices", "GET", "devices", role: .viewer, list),
        Operation("countDevices", "GET", "devices/counts", role: .viewer, count),
        Operation("showDevice", "GET", "devices/{did}", role: .viewer, show),
    ]

    /// Returns the device whose id is in the path.
    static func device(_ call: OperationCall, in tx: Transaction) throws -> DeviceListing {
        let did = try call.id("did", DeviceKind.self)
        guard let device = try tx.devices.find(did), let status = try tx.statuses.find(did) else {
            throw Refused.notFound("device", did.text)
        }
        return DeviceListing(device: device, status: status)
    }

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let limit = try call.limit()
        let after = try call.cursor(after: "d-", DeviceKind.self)
        let terms = try call.search()
        return try call.read { tx in
            let search = try DeviceSearch(terms, products: tx.products.all(), at: call.now)
            let page = try FoundDevices(search, after: after, limit: limit, in: tx)
            let rows = try DeviceView.rows(page.found, in: tx)
            return Shown.page(rows, next: page.next?.text)
        }
    }

    private static func count(_ call: OperationCall) throws -> JSONObject {
        let terms = try call.search()
        return try call.read { tx in
            let search = try DeviceSearch(terms, products: tx.products.all(), at: call.now)
            return counts(try tx.devices.counts(search.filter))
        }
    }

    /// Returns the counts of devices as JSON (`DeviceCounts`).
    package static func counts(
        _ counts: (all: Int64, online: Int64, alerting: Int64, unregistered: Int64)
    ) -> JSONObject {
        JSONObject(showing: [
            "all": counts.all, "online": counts.online, "offline": counts.all - counts.online,
            "alerting": counts.alerting, "unregistered": counts.unregistered,
        ])
    }

    private static func show(_ call: OperationCall) throws -> JSONObject {
        try call.read { tx in
            let listing = try device(call, in: tx)
            return try DeviceView.page(listing, root: call.context.settings.root, in: tx)
        }
    }
}
