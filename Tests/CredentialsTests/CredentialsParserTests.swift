import TestKit
import Testing

@testable import Credentials

@Suite("Reading the credentials file")
struct CredentialsParserTests {
    @Test("Each kind of record is read as it was written", arguments: Make.everyKind)
    func roundTrip(record: Record) throws {
        let file = try Make.file([record])

        let read = Make.parse(file)

        #expect(read.records == [record])
        #expect(read.consumed == file.count)
        #expect(!read.isDamaged)
    }

    @Test("A file truncated anywhere yields the records before the cut, and counts as undamaged")
    func cuts() throws {
        let file = try Make.file(Make.everyKind)
        let ends = try Make.ends(Make.everyKind)

        for cut in 0...file.count {
            let read = Make.parse(Array(file[..<cut]))

            #expect(read.records.count == ends.count { $0 <= cut })
            #expect(!read.isDamaged)
            #expect(read.consumed <= cut)
        }
    }

    @Test("Reading in pieces of any size yields the same records")
    func pieces() throws {
        let file = try Make.file(Make.everyKind)

        for size in 1...40 {
            var parser = CredentialsParser()
            var (records, start, end): ([Record], Int, Int) = ([], 0, 0)
            while end < file.count {
                end = min(file.count, end + size)
                start += parser.parse(Array(file[start..<end])) { records.append($0) }
            }

            #expect(records == Make.everyKind)
            #expect(start == file.count)
        }
    }

    @Test("A changed byte in a record that precedes another record is damage")
    func flips() throws {
        let file = try Make.file(Make.everyKind)
        let lengths = try [16] + Make.ends(Make.everyKind)

        for index in file.indices {
            var changed = file
            changed[index] ^= 0x10
            let read = Make.parse(changed)

            // If a changed length exceeds the rest of the file, the record looks incomplete.
            let isLength = lengths.contains { $0 == index || $0 + 1 == index }
            #expect(read.isDamaged || (isLength && read.consumed < file.count), "byte \(index)")
        }
    }

    @Test("Random bytes and random changes cause no trap", arguments: 0..<8)
    func fuzz(seed: Int) throws {
        var random = Seed(seed)
        let file = try Make.file(Make.everyKind)

        for _ in 0..<2_000 {
            var bytes = random.next() % 4 == 0 ? random.bytes(count: 200) : file
            for _ in 0..<Int(random.next() % 4) where !bytes.isEmpty {
                let index = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(index...)
                default: bytes.insert(contentsOf: random.bytes(count: 9), at: index)
                }
            }
            let read = Make.parse(bytes)
            #expect(read.consumed <= bytes.count)
        }
    }

    @Test("A body with the right checksum that isn't a record is damage", arguments: 0..<4) func strangeBodies(
        seed: Int
    ) throws {
        var random = Seed(seed)
        for _ in 0..<1_000 {
            var body = random.bytes(count: 90)
            if random.next() % 2 == 0, !body.isEmpty { body[0] = UInt8(random.next() % 6) }
            var file = try Make.file([])
            file += Make.framed(body)

            let read = Make.parse(file)

            #expect(read.isDamaged != (read.consumed == file.count))
        }
    }

    @Test(
        "A record whose key isn't an id can't be written",
        arguments: ["", "a b", "é", "a/b"]
    )
    func badKeys(key: String) {
        #expect(throws: CredentialsError.invalidRecord(kind: .app, key: key)) {
            try Record.app(appId: key, secret: Make.digest(1)).encoded()
        }
    }

    @Test("A digest is read from 64 hexadecimal digits and nothing else")
    func hex() throws {
        let digest = try #require(Digest(hex: String(repeating: "aF", count: 32)))

        #expect(digest.bytes == [UInt8](repeating: 0xAF, count: 32))
        #expect(Digest(hex: String(repeating: "a", count: 63)) == nil)
        #expect(Digest(hex: String(repeating: "g", count: 64)) == nil)
        #expect(Digest([UInt8](repeating: 0, count: 33)) == nil)
    }
}
