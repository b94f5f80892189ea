package import Domain
package import JSON

/// Reads the fields of an object, each refused with its path when it doesn't fit.
package struct Fields {
    /// The object itself.
    package let object: JSONObject
    private let path: String

    /// Reads an object that stands under a path, such as `params.`; empty at the top.
    package init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    /// Refuses a field, with its path in front of what is wrong with it.
    package func refuse(_ name: String, _ problem: String) -> Rejection {
        let place = Rejection.shown(path + name, upTo: Rejection.fieldMax)
        return .invalid(place, "\(place) \(problem).")
    }

    private func missing(_ name: String) -> Rejection { refuse(name, "is missing") }

    /// A text within a length in characters, or nil when absent.
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

    /// The fields of an object under a name, or nil when absent.
    package func fields(_ name: String) throws(Rejection) -> Fields? {
        try object(name).map { Fields($0, path: "\(path)\(name).") }
    }

    /// A text that must be there.
    package func requiredText(
        _ name: String,
        length: ClosedRange<Int>
    ) throws(Rejection) -> String {
        guard let text = try text(name, length: length) else { throw missing(name) }
        return text
    }

    /// One of some words, or nil when absent.
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

    /// An id, or nil when absent.
    package func id<Kind: IdentifierKind>(
        _ name: String,
        as type: Identifier<Kind>.Type
    ) throws(Rejection) -> Identifier<Kind>? {
        guard let value = object[name] else { return nil }
        guard let id = value.stringValue.flatMap({ Identifier<Kind>($0) }) else {
            throw refuse(name, "is no \(Kind.name)")
        }
        return id
    }

    /// An id that must be there.
    package func requiredID<Kind: IdentifierKind>(
        _ name: String,
        as type: Identifier<Kind>.Type
    ) throws(Rejection) -> Identifier<Kind> {
        guard let id = try id(name, as: type) else { throw missing(name) }
        return id
    }

    /// An integer within a range, or nil when absent.
    package func integer(
        _ name: String,
        in range: ClosedRange<Int64>
    ) throws(Rejection) -> Int64? {
        guard let value = object[name] else { return nil }
        guard let number = value.intValue else { throw refuse(name, "must be an integer") }
        guard range.contains(number) else {
            throw refuse(name, "must lie within \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Any integer of the wire, or nil when absent.
    package func integer(_ name: String) throws(Rejection) -> Int64? {
        try integer(name, in: -JSONValue.integerMax...JSONValue.integerMax)
    }

    /// A moment, or nil when absent.
    package func instant(_ name: String) throws(Rejection) -> Instant? {
        try integer(name, in: 0...JSONValue.integerMax).map { Instant(milliseconds: $0) }
    }

    /// A number, or nil when absent.
    package func number(_ name: String) throws(Rejection) -> Double? {
        guard let value = object[name] else { return nil }
        guard let number = value.doubleValue else { throw refuse(name, "must be a number") }
        return number
    }

    /// A Boolean, or nil when absent.
    package func bool(_ name: String) throws(Rejection) -> Bool? {
        guard let value = object[name] else { return nil }
        guard let truth = value.boolValue else { throw refuse(name, "must be true or false") }
        return truth
    }

    /// A Boolean that must be there.
    package func requiredBool(_ name: String) throws(Rejection) -> Bool {
        guard let truth = try bool(name) else { throw missing(name) }
        return truth
    }

    /// An object, or nil when absent.
    package func object(_ name: String) throws(Rejection) -> JSONObject? {
        guard let value = object[name] else { return nil }
        guard let object = value.objectValue else { throw refuse(name, "must be an object") }
        return object
    }

    /// An array, or nil when absent.
    package func array(_ name: String) throws(Rejection) -> [JSONValue]? {
        guard let value = object[name] else { return nil }
        guard let array = value.arrayValue else { throw refuse(name, "must be an array") }
        return array
    }

    /// An array of texts, empty when absent.
    package func texts(_ name: String) throws(Rejection) -> [String] {
        let texts = try (array(name) ?? []).map(\.stringValue)
        guard !texts.contains(nil) else { throw refuse(name, "must hold strings only") }
        return texts.compactMap(\.self)
    }

    /// Base64 text of at most `binaryMax` characters, or nil when absent.
    package func base64(_ name: String) throws(Rejection) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue, !text.isEmpty, Base64Form.byteCount(text) != nil else {
            throw refuse(name, "must be base64 text")
        }
        guard text.utf8.count <= Payload.binaryMax else {
            throw refuse(name, "must have at most \(Payload.binaryMax) characters")
        }
        return text
    }
}
