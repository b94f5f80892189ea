import CZlib

/// The compression of files with zlib.
enum Gzip {
    /// Returns bytes compressed as gzip, or nil if the result isn't shorter.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count), count > 0 else { return nil }
        var written: UInt = 0
        var code = Z_OK
        // The output is limited to one byte less than the input. A longer output would be useless.
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { room, length in
            code = lamplighter_gzip(bytes, count, room.baseAddress, count - 1, &written)
            length = code == Z_STREAM_END ? Int(written) : 0
        }
        return code == Z_STREAM_END ? result : nil
    }
}
