/// Finds duplicate names: by walking while an object is small, by hashing beyond that, so that the
/// time for an object of thousands of names grows only with its length.
struct NameSet {
    private static let walkMax = 12
    /// As bytes: texts that differ in their code points alone would count as one.
    private var hashed: Set<[UInt8]> = []

    /// Inserts a name; false if the members already have it.
    mutating func insert(_ name: String, among members: [JSONObject.Member]) -> Bool {
        if members.count < Self.walkMax {
            for member in members where member.key.isSame(as: name) { return false }
            return true
        }
        if hashed.isEmpty { hashed = Set(members.map { Array($0.key.utf8) }) }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
