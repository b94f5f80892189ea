/// A writer that appends JSON to one growing buffer, without building values first.
///
/// The writer adds commas and colons. The caller begins an object or array, writes its names and values, and ends
/// the object or array.
package struct JSONWriter: ~Copyable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Makes a writer with room for a payload of the given size, in bytes.
    package init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Begins an object.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Ends the object that was begun last.
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Begins an array.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Ends the array that was begun last.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name, after which the caller must write its value.
    package mutating func name(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    package mutating func value(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            if Self.isPlain(utf8) { bytes.append(contentsOf: utf8) } else { for byte in utf8 { appendEscaped(byte) } }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an integer.
    package mutating func value(_ number: Int64) {
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDigits(number.magnitude)
    }

    /// Writes a number as the shortest text that reads back as the same double.
    package mutating func value(_ number: Double) {
        separate()
        // JSON can't express infinities or NaN, and the parser never returns them.
        guard number.isFinite else { return bytes.append(contentsOf: "null".utf8) }
        var text = number.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Writes a Boolean.
    package mutating func value(_ truth: Bool) {
        separate()
        bytes.append(contentsOf: truth ? "true".utf8 : "false".utf8)
    }

    /// Writes any value.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null".utf8)
        case .bool(let truth): self.value(truth)
        case .integer(let number): self.value(number)
        case .double(let number): self.value(number)
        case .string(let text): self.value(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object): self.value(object)
        }
    }

    /// Writes an object.
    package mutating func value(_ object: JSONObject) {
        beginObject()
        for member in object.members {
            name(member.key)
            value(member.value)
        }
        endObject()
    }

    /// Writes bytes that are already one JSON value.
    package mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a member with a string, unless the string is nil.
    package mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        value(text)
    }

    /// Writes an array; each element is the bytes of one JSON value.
    package mutating func raw(array values: [[UInt8]]) {
        beginArray()
        for value in values { raw(value) }
        endArray()
    }

    /// Returns the written bytes and consumes the writer.
    package consuming func finish() -> [UInt8] { bytes }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func appendDigits(_ number: UInt64) {
        guard number >= 10 else { return bytes.append(UInt8(ascii: "0") + UInt8(number)) }
        // The digits are written from the last to the first. 2^64 has twenty digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (start, rest) = (digits.count, number)
            while rest > 0 {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Returns whether no byte has to be escaped, checking eight bytes at a time.
    ///
    /// If a byte has to be escaped, one of three calculations sets the byte's highest bit. The first calculation
    /// subtracts 0x20, which sets the highest bit of a byte below 0x20. The other two find quotes and backslashes. The
    /// exclusive or of two equal bytes is 0, and subtracting 1 from 0 sets the highest bit.
    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let raw = UnsafeRawBufferPointer(utf8)
        var index = 0
        while index + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let found =
                (word &- ones &* 0x20) & ~word
                | (quotes &- ones) & ~quotes
                | (backslashes &- ones) & ~backslashes
            guard found & highs == 0 else { return false }
            index += 8
        }
        return utf8[index...].allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: bytes.append(byte)
        }
    }
}

extension JSONValue {
    /// Returns the value as JSON text in UTF-8, without spaces.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.finish()
    }
}

extension JSONObject {
    /// Returns the object as JSON text in UTF-8, without spaces.
    package func encoded() -> [UInt8] { JSONValue.object(self).encoded() }
}
