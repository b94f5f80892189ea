extension MiniClient {
    /// Returns a number encoded as MQTT's variable byte integer.
    static func length(_ number: Int) -> [UInt8] {
        var count = number
        var length: [UInt8] = []
        repeat {
            length.append(UInt8(count & 0x7F) | (count > 0x7F ? 0x80 : 0))
            count >>= 7
        } while count > 0
        return length
    }

    static func user(_ name: String, _ value: String) -> [UInt8] { [0x26] + text(name) + text(value) }

    static func correlation(_ count: Int) -> [UInt8] {
        [0x09, UInt8(count >> 8), UInt8(count & 0xFF)] + [UInt8](repeating: 0x63, count: count)
    }

    static func responseTopic(_ topic: String) -> [UInt8] {
        [0x08] + text(topic)
    }

    /// Returns the encoded properties at `start` in a packet's body, and moves `start` past them.
    static func properties(_ body: [UInt8], at start: inout Int) -> [UInt8] {
        var (count, shift) = (0, 0)
        while true {
            let digit = body[start]
            count |= Int(digit & 0x7F) << shift
            (start, shift) = (start + 1, shift + 7)
            if digit & 0x80 == 0 { break }
        }
        defer { start += count }
        return Array(body[start..<(start + count)])
    }

    /// Returns the values of all user properties with this name.
    static func users(_ properties: [UInt8], _ name: String) -> [String] {
        var values: [String] = []
        each(properties) { id, texts in
            guard id == 0x26, texts.first == name, let value = texts.last else { return }
            values.append(value)
        }
        return values
    }

    /// Returns the number of bytes in Correlation Data, or nil if the message doesn't have this property.
    static func correlation(in properties: [UInt8]) -> Int? {
        var count: Int?
        each(properties) { id, texts in if id == 0x09 { count = texts.first?.utf8.count } }
        return count
    }

    /// Calls `body` with each property of a delivered message.
    private static func each(_ properties: [UInt8], _ body: (UInt8, [String]) -> Void) {
        var left = properties[...]
        func text() -> String {
            let count = Int(left.removeFirst()) << 8 | Int(left.removeFirst())
            defer { left = left.dropFirst(count) }
            return String(decoding: left.prefix(count), as: UTF8.self)
        }
        while let id = left.popFirst() {
            switch id {
            case 0x01: left = left.dropFirst()
            case 0x02: left = left.dropFirst(4)
            case 0x26: body(id, [text(), text()])
            default: body(id, [text()])
            }
        }
    }
}
