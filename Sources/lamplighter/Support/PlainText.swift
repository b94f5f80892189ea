/// Text from outside, escaped so that it can't steer the terminal on which it is shown.
enum PlainText {
    /// Returns the text with control characters, and characters that change the writing direction, escaped as `\u009b`.
    ///
    /// In JSON, an escape is another spelling of the same text. With `keepsLines`, line feeds stay, for blocks of our
    /// own lines.
    static func of(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { steers($0, keepsLines) }) else { return text }
        var plain = ""
        for scalar in text.unicodeScalars {
            if steers(scalar, keepsLines) {
                let digits = String(scalar.value, radix: 16)
                plain += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                plain.unicodeScalars.append(scalar)
            }
        }
        return plain
    }

    private static func steers(_ scalar: Unicode.Scalar, _ keepsLines: Bool) -> Bool {
        switch scalar.value {
        case 0x0A: !keepsLines
        // C0; DEL and C1, which older terminals obey like an escape sequence.
        case 0..<0x20, 0x7F...0x9F: true
        // Separators of lines and paragraphs, and characters that change or isolate the writing direction.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
