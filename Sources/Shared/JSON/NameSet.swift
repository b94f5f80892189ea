/// A set that detects duplicate names in an object.
///
/// The names of a small object are compared one by one. A larger object's names are hashed, so that the time grows only
/// linearly.
struct NameSet {
    private static let walkMax = 12
    /// The names as bytes, because a set of strings would treat canonically equivalent names as equal.
    private var hashed: Set<[UInt8]> = []

    /// Inserts a name, or returns false if a member already has this name.
    mutating func insert(_ name: String, among members: [JSONObject.Member]) -> Bool {
        if members.count < Self.walkMax {
            for member in members where member.key.isSame(as: name) { return false }
            return true
        }
        if hashed.isEmpty { hashed = Set(members.map { Array($0.key.utf8) }) }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
