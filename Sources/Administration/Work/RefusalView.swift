package import Domain
package import JSON
import Service
package import Storage

/// Refusals as JSON, each with the rule that refused the client, and the remedy.
package enum RefusalView {
    /// Returns refusals as rows (`Refusal`), each with the name of the refused device.
    package static func rows(
        _ refusals: some Collection<(id: Int64, refusal: ClientRefusal)>,
        in tx: Transaction
    ) throws -> [JSONObject] {
        let names = try tx.devices.names(of: refusals.compactMap(\.refusal.device))
        return try refusals.map { id, refusal in
            try row(id, refusal, named: refusal.device.flatMap { names[$0] }, in: tx)
        }
    }

    /// Returns a refusal as a row, without an id if it isn't stored yet.
    package static func row(_ id: Int64?, _ refusal: ClientRefusal, in tx: Transaction) throws -> JSONObject {
        let names = try tx.devices.names(of: [refusal.device].compactMap(\.self))
        return try row(id, refusal, named: names.values.first, in: tx)
    }

    private static func row(
        _ id: Int64?,
        _ refusal: ClientRefusal,
        named name: String?,
        in tx: Transaction
    ) throws -> JSONObject {
        let page = ExplainPage(named: refusal.reason)
        let party = try party(refusal, in: tx)
        return JSONObject(showing: [
            "id": id, "reason": refusal.reason, "title": page?.title ?? refusal.reason, "cause": page?.cause ?? "",
            "cure": page?.cure ?? "", "action": refusal.action, "username": refusal.username,
            "clientId": refusal.clientID, "address": refusal.address, "topic": refusal.topic, "detail": refusal.detail,
            "firstAt": refusal.firstAt, "at": refusal.lastAt, "times": refusal.times, "did": party.did,
            "deviceName": Shown.name(name), "productKey": party.product, "mac": party.mac,
        ])
    }

    private static func party(
        _ refusal: ClientRefusal,
        in tx: Transaction
    ) throws -> (did: DeviceID?, product: ProductKey?, mac: MAC?) {
        if let did = refusal.device { return (try tx.devices.find(did)?.did, nil, nil) }
        let parts = refusal.username.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[0] == "product", let key = ProductKey(parts[1]) else { return (nil, nil, nil) }
        return (nil, key, MAC(refusal.clientID))
    }
}
