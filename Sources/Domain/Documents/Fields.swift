package import JSON

/// A reader of an object's fields, which refuses an invalid one with its path.
package struct Fields {
    /// The object itself.
    package let object: JSONObject
    private let path: String

    /// Reads an object under a path such as `params.`; the path of the outermost object is empty.
    package init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    /// Returns the refusal of a field, with its path in front of the problem.
    package func refuse(_ name: String, _ problem: String) -> Rejection {
        let place = Rejection.shown(path + name, upTo: Rejection.fieldMax)
        return .invalid(place, "\(place) \(problem).")
    }

    /// Returns whether a field is given, and not null.
    package func has(_ name: String) -> Bool { object[name] != nil }

    /// Returns whether a field is given as null, instead of being absent.
    package func isNull(_ name: String) -> Bool {
        object.members.contains { $0.key.isSame(as: name) && $0.value == .null }
    }

    private func missing(_ name: String) -> Rejection { refuse(name, "is missing") }

    /// Returns a text within a length in characters, or nil if absent.
    package func text(_ name: String, length: ClosedRange<Int>) throws(Rejection) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else { throw refuse(name, "must be a string") }
        guard length.contains(text.unicodeScalars.count) else {
            throw refuse(
                name,
                "must have \(length.lowerBound) to \(length.upperBound) characters"
            )
        }
        return text
    }

    /// Returns the fields of an object under a name, or nil if absent.
    package func fields(_ name: String) throws(Rejection) -> Fields? {
        try object(name).map { Fields($0, path: "\(path)\(name).") }
    }

    /// Returns a required text.
    package func requiredText(
        _ name: String,
        length: ClosedRange<Int>
    ) throws(Rejection) -> String {
        guard let text = try text(name, length: length) else { throw missing(name) }
        return text
    }

    /// Returns one of some words, or nil if absent.
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

    /// Returns an id, or nil if absent.
    package func id<Kind: IdentifierKind>(
        _ name: String,
        as type: Identifier<Kind>.Type
    ) throws(Rejection) -> Identifier<Kind>? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue else {
            throw refuse(name, "must be a text: \(Kind.form)")
        }
        guard let id = Identifier<Kind>(text) else {
            throw refuse(name, "is not a valid \(Kind.name): \(Kind.form)")
        }
        return id
    }

    /// Returns a required id.
    package func requiredID<Kind: IdentifierKind>(
        _ name: String,
        as type: Identifier<Kind>.Type
    ) throws(Rejection) -> Identifier<Kind> {
        guard let id = try id(name, as: type) else { throw missing(name) }
        return id
    }

    /// Returns an integer within a range, or nil if absent.
    package func integer(
        _ name: String,
        in range: ClosedRange<Int64>
    ) throws(Rejection) -> Int64? {
        guard let value = object[name] else { return nil }
        guard let number = value.intValue else { throw refuse(name, "must be an integer") }
        guard range.contains(number) else {
            throw refuse(name, "must lie between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Returns an integer, or nil if absent.
    package func integer(_ name: String) throws(Rejection) -> Int64? {
        try integer(name, in: -JSONValue.integerMax...JSONValue.integerMax)
    }

    /// Returns a moment, or nil if absent.
    package func instant(_ name: String) throws(Rejection) -> Instant? {
        try integer(name, in: 0...JSONValue.integerMax).map { Instant(milliseconds: $0) }
    }

    /// Returns a number, or nil if absent.
    package func number(_ name: String) throws(Rejection) -> Double? {
        guard let value = object[name] else { return nil }
        guard let number = value.doubleValue else { throw refuse(name, "must be a number") }
        return number
    }

    /// Returns a Boolean, or nil if absent.
    package func bool(_ name: String) throws(Rejection) -> Bool? {
        guard let value = object[name] else { return nil }
        guard let truth = value.boolValue else { throw refuse(name, "must be true or false") }
        return truth
    }

    /// Returns a required Boolean.
    package func requiredBool(_ name: String) throws(Rejection) -> Bool {
        guard let truth = try bool(name) else { throw missing(name) }
        return truth
    }

    /// Returns an object, or nil if absent.
    package func object(_ name: String) throws(Rejection) -> JSONObject? {
        guard let value = object[name] else { return nil }
        guard let object = value.objectValue else { throw refuse(name, "must be an object") }
        return object
    }

    /// Returns an array, or nil if absent.
    package func array(_ name: String) throws(Rejection) -> [JSONValue]? {
        guard let value = object[name] else { return nil }
        guard let array = value.arrayValue else { throw refuse(name, "must be an array") }
        return array
    }

    /// Returns an array of texts, empty if absent.
    package func texts(_ name: String) throws(Rejection) -> [String] {
        let texts = try (array(name) ?? []).map(\.stringValue)
        guard !texts.contains(nil) else { throw refuse(name, "must hold strings only") }
        return texts.compactMap(\.self)
    }
}
