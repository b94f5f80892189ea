/// The kinds of ASCII characters, tested on single bytes of UTF-8.
extension UInt8 {
    /// Whether the byte is an ASCII digit.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// Whether the byte is a lowercase ASCII letter.
    package var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    /// Whether the byte is a digit or a letter from `a` to `f`.
    var isLowercaseHex: Bool { isDigit || (isLowercase && self <= UInt8(ascii: "f")) }
    /// Whether the byte is an ASCII letter of either case.
    package var isLetter: Bool { (self | 0x20).isLowercase }
    /// Whether the byte is an ASCII letter or digit.
    package var isLetterOrDigit: Bool { isLetter || isDigit }
    /// Whether the byte is a visible ASCII character: neither a space nor a control character.
    package var isVisible: Bool { (0x21...0x7E).contains(self) }
}
