import TestKit

@testable import Credentials

/// Functions and constants that make records and files for the tests.
enum Make {
    static let everyKind: [Record] = [
        .product(key: String(repeating: "0f", count: 16), secret: digest(1)),
        .device(did: "d-abcdefghijk4f", secret: digest(2)),
        .app(appId: "demo", secret: digest(3)),
        .service(name: "sms", secret: digest(4), role: .gateway),
        .service(name: "clock", secret: digest(5), role: .scheduler),
        .service(name: "login", secret: digest(6), role: .identity),
        .service(name: "tools", secret: digest(7), role: .worker),
        .service(
            name: "own",
            secret: digest(8),
            role: .custom(publish: ["a/+", "é/#"], subscribe: [])
        ),
        .terminal(terminalId: String(repeating: "ab", count: 16), appId: "demo", session: nil),
        .terminal(
            terminalId: String(repeating: "cd", count: 16),
            appId: "demo",
            session: Session(sessionId: "s-1", uid: "u-abcdefghijklm", token: digest(9), expiresAt: .max)
        ),
        .terminal(
            terminalId: String(repeating: "ef", count: 16),
            appId: "demo",
            session: Session(
                sessionId: "s-2",
                uid: "u-abcdefghijklm",
                token: digest(9),
                expiresAt: 1_700_000_000_000,
                old: OldToken(token: digest(10), until: .min)
            )
        ),
        .terminal(
            terminalId: String(repeating: "01", count: 16),
            appId: "demo",
            session: Session(
                sessionId: "s-3",
                uid: "u-abcdefghijklm",
                token: digest(9),
                expiresAt: .max,
                isUsed: false
            )
        ),
        .removed(.device, key: "d-abcdefghijk4f"),
        .certificates(did: "d-abcdefghijk4f", from: 1_700_000_000_000),
        .removed(.certificates, key: "d-abcdefghijk4f"),
    ]

    static func digest(_ seed: UInt8) -> Digest { Digest(words: (UInt64(seed), 2, 3, UInt64(seed) << 56)) }

    static func file(_ records: [Record]) throws -> [UInt8] { try Layout.header + records.flatMap { try $0.encoded() } }

    /// Returns the end position of each record in a file that contains these records.
    static func ends(_ records: [Record]) throws -> [Int] {
        var end = Layout.headerCount
        return try records.map { record in
            end += try record.encoded().count
            return end
        }
    }

    static func framed(_ body: [UInt8]) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
        let covered = bytes(UInt16(body.count)) + body
        return covered + bytes(covered.withUnsafeBytes(Checksum.of))
    }

    static func parse(
        _ bytes: [UInt8]
    ) -> (records: [Record], consumed: Int, isDamaged: Bool) {
        var parser = CredentialsParser()
        var records: [Record] = []
        let consumed = parser.parse(bytes) { records.append($0) }
        return (records, consumed, parser.isDamaged)
    }
}

extension Seed {
    /// Returns up to `count` random bytes.
    mutating func bytes(count: Int) -> [UInt8] { (0..<below(count + 1)).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
