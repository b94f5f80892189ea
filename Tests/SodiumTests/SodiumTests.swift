import Sodium
import Testing

@Suite("The wrapper of libsodium")
struct SodiumTests {
    private let key = ServerKey([UInt8](repeating: 7, count: 32))

    @Test("SHA-256 yields the published digests")
    func digests() {
        let hex = Sodium.sha256("abc".utf8).map {
            $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16)
        }
        .joined()
        #expect(hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Sodium.sha256([]).prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    }

    @Test("Secrets have 43 characters of base64url and are never the same")
    func secrets() {
        let secrets = Set((0..<1000).map { _ in Sodium.randomSecret() })
        #expect(secrets.count == 1000)
        #expect(
            secrets.allSatisfy { secret in
                secret.utf8.count == 43
                    && secret.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            }
        )
    }

    @Test("Sealed bytes can be opened only unchanged and with the same key")
    func sealing() throws {
        let key = try #require(key)
        let other = try #require(ServerKey([UInt8](repeating: 8, count: 32)))
        let text = Array("a token".utf8)
        let sealed = key.seal(text)

        #expect(key.open(sealed) == text)
        #expect(key.seal(text) != sealed)
        #expect(other.open(sealed) == nil)
        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(key.open(changed) == nil)
        }
        for count in 0..<sealed.count { #expect(key.open(Array(sealed.prefix(count))) == nil) }
        #expect(key.open(key.seal([])) == [])
    }

    @Test("A hash depends on the secret, the subject and the key")
    func hashing() throws {
        let key = try #require(key)
        let other = try #require(ServerKey([UInt8](repeating: 8, count: 32)))
        let hash = key.hash("123456", boundTo: "d-1")

        #expect(hash == key.hash("123456", boundTo: "d-1"))
        #expect(hash != key.hash("123456", boundTo: "d-2"))
        #expect(hash != key.hash("123457", boundTo: "d-1"))
        #expect(hash != other.hash("123456", boundTo: "d-1"))
        #expect(hash.count == 32)
    }

    @Test("A key with the wrong length is refused", arguments: [0, 31, 33])
    func keyLength(_ count: Int) {
        #expect(ServerKey([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("Equality compares all bytes and the length")
    func equality() {
        #expect(Sodium.areEqual([1, 2], [1, 2]))
        #expect(!Sodium.areEqual([1, 2], [1, 3]))
        #expect(!Sodium.areEqual([1, 2], [1, 2, 3]))
        #expect(Sodium.areEqual([], []))
    }
}
