package import Domain

extension BindingTable {
    /// Hands over everybody who is bound to each device, with the device's place among those asked
    /// for.
    package func users(of dids: [DeviceID], _ body: (Int, UserID) -> Void) throws {
        try transaction.sql.query(
            "SELECT uid FROM binding WHERE did = $1 ORDER BY uid",
            each: dids.indices
        ) {
            $0.add(dids[$1].text)
        } row: {
            body($0, UserID(trusted: $1.text(0)))
        }
    }

    /// Hands over the bond of each pair that is bound, with its place among those asked for.
    package func load(
        _ pairs: [(did: DeviceID, uid: UserID)],
        _ body: (Int, Binding) -> Void
    ) throws {
        for (place, pair) in pairs.enumerated() {
            if let binding = try find(pair.did, pair.uid) { body(place, binding) }
        }
    }
}
