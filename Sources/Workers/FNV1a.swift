/// FNV-1a: a hash of bytes that is fast and the same in every process, but that an attacker can choose.
package enum FNV1a {
    /// Returns the hash of bytes with 64 bits.
    static func hash64(_ bytes: some Sequence<UInt8>) -> UInt64 {
        hash(bytes, from: 0xCBF2_9CE4_8422_2325, times: 0x0000_0100_0000_01B3)
    }

    /// Returns the hash of bytes with 32 bits.
    package static func hash32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        hash(bytes, from: 0x811C_9DC5, times: 0x0100_0193)
    }

    private static func hash<Hash: FixedWidthInteger>(
        _ bytes: some Sequence<UInt8>,
        from basis: Hash,
        times prime: Hash
    ) -> Hash { bytes.reduce(basis) { ($0 ^ Hash($1)) &* prime } }
}
