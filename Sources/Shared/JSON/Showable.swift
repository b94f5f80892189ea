/// A type whose values have the same JSON form in all objects.
package protocol Showable {
    /// The JSON form of the value.
    var shown: JSONValue { get }
}

extension JSONObject {
    /// Makes an object of the given values' JSON forms, without the nil values.
    package init(showing members: KeyValuePairs<String, (any Showable)?>) {
        self.init(members: members.compactMap { key, value in value.map { Member(key: key, value: $0.shown) } })
    }
}

extension String: Showable { package var shown: JSONValue { .string(self) } }
extension Bool: Showable { package var shown: JSONValue { .bool(self) } }
extension Int: Showable { package var shown: JSONValue { .integer(Int64(self)) } }
extension Int64: Showable { package var shown: JSONValue { .integer(self) } }
extension Double: Showable { package var shown: JSONValue { .double(self) } }
extension JSONValue: Showable { package var shown: JSONValue { self } }
extension JSONObject: Showable { package var shown: JSONValue { .object(self) } }
extension Array: Showable where Element: Showable { package var shown: JSONValue { .array(map(\.shown)) } }
