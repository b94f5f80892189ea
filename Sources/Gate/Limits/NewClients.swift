/// The new client ids that have connected from each source address in the current minute.
///
/// Each address has at most `limit` ids. After the number of addresses has reached `addressesMax`, all counts start
/// again from zero.
struct NewClients {
    private let limit: Int
    private let addressesMax: Int
    private var minute: Int64 = 0
    private var seen: [String: Set<String>] = [:]

    init(limit: Int, addressesMax: Int = 10_000) {
        (self.limit, self.addressesMax) = (limit, addressesMax)
    }

    /// Returns whether to admit a client id.
    ///
    /// An id that was already counted is admitted again. With a `limit` of 0, all ids are admitted.
    ///
    /// The default limit is thirty per minute. A home or a shop sets up fewer devices in a minute. With this default,
    /// one address can use at most 43,200 new client ids a day. The service also limits the new devices of each product
    /// and the new terminals of each app.
    mutating func admit(_ clientId: String, from address: String, now: Int64) -> Bool {
        guard limit > 0 else { return true }
        if minute != now / 60_000 || seen.count >= addressesMax {
            minute = now / 60_000
            seen.removeAll()
        }
        var ids = seen[address] ?? []
        if ids.contains(clientId) { return true }
        guard ids.count < limit else { return false }
        ids.insert(clientId)
        seen[address] = ids
        return true
    }
}
