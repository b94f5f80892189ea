/// The members of a JSON object in their written order; a lookup compares the names one by one.
package struct JSONObject: Sendable {
    /// A member's name and value.
    package struct Member: Sendable, Equatable {
        /// The member's name.
        package var key: String
        /// The member's value.
        package var value: JSONValue

        /// Makes a member.
        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }

        /// Returns whether two members have equal values, and names with the same code points.
        package static func == (left: Member, right: Member) -> Bool {
            left.key.isSame(as: right.key) && left.value == right.value
        }
    }

    /// All members, including members whose value is null.
    package var members: [Member]

    /// Makes an object from the members whose value isn't nil.
    package init(_ members: [(String, JSONValue?)] = []) {
        self.members = members.compactMap { key, value in value.map { Member(key: key, value: $0) } }
    }

    /// Makes an object from members, whose names must all be different.
    package init(members: [Member]) { self.members = members }

    /// A member's value, or nil if the member is absent or null.
    package subscript(key: String) -> JSONValue? {
        get {
            for member in members where member.key.isSame(as: key) {
                if case .null = member.value { return nil }
                return member.value
            }
            return nil
        }
        set {
            if let index = members.firstIndex(where: { $0.key.isSame(as: key) }) {
                if let newValue { members[index].value = newValue } else { members.remove(at: index) }
            } else if let newValue {
                members.append(Member(key: key, value: newValue))
            }
        }
    }
}

extension JSONObject: Equatable {
    /// Returns whether two objects have the same members in any order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        return left.members.allSatisfy { member in right.members.contains { $0 == member } }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue?)...) { self.init(elements) }
}
