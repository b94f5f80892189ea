/// An e-mail address that is safe to write into a header and to say to a mail server.
///
/// Stricter than RFC 5321: no quoting, no comments, visible ASCII only.
package struct MailAddress: Sendable, Equatable {
    /// The address, `local@domain`.
    package let text: String
    /// What follows the @.
    package let domain: String

    /// Takes an address; nil when it could be read as anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy(Self.isLocal), Self.isDomain(parts[1])
        else { return nil }
        self.text = text
        domain = String(parts[1])
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~.".utf8.contains(byte)
    }

    private static func isDomain(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
