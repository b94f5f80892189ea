package import JSON

/// A reader of a JSON object's fields, whose errors name the invalid field's path.
package struct Fields {
    /// The object itself.
    package let object: JSONObject
    private let path: String

    /// Makes a reader of the object at a path such as `params.`.
    package init(_ object: JSONObject, path: String = "") {
        (self.object, self.path) = (object, path)
    }

    /// Returns the refusal of a field, with a message that begins with the field's path.
    package func refuse(_ name: String, _ problem: String) -> Rejection {
        let place = Rejection.shown(path + name, upTo: Rejection.fieldMax)
        return .invalid(place, "\(place) \(problem).")
    }

    /// Returns whether a field is present and not null.
    package func has(_ name: String) -> Bool { object[name] != nil }

    /// Returns whether a field is present and null.
    package func isNull(_ name: String) -> Bool {
        object.members.contains { $0.key.isSame(as: name) && $0.value == .null }
    }

    /// Returns the value of a field, or refuses the field if the value is nil.
    package func required<Value>(_ name: String, _ value: Value?) throws(Rejection) -> Value {
        guard let value else { throw refuse(name, "is missing") }
        return value
    }

    /// Returns a field's value as converted by `read`, or nil if the field is absent.
    private func value<Value>(
        _ name: String,
        _ read: (JSONValue) -> Value?,
        else problem: String
    ) throws(Rejection) -> Value? {
        guard let value = object[name] else { return nil }
        guard let value = read(value) else { throw refuse(name, problem) }
        return value
    }

    /// Returns a string of `length` characters, or nil if the field is absent.
    package func text(_ name: String, length: ClosedRange<Int>) throws(Rejection) -> String? {
        guard let text = try value(name, \.stringValue, else: "must be a string") else { return nil }
        guard length.contains(text.unicodeScalars.count) else {
            throw refuse(name, "must have \(length.lowerBound) to \(length.upperBound) characters")
        }
        return text
    }

    /// Returns a reader for the object in a field, or nil if the field is absent.
    package func fields(_ name: String) throws(Rejection) -> Fields? {
        try object(name).map { Fields($0, path: "\(path)\(name).") }
    }

    /// Returns a required string.
    package func requiredText(_ name: String, length: ClosedRange<Int>) throws(Rejection) -> String {
        try required(name, text(name, length: length))
    }

    /// Returns the case of `type` whose raw value is the field's text, or nil if the field is absent.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ name: String,
        as type: Word.Type
    ) throws(Rejection) -> Word? where Word.RawValue == String {
        guard let value = object[name] else { return nil }
        guard let word = value.stringValue.flatMap(Word.init(rawValue:)) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw refuse(name, "must be one of \(words)")
        }
        return word
    }

    /// Returns an id, or nil if the field is absent.
    package func id<Kind: IdentifierKind>(
        _ name: String,
        as type: Identifier<Kind>.Type
    ) throws(Rejection) -> Identifier<Kind>? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw refuse(name, "must be a text: \(Kind.form)") }
        guard let id = Identifier<Kind>(text) else { throw refuse(name, "is not a valid \(Kind.name): \(Kind.form)") }
        return id
    }

    /// Returns a required id.
    package func requiredID<Kind: IdentifierKind>(
        _ name: String,
        as type: Identifier<Kind>.Type
    ) throws(Rejection) -> Identifier<Kind> {
        try required(name, id(name, as: type))
    }

    /// Returns an integer within a range, or nil if the field is absent.
    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(Rejection) -> Int64? {
        guard let number = try value(name, \.intValue, else: "must be an integer") else { return nil }
        guard range.contains(number) else {
            throw refuse(name, "must lie between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Returns an integer, or nil if the field is absent.
    package func integer(_ name: String) throws(Rejection) -> Int64? {
        try integer(name, in: -JSONValue.integerMax...JSONValue.integerMax)
    }

    /// Returns a moment, or nil if the field is absent.
    package func instant(_ name: String) throws(Rejection) -> Instant? {
        try integer(name, in: 0...JSONValue.integerMax).map { Instant(milliseconds: $0) }
    }

    /// Returns a number, or nil if the field is absent.
    package func number(_ name: String) throws(Rejection) -> Double? {
        try value(name, \.doubleValue, else: "must be a number")
    }

    /// Returns a Boolean, or nil if the field is absent.
    package func bool(_ name: String) throws(Rejection) -> Bool? {
        try value(name, \.boolValue, else: "must be true or false")
    }

    /// Returns a required Boolean.
    package func requiredBool(_ name: String) throws(Rejection) -> Bool { try required(name, bool(name)) }

    /// Returns an object, or nil if the field is absent.
    package func object(_ name: String) throws(Rejection) -> JSONObject? {
        try value(name, \.objectValue, else: "must be an object")
    }

    /// Returns an array, or nil if the field is absent.
    package func array(_ name: String) throws(Rejection) -> [JSONValue]? {
        try value(name, \.arrayValue, else: "must be an array")
    }

    /// Returns an array of strings, which is empty if the field is absent.
    package func texts(_ name: String) throws(Rejection) -> [String] {
        let texts = try (array(name) ?? []).map(\.stringValue)
        guard !texts.contains(nil) else { throw refuse(name, "must contain only strings") }
        return texts.compactMap(\.self)
    }
}
