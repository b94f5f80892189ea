/// The most common passwords, which no account may use.
package enum CommonPasswords {
    /// Passwords of eight or more characters in lower case, one per line, sorted by their bytes.
    ///
    /// The script `deploy/passwords.py` writes `common-passwords.txt`.
    static let list = EmbeddedTexts.file("common-passwords.txt")

    /// Returns whether the list contains a password, regardless of upper and lower case.
    package static func contains(_ password: String) -> Bool {
        let wanted = Array(password.lowercased().utf8)
        return list.withUTF8Buffer { bytes in
            var low = bytes.startIndex
            var high = bytes.endIndex
            while low < high {
                let word = word(at: low + (high - low) / 2, in: bytes)
                if word.elementsEqual(wanted) { return true }
                if word.lexicographicallyPrecedes(wanted) { low = word.endIndex + 1 } else { high = word.startIndex }
            }
            return false
        }
    }

    /// Returns the word at a position.
    ///
    /// If the byte at the position is a newline, the result is the word before this newline.
    private static func word(
        at position: Int,
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        var start = position
        while start > bytes.startIndex, !isSeparator(bytes[start - 1]) { start -= 1 }
        var end = position
        while end < bytes.endIndex, !isSeparator(bytes[end]) { end += 1 }
        return bytes[start..<end]
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") }
}

extension EmbeddedTexts {
    /// Returns the contents of a file in `Texts`, or an empty string if it is missing.
    static func file(_ name: String) -> StaticString { all.first { $0.name == name }?.text ?? "" }
}
