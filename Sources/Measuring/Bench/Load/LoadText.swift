/// Cheaply finds a member of a JSON text by name, without parsing the rest.
enum LoadText {
    /// Returns the integer after `name`, or nil if no integer follows.
    ///
    /// The argument `name` includes the quotes and the colon, for example `"sn":`.
    static func number(_ name: String, in body: String) -> Int? {
        guard let range = body.utf8.firstRange(of: name.utf8) else { return nil }
        let digits = body.utf8[range.upperBound...].prefix { (48...57).contains($0) }
        return digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    /// Returns the string after `name`, or nil if no string follows.
    ///
    /// The argument `name` includes the quotes and the colon, for example `"did":`.
    static func text(_ name: String, in body: String) -> Substring? {
        guard let range = body.utf8.firstRange(of: name.utf8), body[range.upperBound...].first == "\"" else {
            return nil
        }
        return body[range.upperBound...].dropFirst().prefix { $0 != "\"" }
    }
}
