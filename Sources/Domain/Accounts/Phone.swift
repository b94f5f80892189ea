/// A phone number in E.164: country code and national number, digits only.
package struct Phone: Hashable, Sendable {
    /// The country code's digits, such as `49`.
    package let countryCode: String
    /// The number within the country, without its trunk prefix.
    package let national: String

    /// The number as it is stored and shown, such as `+4915112345678`.
    package var text: String { "+" + countryCode + national }

    /// Parses a phone number as people write it, or returns nil for other strings.
    ///
    /// Spaces, dots, dashes, slashes, parentheses and (except in Italy) leading zeros are ignored. The text may begin
    /// with `+` or `00` and the country code. The text may also begin with the code and a dash, as in `86-13800138000`.
    package init?(_ text: String, countryCode: String) {
        // A digit followed by a combining mark is a single `Character`. Bytes and code points are therefore compared,
        // not characters.
        let isMarked = text.utf8.starts(with: (countryCode + "-").utf8)
        let text = isMarked ? String(text.unicodeScalars.dropFirst(countryCode.utf8.count + 1)) : text
        var digits = Substring(Self.withoutMarks(text))
        // The check below allows only digits after the first character, so each character is one byte.
        guard digits.utf8.dropFirst().allSatisfy(\.isDigit) else { return nil }
        if digits.utf8.starts(with: "+".utf8) || digits.utf8.starts(with: "00".utf8) {
            digits = digits.dropFirst(digits.utf8.first == UInt8(ascii: "+") ? 1 : 2)
            guard digits.utf8.starts(with: countryCode.utf8) else { return nil }
            digits = digits.dropFirst(countryCode.count)
        }
        // In Italy, the leading zero is part of the national number.
        if countryCode != "39" { digits = digits.drop { $0 == "0" } }
        guard digits.utf8.allSatisfy(\.isDigit),
            digits.utf8.count >= 4, digits.utf8.count + countryCode.utf8.count <= 15
        else { return nil }
        self.countryCode = countryCode
        national = String(digits)
    }

    /// Makes a phone number from stored text, without checking it.
    package init(trusted text: String, countryCode: String) {
        self.countryCode = countryCode
        national = String(text.dropFirst(1 + countryCode.count))
    }

    /// The minimum length of a phone number that consists of digits only.
    ///
    /// A shorter string of digits, such as `1001`, is taken for a name.
    private static let plainDigitsMin = 7

    /// Returns whether a string looks like a phone number.
    package static func isLike(_ text: String) -> Bool {
        let count = text.utf8.count(where: \.isDigit)
        return count >= (count == text.utf8.count ? plainDigitsMin : 4)
            && text.unicodeScalars.allSatisfy {
                $0.properties.numericType != nil || " +.-/()\u{00a0}".unicodeScalars.contains($0)
            }
    }

    /// Returns a phone number without spaces and punctuation.
    fileprivate static func withoutMarks(_ text: String) -> String {
        let marks = " .-/()\u{00a0}".unicodeScalars
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { !marks.contains($0) }))
    }
}

/// The form of country codes: one to three digits that don't begin with zero.
package enum CountryCode {
    /// Returns whether a string has the form of a country code.
    package static func accepts(_ text: String) -> Bool {
        (1...3).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "0") && text.utf8.allSatisfy(\.isDigit)
    }

    /// Returns the country code of a phone number that begins with a plus, or nil for any other string.
    package static func ofE164(_ text: String) -> String? {
        let digits = Phone.withoutMarks(text).utf8
        guard digits.first == UInt8(ascii: "+") else { return nil }
        let number = String(Substring(digits.dropFirst().prefix(3)))
        guard accepts(number), number.utf8.count == 3 else { return nil }
        // No country code is a prefix of another. Codes that aren't 1, 7 or listed in `ofTwoDigits` have three digits.
        if number.hasPrefix("1") || number.hasPrefix("7") { return String(number.prefix(1)) }
        let two = String(number.prefix(2))
        return ofTwoDigits.contains(two) ? two : number
    }

    /// The country codes of two digits (ITU-T E.164).
    private static let ofTwoDigits: Set<String> = Set(
        ([20, 27] + Array(30...34) + [36, 39, 40, 41] + Array(43...49) + Array(51...58)
            + Array(60...66) + [81, 82, 84, 86] + Array(90...95) + [98])
            .map { "\($0)" }
    )
}
