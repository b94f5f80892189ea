import Glibc
import SwiftASN1
import X509

/// A DNS name, which can begin with `*.`, or an IP address.
package struct ServerName: Hashable, Sendable {
    /// The name in lowercase letters and without a final dot.
    package let text: String
    private let address: [UInt8]?

    /// The maximum number of bytes of a DNS name.
    private static let nameBytesMax = 253

    /// Reads a name, with or without a final dot, or returns nil for any other text.
    package init?(_ text: String) {
        var lower = text.lowercased()
        // The final dot doesn't change the name: clients compare names without it.
        if lower.hasSuffix("."), lower.utf8.count > 1 { lower.removeLast() }
        var four = [UInt8](repeating: 0, count: 4)
        var six = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, lower, &four) == 1 {
            address = four
        } else if inet_pton(AF_INET6, lower, &six) == 1 {
            address = six
        } else {
            guard Self.isName(lower) else { return nil }
            address = nil
        }
        self.text = lower
    }

    /// Returns the reason why a text is not a server's name, with advice on the correct form.
    package static func fault(of text: String) -> String {
        if text.contains("://") || text.contains("/") {
            return "it is a URL; give only the name, without https:// and path"
        }
        if text.contains(where: { !$0.isASCII }) {
            return
                "certificates contain names in DNS form; write it with xn--, as printed by the command `idn2 \(text)`"
        }
        if text.hasPrefix("[") || text.filter({ $0 == ":" }).count == 1 {
            return "give only the name or address, without a port or brackets"
        }
        if text.hasPrefix("*") {
            return "a star can only be the first label of a name with at least two more, as in *.example.com"
        }
        return
            "a name has labels of at most 63 letters, digits and hyphens, separated by dots"
    }

    /// The names by which a machine reaches itself.
    package static let local = ["localhost", "127.0.0.1", "::1"].compactMap(ServerName.init)

    /// The name as it is written in a certificate.
    var general: GeneralName {
        guard let address else { return .dnsName(text) }
        return .ipAddress(ASN1OctetString(contentBytes: ArraySlice(address)))
    }

    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= nameBytesMax, let last = labels.last else { return false }
        // A name whose last label is all digits is a misspelt address.
        guard !last.allSatisfy(\.isNumber) else { return false }
        return labels.enumerated().allSatisfy { index, label in
            if index == 0, labels.count > 2, label == "*" { return true }
            return (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.unicodeScalars.allSatisfy(isLabelCharacter)
        }
    }

    private static func isLabelCharacter(_ character: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(character) || ("0"..."9").contains(character) || character == "-" || character == "_"
    }
}
