/// What operators write on a device to find it again: a tag, with a value or without.
package struct DeviceTag: Hashable, Sendable {
    /// The tag's name, unique on a device.
    package let name: String
    /// Its value; empty without one.
    package let value: String

    /// How many tags a device has at most.
    package static let countMax = 32
    /// How many characters a tag's name has at most.
    package static let nameMax = 32
    /// How many characters a tag's value has at most.
    package static let valueMax = 64

    /// Takes a tag from outside, whose field names it in a refusal.
    ///
    /// - Throws: `Rejection` where the name or the value has not the form of one.
    package init(_ name: String, _ value: String, field: String) throws(Rejection) {
        guard Self.accepts(name: name) else {
            throw .invalid(
                field,
                "A tag's name has 1 to \(Self.nameMax) characters of a-z A-Z 0-9 _ -, a lowercase letter first, no - last."
            )
        }
        guard value.unicodeScalars.count <= Self.valueMax, PlainLine.accepts(value),
            !value.contains("\"")
        else {
            throw .invalid(
                field,
                "A tag's value has at most \(Self.valueMax) characters: no \", no space at its ends, no control characters."
            )
        }
        self.init(trusted: name, value)
    }

    /// Takes a tag that was checked before.
    package init(trusted name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The tag as a person writes it: `floor=2` or `spare`.
    package var text: String { value.isEmpty ? name : "\(name)=\(value)" }

    private static func accepts(name: String) -> Bool {
        PlainForm.accepts(name.utf8) && name.utf8.count <= nameMax
            && name.utf8.last != UInt8(ascii: "-")
            && name.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } == true
    }
}

/// The name that operators give a device.
package enum DeviceName {
    /// How many characters it has at most.
    package static let lengthMax = 64

    /// Refuses a text that can't be a device's name; an empty one takes the name away.
    ///
    /// - Throws: `Rejection` of the field `name`.
    package static func check(_ text: String) throws(Rejection) {
        guard text.unicodeScalars.count <= lengthMax, PlainLine.accepts(text) else {
            throw .invalid(
                "name",
                "A device's name has at most \(lengthMax) characters: no space at its ends, no control characters."
            )
        }
    }
}

/// One line of text that people read: without what steers a terminal or turns the direction of writing.
private enum PlainLine {
    static func accepts(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return true }
        return !first.properties.isWhitespace && !last.properties.isWhitespace
            && scalars.allSatisfy { scalar in
                switch scalar.value {
                case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: false
                default: true
                }
            }
    }
}

/// A change of a device's name and tags.
package struct DeviceLabeling: Sendable {
    /// The new name, empty for none; nil leaves it.
    package var name: String?
    /// Tags that are set, by their names.
    package var set: [String: DeviceTag] = [:]
    /// Names of tags that are taken away.
    package var removed: Set<String> = []

    /// Changes nothing.
    package init() {}

    /// Returns a device's tags after the change, in the order of their names.
    ///
    /// - Throws: `Rejection` of the field `tags` where there would be too many.
    package func tags(after former: [DeviceTag]) throws(Rejection) -> [DeviceTag] {
        let kept = former.filter { set[$0.name] == nil && !removed.contains($0.name) }
        let tags = (kept + set.values).sorted { $0.name < $1.name }
        guard tags.count <= DeviceTag.countMax else {
            throw .invalid("tags", "A device has at most \(DeviceTag.countMax) tags.")
        }
        return tags
    }
}
