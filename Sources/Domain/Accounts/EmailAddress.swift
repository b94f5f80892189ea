import Foundation

/// An e-mail address, shown as it was written and compared without regard to case.
package struct EmailAddress: Hashable, Sendable {
    /// The address as it was written.
    package let text: String
    /// The normalised address, which is equal for all spellings of one address.
    package let key: String

    /// Parses an e-mail address, or returns nil for any other string.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, Self.isLocal(parts[0]), Self.isDomain(parts[1]) else {
            return nil
        }
        self.text = text
        key = Self.key(of: text)
    }

    /// Makes an address from stored text, without checking it.
    package init(trusted text: String) {
        self.text = text
        key = Self.key(of: text)
    }

    /// Returns the address in lowercase and in one Unicode form.
    private static func key(of text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.lowercased() : text.precomposedStringWithCanonicalMapping.lowercased()
    }

    package static func == (left: Self, right: Self) -> Bool { left.key == right.key }
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    private static func isLocal(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(isPrintable)
            && !text.unicodeScalars.contains { "\"(),:;<>[\\]".unicodeScalars.contains($0) }
    }

    private static func isDomain(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.unicodeScalars.allSatisfy { $0 == "-" || isLetterOrDigit($0) }
            }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory != .control
            && scalar.properties.generalCategory != .format
            && !scalar.properties.isWhitespace
    }
}
