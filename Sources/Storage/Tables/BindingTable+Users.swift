package import Domain

extension BindingTable {
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
