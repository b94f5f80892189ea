package import Domain
package import JSON
import Sodium
package import Storage

/// The data that tells a device's page in the console what has changed: the device's row, and a mark for each tab.
///
/// If a tab's data changes, the tab's mark changes too. A mark is a number or a hash of the data.
package enum DevicePageView {
    /// Returns the device's row and the marks (`DeviceChange`), or nil for an unknown device.
    package static func change(_ did: DeviceID, in tx: Transaction) throws -> JSONObject? {
        guard let row = try DeviceView.row(of: did, in: tx) else { return nil }
        let commands = try tx.commands.newest(did, limit: 50)
        let bindings = try tx.bindings.all(of: did)
        let invitations = try tx.sharings.open(of: did)
        let schedules = try tx.schedules.all(ofDevice: did)
        var event: Int64 = 0
        try tx.events.log(
            did,
            from: Instant(milliseconds: 0),
            to: .max,
            before: nil
        ) { _, number in
            event = number
            return false
        }
        return [
            "device": .object(row), "lastCid": .integer(commands.first?.cid ?? 0),
            "commands": mark(commands.map { "\($0.cid)\($0.state)\($0.isLate)" }),
            "bindings": mark(
                bindings.map { "\($0.uid)\($0.role)\($0.access)\($0.isSubscribed)\($0.alias)" }
                    + invitations.map { "\($0.id)\($0.status)" }
            ),
            "schedules": mark(
                schedules.map {
                    "\($0.id)\($0.updatedAt.milliseconds)\($0.nextAt?.milliseconds ?? 0)"
                }
            ),
            "events": .string("\(event)"),
        ]
    }

    private static func mark(_ texts: [String]) -> JSONValue {
        let digest = Sodium.sha256(texts.joined(separator: "\n").utf8)
        return .string(Sodium.base64URL(Array(digest.prefix(6))))
    }
}
