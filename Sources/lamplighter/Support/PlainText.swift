/// The escaping of text from outside, so that this text can't control the terminal.
enum PlainText {
    /// Returns the text with control characters and direction changes escaped, as in `\u009b`.
    ///
    /// JSON parsers read such an escape as the original character. With `keepsLines`, line feeds stay unescaped, so
    /// that a text can consist of several lines.
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
        // The control characters C0, DEL and C1. Older terminals read C1 characters like escape sequences.
        case 0..<0x20, 0x7F...0x9F: true
        // Separators of lines and paragraphs, and characters that change or isolate the writing direction.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
