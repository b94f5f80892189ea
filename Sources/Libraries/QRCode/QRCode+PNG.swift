extension QRCode {
    /// Returns a PNG picture in black on white, where each side of a module has `scale` pixels.
    ///
    /// The picture has one bit for each pixel. The picture isn't compressed, because a code is small. Without
    /// compression, no library is needed.
    package func png(scale: Int = 6) -> [UInt8] {
        let side = UInt32(range.count * scale)
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // The last five bytes mean one bit for each pixel, and greyscale. They also mean the standard compression and
        // filter methods, and no interlacing.
        file += Self.chunk("IHDR", Self.bytes(side) + Self.bytes(side) + [1, 0, 0, 0, 0])
        file += Self.chunk("IDAT", Self.stored(pixels(scale)))
        return file + Self.chunk("IEND", [])
    }

    private func pixels(_ scale: Int) -> [UInt8] {
        var pixels: [UInt8] = []
        for row in range {
            let bits = range.flatMap { Array(repeating: !isDark(row, $0), count: scale) }
            let line = stride(from: 0, to: bits.count, by: 8).map { start in
                (0..<8).reduce(UInt8(0)) { byte, bit in
                    byte << 1 | (start + bit < bits.count && bits[start + bit] ? 1 : 0)
                }
            }
            for _ in 0..<scale { pixels += [0] + line }
        }
        return pixels
    }

    // MARK: The formats

    /// Wraps bytes as a zlib stream of stored blocks (RFC 1950 and 1951).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let blockMax = 65_535
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: blockMax) {
            let block = bytes[start..<min(start + blockMax, bytes.count)]
            let count = UInt16(block.count)
            stream.append(block.endIndex == bytes.count ? 1 : 0)
            for number in [count, ~count] { stream += [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
            stream += block
        }
        return stream + Self.bytes(adler(bytes))
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        return bytes(UInt32(content.count)) + named + bytes(checksum(named))
    }

    /// Returns the CRC-32 of bytes, as defined by the PNG standard.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~sum
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
