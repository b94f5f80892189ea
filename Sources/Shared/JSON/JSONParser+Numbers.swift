/// The parsing of numbers, which distinguishes integers from numbers with a fraction or an exponent.
extension JSONParser {
    /// Parses the number at the current position.
    mutating func parseNumber() throws(JSONError) -> JSONValue {
        let start = index
        let isNegative = take(UInt8(ascii: "-"))
        let digitsStart = index
        var magnitude: Int64 = 0
        while let digit = takeDigit() {
            // Digits after the 18th are ignored, so that `magnitude` can't overflow. An integer with more than 16
            // digits is refused below.
            if index - digitsStart <= 18 { magnitude = magnitude * 10 + digit }
        }
        let digits = index - digitsStart
        guard digits > 0 else { throw fail("a number has no digits") }
        if digits > 1, bytes[digitsStart] == UInt8(ascii: "0") {
            throw JSONError("a number begins with 0", at: digitsStart)
        }
        guard try skipFractionAndExponent() else {
            guard digits <= 16, magnitude <= JSONValue.integerMax else {
                throw JSONError("an integer is beyond ±(2^53−1)", at: start)
            }
            return .integer(isNegative ? -magnitude : magnitude)
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw JSONError("a number is out of the range of a double", at: start)
        }
        return .double(value)
    }

    private mutating func skipFractionAndExponent() throws(JSONError) -> Bool {
        var isFractional = false
        if take(UInt8(ascii: ".")) {
            isFractional = true
            guard takeDigit() != nil else { throw fail("digits are missing after '.'") }
            while takeDigit() != nil {}
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isFractional = true
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard takeDigit() != nil else { throw fail("an exponent has no digits") }
            while takeDigit() != nil {}
        }
        return isFractional
    }

    private mutating func takeDigit() -> Int64? {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        index += 1
        return Int64(byte - UInt8(ascii: "0"))
    }
}
