import Testing

@testable import QRCode

@Suite("QR codes")
struct QRCodeTests {
    @Test("A code has its three corners and the right size")
    func corners() throws {
        let code = try #require(QRCode("hello"))

        #expect(code.width == 21)
        for (row, column) in [(0, 0), (0, 14), (14, 0)] {
            let ring = (0..<7).allSatisfy { code.isDark(row, column + $0) }
            #expect(ring && code.isDark(row + 3, column + 3) && !code.isDark(row + 1, column + 1))
        }
        #expect(!code.isDark(-1, 0) && !code.isDark(21, 20))
    }

    @Test("Different texts have different codes, and a text that is too long has none")
    func texts() {
        #expect(QRCode("a")?.svg != QRCode("b")?.svg)
        #expect(QRCode(String(repeating: "a", count: 4000)) == nil)
        #expect(QRCode("") == nil)
    }

    @Test("A PNG has its chunks with the right checksums and the right size")
    func png() throws {
        let code = try #require(QRCode("hello"))
        let png = code.png(scale: 3)

        #expect(png.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(Array(png[16..<24]) == [0, 0, 0, 87, 0, 0, 0, 87])
        // Every PNG file ends with the same chunk, whose checksum is known.
        #expect(png.suffix(12) == [0, 0, 0, 0, 73, 69, 78, 68, 0xAE, 0x42, 0x60, 0x82])
    }

    @Test("The picture for a terminal has two rows per line and a light border")
    func blocks() throws {
        let code = try #require(QRCode("hello"))
        let lines = code.blocks.split(separator: "\n")

        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.count == 29 })
        #expect(lines[0] == String(repeating: "█", count: 29)[...])
    }
}
