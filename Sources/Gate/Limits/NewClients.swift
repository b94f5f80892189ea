/// Counts the new client ids that come from one address in a minute.
///
/// Holds at most `addressesMax` addresses with at most `limit` ids each; if more come in one minute, all counts
/// are reset.
struct NewClients {
    private let limit: Int
    private let addressesMax: Int
    private var minute: Int64 = 0
    private var seen: [String: Set<String>] = [:]

    init(limit: Int, addressesMax: Int = 10_000) {
        self.limit = limit
        self.addressesMax = addressesMax
    }

    /// Whether to admit the client id; one that was counted already is admitted again, and a `limit` of 0 counts none.
    ///
    /// Thirty a minute are more than a home or a shop unpacks, and let one address make 43,200 a day at most,
    /// where the accounts' and products' own limits stand before that.
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
