import Domain
import Glibc
import JSON

/// One record of the history as a line of JSON: `[ts,{values}]`, or `[ts,null,"base64"]`.
///
/// In the history buffer, the device's id precedes the opening bracket. No id contains a bracket.
enum HistoryLine {
    private static let newline = UInt8(ascii: "\n")
    private static let bracket = UInt8(ascii: "[")

    /// Appends a record's line, without the device's id.
    static func append(_ record: HistoryRecord, to bytes: inout [UInt8]) {
        bytes.append(bracket)
        append(record.ts.milliseconds, to: &bytes)
        bytes.append(UInt8(ascii: ","))
        if let json = record.json { bytes.append(contentsOf: json) } else { bytes.append(contentsOf: "null".utf8) }
        if let binary = record.binary {
            bytes.append(contentsOf: ",\"".utf8)
            bytes.append(contentsOf: binary.utf8)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(contentsOf: "]\n".utf8)
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Decodes a line of a device.
    static func record(_ line: ArraySlice<UInt8>, of did: DeviceID) -> HistoryRecord? {
        let value = line.withUnsafeBufferPointer { try? JSONValue.parse($0) }
        guard let parts = value?.arrayValue, parts.count >= 2, let ts = parts[0].intValue else { return nil }
        return HistoryRecord(
            did: did,
            ts: Instant(milliseconds: ts),
            data: parts[1].objectValue,
            binary: parts.count > 2 ? parts[2].stringValue : nil
        )
    }

    /// Returns the time of a line that begins with the opening bracket, in milliseconds since 1970.
    static func ts(_ line: some Collection<UInt8>) -> Int64 {
        var rest = line.dropFirst()
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        var number: Int64 = 0
        for byte in rest {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
            number = number &* 10 &+ Int64(byte - UInt8(ascii: "0"))
        }
        return isNegative ? -number : number
    }

    /// Calls `body` with each line of a device's chunk, including the newline.
    static func forEach(in lines: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) {
        var start = 0
        while start < lines.count {
            let end = lines[start...].firstIndex(of: newline).map { $0 + 1 } ?? lines.count
            body(lines[start..<end])
            start = end
        }
    }

    /// A part of the bytes of a buffer row.
    typealias Part = Slice<UnsafeBufferPointer<UInt8>>

    /// Passes each line of a buffer row to `body`, split after the device's id.
    static func forEachInBuffer(_ lines: UnsafeBufferPointer<UInt8>, _ body: (_ did: Part, _ line: Part) -> Void) {
        forEach(in: lines) { start, end in
            guard let bracket = index(of: bracket, in: lines, from: start), bracket < end else { return }
            body(lines[start..<bracket], lines[bracket..<end])
        }
    }

    /// Passes a device's lines in a buffer row to `body`, each line without the device's id.
    static func forEach(in lines: UnsafeBufferPointer<UInt8>, of did: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) {
        forEach(in: lines) { start, end in
            guard end - start > did.count, lines[start + did.count] == bracket,
                lines[start..<start + did.count].elementsEqual(did)
            else { return }
            body(ArraySlice(lines[(start + did.count)..<end]))
        }
    }

    private static func forEach(in lines: UnsafeBufferPointer<UInt8>, _ body: (_ start: Int, _ end: Int) -> Void) {
        var start = 0
        while start < lines.count {
            let end = index(of: newline, in: lines, from: start).map { $0 + 1 } ?? lines.count
            body(start, end)
            start = end
        }
    }

    /// Returns the first position of a byte, found with `memchr` of libc for speed.
    private static func index(of byte: UInt8, in lines: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = lines.baseAddress, let found = memchr(base + start, Int32(byte), lines.count - start) else {
            return nil
        }
        return base.distance(to: found.assumingMemoryBound(to: UInt8.self))
    }
}
