/// The kinds of ASCII characters, as bytes of UTF-8.
extension UInt8 {
    /// Whether it is a digit.
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// Whether it is a lowercase letter.
    package var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    /// Whether it is a hexadecimal digit in lower case.
    var isLowercaseHex: Bool { isDigit || (isLowercase && self <= UInt8(ascii: "f")) }
    /// Whether it is a letter of either case.
    package var isLetter: Bool { (self | 0x20).isLowercase }
    /// Whether it is a letter or a digit.
    package var isLetterOrDigit: Bool { isLetter || isDigit }
    /// Whether it is neither a space nor a control character.
    package var isVisible: Bool { (0x21...0x7E).contains(self) }
}
