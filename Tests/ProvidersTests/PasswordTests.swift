import Domain
import Providers
import Testing

@Suite("Password hashing")
struct PasswordHasherTests {
    private let hasher = PasswordHasher(memoryKiB: 64, passes: 1)

    @Test("A hash names argon2id and its parameters, and two hashes of one password differ")
    func form() throws {
        let hash = try PasswordHasher().hash(Array("correct horse".utf8))

        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try hash != PasswordHasher().hash(Array("correct horse".utf8)))
    }

    @Test("A hash matches only its own password")
    func verify() throws {
        let hash = try hasher.hash(Array("correct horse".utf8))

        #expect(hasher.verify(Array("correct horse".utf8), against: hash))
        #expect(!hasher.verify(Array("correct hors".utf8), against: hash))
        #expect(!hasher.verify([], against: hash))
    }

    @Test("A text that isn't a hash matches nothing", arguments: ["", "x", "$argon2id$", "plain text"]) func damaged(
        text: String
    ) {
        #expect(!hasher.verify(Array("correct horse".utf8), against: text))
        #expect(hasher.needsRehash(text))
    }

    @Test("A hash with other parameters still matches, and must be renewed")
    func costs() throws {
        let old = try hasher.hash(Array("correct horse".utf8))
        let now = PasswordHasher(memoryKiB: 128, passes: 1)

        #expect(now.verify(Array("correct horse".utf8), against: old))
        #expect(now.needsRehash(old))
        #expect(!hasher.needsRehash(old))
    }

    @Test("Hashing leaves the caller's bytes unchanged")
    func callersBytes() throws {
        let bytes = Array("correct horse".utf8)
        _ = try hasher.hash(bytes)
        #expect(bytes == Array("correct horse".utf8))
    }
}

@Suite("Rules for passwords")
struct PasswordRulesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let password: String
        let code: ErrorCode?
    }

    @Test(
        "Length, common passwords and the account's own names are checked",
        arguments: [
            Case(testDescription: "seven characters", password: "x7#kq0z", code: .policyRejected),
            Case(testDescription: "eight characters", password: "x7#kq0zw", code: nil),
            Case(testDescription: "128 characters", password: String(repeating: "x7#k", count: 32), code: nil),
            Case(
                testDescription: "129 characters",
                password: String(repeating: "x7#k", count: 32) + "x",
                code: .invalidRequest
            ),
            Case(
                testDescription: "a whole payload",
                password: String(repeating: "x", count: 60_000),
                code: .invalidRequest
            ),
            Case(
                testDescription: "one that grows when normalised",
                password: String(repeating: "\u{FDFA}", count: 100),
                code: .invalidRequest
            ),
            Case(testDescription: "a common one", password: "12345678", code: .policyRejected),
            Case(testDescription: "with capitals", password: "PassWord", code: .policyRejected),
            Case(testDescription: "in full width", password: "ｐａｓｓｗｏｒｄ", code: .policyRejected),
            Case(testDescription: "the username", password: "Lamplighter1", code: .policyRejected),
            Case(testDescription: "the e-mail", password: "ann.smith@x.test", code: .policyRejected),
            Case(testDescription: "its first part", password: "ann.smith", code: .policyRejected),
            Case(testDescription: "the phone", password: "8613912345678", code: .policyRejected),
            Case(testDescription: "four Chinese ones", password: "灯塔守护", code: .policyRejected),
            Case(testDescription: "eight Chinese characters", password: "灯塔守护者的长夜", code: nil),
        ]
    )
    func table(row: Case) {
        let names = ["lamplighter1", "Ann.Smith@x.test", "+86-13912345678"]
        let outcome = Result { () throws(Rejection) in try PasswordRules.check(row.password, names: names) }

        switch outcome {
        case .success: #expect(row.code == nil)
        case .failure(let rejection):
            #expect(rejection.code == row.code)
            #expect(rejection.field == "params.password")
            #expect(!rejection.message.contains(row.password))
        }
    }

    @Test("A password typed on two kinds of keyboards gives the same bytes")
    func normalisation() throws {
        let composed = try PasswordRules.check("caf\u{E9} au lait", names: [])
        let decomposed = try PasswordRules.check("cafe\u{301} au lait", names: [])

        #expect(composed == decomposed)
        #expect(PasswordRules.normalised("ＣＡＦＥ　au lait") == Array("CAFE au lait".utf8))
        #expect(PasswordRules.normalised(String(repeating: "x", count: 129)) == nil)
    }
}
