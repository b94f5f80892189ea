/// Minifies a style sheet by removing comments and insignificant white space.
enum StyleSheet {
    static func short(_ text: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        var at = 0
        var isSpace = false
        let tight = Set("{};,>:".utf8)
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "/"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "*") {
                at += 2
                while at + 1 < bytes.count,
                    !(bytes[at] == UInt8(ascii: "*") && bytes[at + 1] == UInt8(ascii: "/"))
                { at += 1 }
                at += 2
                isSpace = true
                continue
            }
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                isSpace = true
                at += 1
                continue
            }
            // A colon can begin a selector for descendants: the space before it stays.
            if isSpace, let last = result.last, !tight.contains(last),
                !tight.contains(byte) || byte == UInt8(ascii: ":")
            {
                result.append(UInt8(ascii: " "))
            }
            isSpace = false
            if byte == UInt8(ascii: "}"), result.last == UInt8(ascii: ";") { result.removeLast() }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                let start = at
                at += 1
                while at < bytes.count, bytes[at] != byte {
                    at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
                }
                at += 1
                result += bytes[start..<min(at, bytes.count)]
                continue
            }
            result.append(byte)
            at += 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}
