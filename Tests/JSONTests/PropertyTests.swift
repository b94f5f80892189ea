import JSON
import TestKit
import Testing

@Suite("Properties that hold for any value and any bytes")
struct PropertyTests {
    @Test("A written value is read back as the same value", arguments: 0..<100)
    func roundTrip(_ seed: Int) throws {
        var random = Seed(seed)
        for _ in 0..<100 {
            let value = Self.value(depth: 1, &random)
            let bytes = value.encoded()
            #expect(try JSONValue.parse(bytes) == value, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test("Random bytes cause no trap, and accepted input can be written again", arguments: 0..<50) func randomBytes(
        _ seed: Int
    ) throws {
        var random = Seed(seed)
        let alphabet = Array(#"{}[]:,"\u0123456789abcdefDE+-.eE truefalsn "#.utf8) + [0, 0x80, 0xC3, 0xFF]
        for _ in 0..<1000 {
            let count = Int.random(in: 0...40, using: &random)
            let isWild = Bool.random(using: &random)
            let bytes = (0..<count).map { _ in
                isWild ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random) ?? 0
            }
            guard let value = try? JSONValue.parse(bytes) else { continue }
            #expect(try JSONValue.parse(value.encoded()) == value)
        }
    }

    @Test("Texts with a byte changed, lost or added cause no trap", arguments: 0..<50) func mutations(_ seed: Int) {
        var random = Seed(seed)
        for _ in 0..<100 {
            var bytes = Self.value(depth: 1, &random).encoded()
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            _ = try? JSONValue.parse(bytes)
        }
    }

    private static func value(depth: Int, _ random: inout Seed) -> JSONValue {
        switch Int.random(in: 0..<(depth > 6 ? 6 : 8), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2:
            let max = JSONValue.integerMax
            return .integer(.random(in: -max...max, using: &random))
        case 3: return .integer(.random(in: -10...10, using: &random))
        case 4:
            let double = Double(bitPattern: .random(in: 0...UInt64.max, using: &random))
            return double.isFinite ? .double(double) : .null
        case 5: return .string(text(&random))
        case 6: return .array((0..<Int.random(in: 0...5, using: &random)).map { _ in value(depth: depth + 1, &random) })
        default:
            let names = Set((0..<Int.random(in: 0...20, using: &random)).map { _ in text(&random) })
            return .object(
                JSONObject(members: names.sorted().map { .init(key: $0, value: value(depth: depth + 1, &random)) })
            )
        }
    }

    private static func text(_ random: inout Seed) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let limit: UInt32 = Bool.random(using: &random) ? 0x7F : 0x10FFFF
            let number = UInt32.random(in: 1...limit, using: &random)
            if let scalar = Unicode.Scalar(number) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}
