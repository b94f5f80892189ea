import Foundation

/// Makes a JSON text short: without the white space that means nothing, its members in the order in which they stand.
enum JSONText {
    /// Returns the short text; ends the build with a text that browsers could not read.
    static func short(_ text: String, of name: String) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
        } catch {
            fatalError("\(name) is not JSON: \(error)")
        }
        var result: [UInt8] = []
        var (isInString, isEscaped) = (false, false)
        for byte in text.utf8 {
            if isInString {
                let endsHere = byte == UInt8(ascii: "\"") && !isEscaped
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                isInString = !endsHere
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte <= UInt8(ascii: " ") {
                continue
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                // Foundation's reader lets this pass; browsers don't.
                guard result.last != UInt8(ascii: ",") else {
                    fatalError("\(name) is not JSON: a comma before the end of a list")
                }
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
