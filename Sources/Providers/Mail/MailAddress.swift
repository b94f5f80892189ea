import Domain
import Foundation

/// An e-mail address that is safe to write into a header and to send to a mail server.
///
/// The form is stricter than in RFC 5321: no quoting, comments or invisible characters. A domain that isn't ASCII
/// becomes ASCII (IDNA). A local part that isn't ASCII stays unchanged, for servers with SMTPUTF8 (RFC 6531).
package struct MailAddress: Sendable, Equatable {
    /// The address in the form `local@domain`.
    package let text: String
    /// The domain in ASCII.
    package let domain: String

    /// Parses an address, or returns nil if its form isn't accepted.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].utf8.count),
            parts[0].unicodeScalars.allSatisfy(Self.isLocal), let domain = Self.ascii(domain: parts[1])
        else { return nil }
        self.text = "\(parts[0])@\(domain)"
        self.domain = domain
    }

    private static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else {
            return UInt8(scalar.value).isLetterOrDigit || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains(scalar)
        }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            true
        default: false
        }
    }

    private static func ascii(domain text: Substring) -> String? {
        let domain = text.utf8.allSatisfy { $0 < 0x80 } ? String(text) : converted(text)
        return domain.flatMap { isDomain($0) ? $0 : nil }
    }

    /// Returns a domain in its DNS form (`xn--…`).
    private static func converted(_ text: Substring) -> String? {
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x80 || isHost($0) }) else { return nil }
        return URLComponents(string: "http://\(text)/")?.encodedHost?.lowercased()
    }

    private static func isHost(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "-" || UInt8(truncatingIfNeeded: scalar.value).isLetterOrDigit
    }

    private static func isDomain(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }
}
