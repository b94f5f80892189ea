import Domain

/// A scanner that finds the id in an invalid message, so that the message's sender gets an answer.
///
/// The scanner reads at most the first `Payload.receivedBytesMax` bytes of a message.
enum MessageIDScanner {
    /// Returns the first `"id"` at the outermost level of a JSON object, or nil if the id is absent or malformed.
    static func id(in bytes: ArraySlice<UInt8>) -> MessageID? {
        var depth = 0
        var text: [UInt8]?
        var isEscaped = false
        var last: [UInt8] = []
        var isValue = false
        for byte in bytes.prefix(Payload.receivedBytesMax) {
            if text != nil {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    let ended = text ?? []
                    text = nil
                    if depth == 1, isValue, last == Array("id".utf8) {
                        return MessageID(String(decoding: ended, as: UTF8.self))
                    }
                    last = ended
                    continue
                }
                text?.append(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): text = []
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":"): isValue = true
            case UInt8(ascii: ","): isValue = false
            default: break
            }
        }
        return nil
    }
}
