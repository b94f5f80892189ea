package import Domain
package import JSON
import Service
package import Storage

/// Refusals with the rule that refused the client, and the remedy.
package enum RefusalView {
    /// Returns rows (`Refusal`) with the names of the refused devices.
    package static func rows(
        _ refusals: some Collection<(id: Int64, refusal: ClientRefusal)>,
        in tx: Transaction
    ) throws -> [JSONObject] {
        let names = try tx.devices.names(of: refusals.compactMap(\.refusal.device))
        return try refusals.map { id, refusal in
            try row(id, refusal, named: refusal.device.flatMap { names[$0] }, in: tx)
        }
    }

    private static func row(
        _ id: Int64,
        _ refusal: ClientRefusal,
        named name: String?,
        in tx: Transaction
    ) throws -> JSONObject {
        let page = ExplainPage(named: refusal.reason)
        let party = try party(refusal, in: tx)
        return JSONObject([
            ("id", .integer(id)), ("reason", .string(refusal.reason)),
            ("title", .string(page?.title ?? refusal.reason)),
            ("cause", .string(page?.cause ?? "")), ("cure", .string(page?.cure ?? "")),
            ("action", .string(refusal.action)), ("username", .string(refusal.username)),
            ("clientId", .string(refusal.clientID)), ("address", .string(refusal.address)),
            ("topic", refusal.topic.map { .string($0) }),
            ("detail", refusal.detail.map { .string($0) }),
            ("firstAt", Shown.moment(refusal.firstAt)), ("at", Shown.moment(refusal.lastAt)),
            ("times", .integer(refusal.times)), ("did", party.did.map { .string($0.text) }),
            ("deviceName", Shown.name(name)),
            ("productKey", party.product.map { .string($0.text) }),
            ("mac", party.mac.map { .string($0.text) }),
        ])
    }

    /// Returns the refused device, as far as its username and client id identify it.
    private static func party(
        _ refusal: ClientRefusal,
        in tx: Transaction
    ) throws -> (did: DeviceID?, product: ProductKey?, mac: MAC?) {
        if let did = refusal.device { return (try tx.devices.find(did)?.did, nil, nil) }
        let parts = refusal.username.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[0] == "product", let key = ProductKey(parts[1]) else {
            return (nil, nil, nil)
        }
        return (nil, key, MAC(refusal.clientID))
    }
}
