import Domain
import Foundation
import JSON

/// A writer of comma-separated values (RFC 4180) that spreadsheets don't interpret as formulas.
enum CSV {
    /// Returns cells as one line.
    static func line(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r\n" }

    private static func cell(_ text: String) -> String {
        var text = text
        // A device could send a formula. So a text that looks like a formula gets an apostrophe in front. Numbers stay
        // unchanged.
        if let first = text.first, "=+-@\t\r".contains(first), Double(text) == nil { text = "'" + text }
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// Returns a time in the format of RFC 3339, in UTC with milliseconds.
    static func time(_ moment: Instant) -> String {
        let (seconds, fraction) = moment.milliseconds.quotientAndRemainder(dividingBy: 1000)
        // The date is formatted without milliseconds, because a `Date` can't represent most milliseconds exactly.
        let date = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return "\(date.dropLast()).\(String(1000 + fraction).dropFirst())Z"
    }

    /// Returns a value as text.
    static func text(_ value: JSONValue?) -> String {
        guard let value else { return "" }
        return value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
    }
}
