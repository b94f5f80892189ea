/// The forms that Prometheus requires for names and label values.
enum MetricName {
    /// Converts a string to a metric name of letters, digits, `_` and `:` without a leading digit.
    static func name(_ text: String) -> String { cleaned(text, allowing: UInt8(ascii: ":")) }

    /// Converts a string to a label name of letters, digits and `_` without a leading digit.
    static func label(_ text: String) -> String { cleaned(text, allowing: UInt8(ascii: "_")) }

    /// Escapes the backslashes, double quotes and line feeds in the value of a label.
    static func escapedValue(_ text: String) -> String { escaped(text, alsoQuotes: true) }

    /// Escapes the backslashes and line feeds in a HELP text.
    static func escapedHelp(_ text: String) -> String { escaped(text, alsoQuotes: false) }

    /// Returns the value of a sample in Prometheus' form.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        return "\(value)"
    }

    private static func cleaned(_ text: String, allowing extra: UInt8) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isDigit && bytes.isEmpty { bytes.append(UInt8(ascii: "_")) }
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            bytes.append(isLetter || isDigit || byte == extra ? byte : UInt8(ascii: "_"))
        }
        return bytes.isEmpty ? "_" : String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ text: String, alsoQuotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where alsoQuotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
