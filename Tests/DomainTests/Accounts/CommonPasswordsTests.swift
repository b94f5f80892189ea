import Testing

@testable import Domain

@Suite("The list of common passwords")
struct CommonPasswordsTests {
    private let all = CommonPasswords.list.description.split(separator: "\n")

    @Test("The list contains more than ten thousand passwords that are long enough to be accepted")
    func count() {
        #expect(Set(all).count == all.count)
        let lengthMin = PasswordRules.length.lowerBound
        #expect(all.filter { $0.unicodeScalars.count >= lengthMin }.count >= 10_000)
    }

    @Test("Each listed password is found, also in capitals")
    func each() {
        for word in all {
            #expect(CommonPasswords.contains(String(word)))
        }
        #expect(CommonPasswords.contains("QwertyUIOP"))
    }

    @Test(
        "A password that isn't on the list isn't found",
        arguments: [
            "", " ", "\n", "a", "zzzzzzzzzzzzzz", "passwor", "password12345x", "pass word",
            "灯塔守护者的长夜",
        ]
    )
    func others(text: String) {
        #expect(!CommonPasswords.contains(text))
    }

    @Test("The list is sorted by bytes, as the search requires")
    func order() {
        for (left, right) in zip(all, all.dropFirst()) {
            #expect(left.utf8.lexicographicallyPrecedes(right.utf8))
        }
    }
}
