package import Domain

extension BindingTable {
    /// Hands over the binding of each pair that is bound, with its index in the request.
    package func load(
        _ pairs: [(did: DeviceID, uid: UserID)],
        _ body: (Int, Binding) -> Void
    ) throws {
        for (place, pair) in pairs.enumerated() {
            if let binding = try find(pair.did, pair.uid) { body(place, binding) }
        }
    }
}
