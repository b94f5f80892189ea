/// The entries of the event log that a reader wants.
package struct EventFilter: Sendable, Equatable {
    /// The types as the reader named them, such as `device.*`; empty for all but `device.status`.
    package let names: [String]
    /// The products; empty for all.
    package let products: [ProductKey]
    /// The devices; empty for all.
    package let dids: [DeviceID]
    private let types: Set<EventType>
    private let productSet: Set<ProductKey>
    private let deviceSet: Set<DeviceID>

    /// Makes a filter.
    package init(names: [String] = [], products: [ProductKey] = [], dids: [DeviceID] = []) {
        (self.names, self.products, self.dids) = (names, products, dids)
        types = Set(names.isEmpty ? EventType.readable.filter { !$0.isBulk } : names.flatMap(EventType.named))
        (productSet, deviceSet) = (Set(products), Set(dids))
    }

    /// The most types, products or devices of a filter.
    package static let namesMax = 100

    /// Whether it wants the type that is kept only while a reader wants it.
    package var wantsStatuses: Bool { types.contains(.deviceStatus) }

    /// Returns whether an entry is wanted.
    package func accepts(_ event: LoggedEvent) -> Bool {
        guard types.contains(event.type) else { return false }
        if !productSet.isEmpty { guard let product = event.product, productSet.contains(product) else { return false } }
        if !deviceSet.isEmpty { guard let did = event.did, deviceSet.contains(did) else { return false } }
        return true
    }
}
