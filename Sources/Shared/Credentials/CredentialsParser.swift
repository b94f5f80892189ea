/// A parser that reads the growing credentials file, and never traps on any input.
///
/// The caller passes only bytes that earlier calls haven't consumed. A call stops before an incomplete record. A wrong
/// checksum or an unknown record marks the file as damaged permanently. The records before the damage can't be trusted
/// either, because newer records of the same principals may follow the damage.
package struct CredentialsParser: Sendable {
    /// True if the file isn't a credentials file, or is damaged in the middle.
    package private(set) var isDamaged = false
    private var isPastHeader = false

    /// Makes a parser at the beginning of a file.
    package init() {}

    /// Makes a parser that expects a record first if `isPastHeader` is true, and otherwise the file's header.
    init(isPastHeader: Bool) { self.isPastHeader = isPastHeader }

    /// Applies complete records, and returns the number of consumed bytes, or 0 if the file is damaged.
    package mutating func parse(_ bytes: UnsafeRawBufferPointer, apply: (Record) -> Void) -> Int {
        var consumed = 0
        if !isPastHeader {
            guard bytes.count >= Layout.headerCount else { return 0 }
            isPastHeader = bytes.prefix(Layout.headerCount).elementsEqual(Layout.header)
            isDamaged = !isPastHeader
            consumed = Layout.headerCount
        }
        while !isDamaged, let frame = frame(in: bytes, at: consumed) {
            guard let record = record(in: frame) else {
                isDamaged = true
                break
            }
            apply(record)
            consumed &+= frame.count
        }
        return isDamaged ? 0 : consumed
    }

    /// Applies the complete records at the start of an array, like `parse(_:apply:)` for a buffer.
    package mutating func parse(_ bytes: [UInt8], apply: (Record) -> Void) -> Int {
        bytes.withUnsafeBytes { parse($0, apply: apply) }
    }

    private func frame(in bytes: UnsafeRawBufferPointer, at start: Int) -> UnsafeRawBufferPointer? {
        let left = bytes.count &- start
        guard left >= 2 else { return nil }
        let length = bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self)
        let count = Int(UInt16(littleEndian: length)) &+ Layout.frameCount
        guard left >= count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<(start &+ count)])
    }

    private func record(in frame: UnsafeRawBufferPointer) -> Record? {
        let covered = UnsafeRawBufferPointer(rebasing: frame[..<(frame.count &- 4)])
        let stored = frame.loadUnaligned(fromByteOffset: covered.count, as: UInt32.self)
        guard Checksum.of(covered) == UInt32(littleEndian: stored) else { return nil }
        var reader = RecordReader(UnsafeRawBufferPointer(rebasing: covered[2...]))
        return reader.record()
    }
}

extension Record {
    /// Returns the record's bytes in the credentials file as hexadecimal digits, for use in a message.
    ///
    /// - Throws: `CredentialsError.invalidRecord`.
    package func hex() throws(CredentialsError) -> String { Hex.text(of: try encoded()) }

    /// Parses a record from hexadecimal digits, or returns nil if that fails.
    package init?(hex: String) {
        guard let bytes = Hex.bytes(of: hex) else { return nil }
        var parser = CredentialsParser(isPastHeader: true)
        var records: [Record] = []
        let consumed = parser.parse(bytes) { records.append($0) }
        guard consumed == bytes.count, records.count == 1 else { return nil }
        self = records[0]
    }
}
