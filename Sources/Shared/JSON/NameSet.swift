/// A detector of duplicate names.
///
/// It walks the members of a small object and hashes those of a larger one, so that the time for thousands of names
/// grows only with their number.
struct NameSet {
    private static let walkMax = 12
    /// The names as bytes, since a set of strings would treat canonically equivalent names as equal.
    private var hashed: Set<[UInt8]> = []

    /// Inserts a name; returns false if the members already have it.
    mutating func insert(_ name: String, among members: [JSONObject.Member]) -> Bool {
        if members.count < Self.walkMax {
            for member in members where member.key.isSame(as: name) { return false }
            return true
        }
        if hashed.isEmpty { hashed = Set(members.map { Array($0.key.utf8) }) }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
