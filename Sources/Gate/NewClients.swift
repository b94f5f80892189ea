/// Counts how many client ids that nobody has seen before come from one address in a minute.
///
/// Holds at most `addressesMax` addresses with at most `limit` ids each; when more come in one minute the
/// counts begin anew.
struct NewClients {
    private let limit: Int
    private let addressesMax: Int
    private var minute: Int64 = 0
    private var seen: [String: Set<String>] = [:]

    init(limit: Int, addressesMax: Int = 10_000) {
        self.limit = limit
        self.addressesMax = addressesMax
    }

    /// Whether the client id may come in; one that was counted already may come again.
    mutating func admit(_ clientId: String, from address: String, now: Int64) -> Bool {
        if Self.isLoopback(address) { return true }
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

    /// A proxy, a test or the operator: they share one address.
    static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.utf8.starts(with: "127.".utf8)
            || address.utf8.starts(with: "::ffff:127.".utf8)
    }
}
