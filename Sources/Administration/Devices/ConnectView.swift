package import Domain
package import JSON
package import Storage

/// The progress of a new device up to its first report.
package enum ConnectView {
    /// The maximum number of refusals that are examined to find one that concerns the device.
    private static let refusalsMax = 200
    /// A refusal of the device is shown for this number of seconds.
    private static let refusalSeconds: Int64 = 600

    /// Returns the progress (`Connection`) of the product's device that has the given MAC.
    package static func state(_ key: ProductKey, _ mac: MAC, in tx: Transaction) throws -> JSONObject {
        var state = JSONObject(showing: ["productKey": key, "mac": mac])
        let device = try tx.devices.find(key, mac)
        let status = try device.flatMap { try tx.statuses.find($0.did) }?.status
        let refusal = try lastRefusal(key, mac, did: device?.did, in: tx)
        state["did"] = device.map { .string($0.did.text) }
        state["deviceName"] = Shown.name(device?.name)
        let isRegistered = device?.registeredAt != nil
        if let status, !status.attributes.isEmpty {
            state["state"] = "reported"
        } else if isRegistered, status?.presence.isOnline == true {
            state["state"] = "connected"
        } else if let refusal, refusal.refusal.lastAt > device?.registeredAt ?? Instant(milliseconds: 0) {
            state["state"] = "refused"
            state["refusal"] = try RefusalView.rows([refusal], in: tx).first.map { .object($0) }
        } else {
            state["state"] = isRegistered ? "registered" : "waiting"
        }
        return state
    }

    private static func lastRefusal(
        _ key: ProductKey,
        _ mac: MAC,
        did: DeviceID?,
        in tx: Transaction
    ) throws -> (id: Int64, refusal: ClientRefusal)? {
        let oldest = tx.now.adding(seconds: -refusalSeconds)
        return try tx.refusals.page(since: Instant(milliseconds: 0), limit: refusalsMax).last { row in
            guard row.refusal.lastAt >= oldest else { return false }
            let name = row.refusal.username
            return name == "device:\(did?.text ?? "?")"
                || row.refusal.clientID == mac.text
                || (name == "product:\(key)" && row.refusal.topic?.contains(mac.text) == true)
        }
    }
}
