/// A tag, with an optional value, by which operators find a device.
package struct DeviceTag: Hashable, Sendable {
    /// The tag's name, unique on a device.
    package let name: String
    /// The tag's value; empty if the tag has no value.
    package let value: String

    /// The maximum number of tags of a device.
    package static let countMax = 32
    /// The maximum length of a tag's name, in characters.
    package static let nameMax = 32
    /// The maximum length of a tag's value, in characters.
    package static let valueMax = 64

    /// Checks a tag's name and value, and throws a `Rejection` of `field` if the name or the value is malformed.
    package init(_ name: String, _ value: String, field: String) throws(Rejection) {
        guard Self.accepts(name: name) else {
            throw .invalid(
                field,
                "A tag's name has 1 to \(Self.nameMax) characters of a-z A-Z 0-9 _ -, a lowercase letter first, no - last."
            )
        }
        guard value.unicodeScalars.count <= Self.valueMax, PlainLine.accepts(value), !value.contains("\"") else {
            throw .invalid(
                field,
                "A tag's value has at most \(Self.valueMax) characters: no \", no space at its ends, no control characters."
            )
        }
        self.init(trusted: name, value)
    }

    /// Makes a tag whose name and value have already been checked.
    package init(trusted name: String, _ value: String) {
        (self.name, self.value) = (name, value)
    }

    /// The tag as an operator writes it: `floor=2` or `spare`.
    package var text: String { value.isEmpty ? name : "\(name)=\(value)" }

    private static func accepts(name: String) -> Bool {
        PlainForm.accepts(name.utf8) && name.utf8.count <= nameMax
            && name.utf8.last != UInt8(ascii: "-")
            && name.utf8.first?.isLowercase == true
    }
}

/// The name that operators give a device.
package enum DeviceName {
    /// The maximum length of a device's name, in characters.
    package static let lengthMax = 64

    /// Throws a `Rejection` of the field `name` if a string is neither empty nor a valid name.
    ///
    /// An empty string removes the device's name.
    package static func check(_ text: String) throws(Rejection) {
        guard text.unicodeScalars.count <= lengthMax, PlainLine.accepts(text) else {
            throw .invalid(
                "name",
                "A device's name has at most \(lengthMax) characters: no space at its ends, no control characters."
            )
        }
    }
}

/// A line of text without characters that control terminals or change the writing direction.
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
    /// The device's new name.
    ///
    /// An empty string removes the present name. If `name` is nil, the device keeps its present name.
    package var name: String?
    /// The tags to set, by name.
    package var set: [String: DeviceTag] = [:]
    /// The names of the tags to remove.
    package var removed: Set<String> = []

    /// Makes an empty change.
    package init() {}

    /// Returns the device's tags after the change, sorted by name, or throws a `Rejection` for too many tags.
    package func tags(after former: [DeviceTag]) throws(Rejection) -> [DeviceTag] {
        let kept = former.filter { set[$0.name] == nil && !removed.contains($0.name) }
        let tags = (kept + set.values).sorted { $0.name < $1.name }
        guard tags.count <= DeviceTag.countMax else {
            throw .invalid("tags", "A device has at most \(DeviceTag.countMax) tags.")
        }
        return tags
    }
}
