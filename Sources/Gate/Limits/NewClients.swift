/// The new client ids that connect from each address in a minute.
///
/// Holds at most `addressesMax` addresses with at most `limit` ids each; more addresses in one minute reset all counts.
struct NewClients {
    private let limit: Int
    private let addressesMax: Int
    private var minute: Int64 = 0
    private var seen: [String: Set<String>] = [:]

    init(limit: Int, addressesMax: Int = 10_000) {
        self.limit = limit
        self.addressesMax = addressesMax
    }

    /// Whether to admit a client id: one that was already counted is admitted again, and a `limit` of 0 admits all.
    ///
    /// The default of thirty a minute is more than a home or a shop unpacks, and limits one address to 43,200 a day;
    /// the accounts' and products' own limits apply earlier.
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
