import CZlib

/// Compresses what is served often, once (zlib).
enum Gzip {
    /// Returns bytes as gzip; nil where that is no shorter.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count), count > 0 else { return nil }
        var written: UInt = 0
        var code = Z_OK
        // Room for less than the bytes themselves: more would be of no use.
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { room, length in
            code = lamplighter_gzip(bytes, count, room.baseAddress, count - 1, &written)
            length = code == Z_STREAM_END ? Int(written) : 0
        }
        return code == Z_STREAM_END ? result : nil
    }
}
