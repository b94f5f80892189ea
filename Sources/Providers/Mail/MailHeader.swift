import Domain
import Foundation
import Glibc

/// The encoding of text and dates in mail headers.
enum MailHeader {
    /// The maximum number of bytes of text in an encoded word.
    ///
    /// An encoded word with this much text has 64 characters. The first line of a `Subject:` therefore has at most 76
    /// characters.
    private static let wordMax = 39
    /// The maximum number of characters of a text; longer texts are cut.
    private static let textMax = 1_024

    /// Encodes a text for a header.
    ///
    /// A short text of plain words stays unchanged. Any other text becomes encoded words (RFC 2047).
    ///
    /// Control characters, including line breaks, become spaces.
    static func encode(_ text: String) -> String {
        let clean = String(
            String.UnicodeScalarView(text.unicodeScalars.prefix(textMax).map { isControl($0) ? " " : $0 })
        )
        if clean.utf8.count <= 60, clean.utf8.allSatisfy(isPlain) { return clean }
        return words(of: clean).map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    /// Returns a time in the form `Sat, 21 Nov 2026 14:34:25 +0000`.
    static func date(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        return "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday)) "
            + "\(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) \(clock) +0000"
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            if word.utf8.count + UTF8.width(scalar) > wordMax {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        return words + [word]
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Returns whether a byte needs no quoting: a letter, digit, space or hyphen.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-")
    }
}
