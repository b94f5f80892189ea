/// FNV-1a, a fast and stable hash, for which attackers can easily produce collisions.
package enum FNV1a {
    /// Returns the 64-bit hash of bytes.
    static func hash64(_ bytes: some Sequence<UInt8>) -> UInt64 {
        hash(bytes, from: 0xCBF2_9CE4_8422_2325, times: 0x0000_0100_0000_01B3)
    }

    /// Returns the 32-bit hash of bytes.
    package static func hash32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        hash(bytes, from: 0x811C_9DC5, times: 0x0100_0193)
    }

    private static func hash<Hash: FixedWidthInteger>(
        _ bytes: some Sequence<UInt8>,
        from basis: Hash,
        times prime: Hash
    ) -> Hash { bytes.reduce(basis) { ($0 ^ Hash($1)) &* prime } }
}
