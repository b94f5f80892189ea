/// CRC-32C over bytes, which distinguishes complete records from torn ones.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
    }

    /// Computes the checksum of the bytes.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var value = UInt32.max
            for byte in bytes {
                value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8)
            }
            return ~value
        }
    }
}
