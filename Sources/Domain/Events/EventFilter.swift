/// A reader's choice of entries in the event log, by type, product and device.
package struct EventFilter: Sendable, Equatable {
    /// The event types that the reader wants, or groups of types such as `device.*`.
    ///
    /// If the list is empty, the reader wants all types except `device.status`.
    package let names: [String]
    /// The products whose entries the reader wants; empty for all products.
    package let products: [ProductKey]
    /// The devices whose entries the reader wants; empty for all devices.
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

    /// The maximum number of types in a filter.
    ///
    /// The same limit applies to the filter's products and to the filter's devices.
    package static let namesMax = 100

    /// Whether the filter includes `device.status`, a type that is logged only while some reader wants it.
    package var wantsStatuses: Bool { types.contains(.deviceStatus) }

    /// Returns whether the filter includes an entry.
    package func accepts(_ event: LoggedEvent) -> Bool {
        guard types.contains(event.type) else { return false }
        if !productSet.isEmpty { guard let product = event.product, productSet.contains(product) else { return false } }
        if !deviceSet.isEmpty { guard let did = event.did, deviceSet.contains(did) else { return false } }
        return true
    }
}
