import Testing

@testable import Domain

@Suite("The commonest passwords")
struct CommonPasswordsTests {
    private let all = CommonPasswords.list.description.split(separator: "\n")

    @Test("There are ten thousand and more that their length alone would not refuse")
    func count() {
        #expect(Set(all).count == all.count)
        let lengthMin = PasswordRules.length.lowerBound
        #expect(all.filter { $0.unicodeScalars.count >= lengthMin }.count >= 10_000)
    }

    @Test("Each of them is found, and in capitals too")
    func each() {
        for word in all {
            #expect(CommonPasswords.contains(String(word)))
        }
        #expect(CommonPasswords.contains("QwertyUIOP"))
    }

    @Test(
        "What isn't on the list isn't found",
        arguments: [
            "", " ", "\n", "a", "zzzzzzzzzzzzzz", "passwor", "password12345x", "pass word",
            "灯塔守护者的长夜",
        ]
    )
    func others(text: String) {
        #expect(!CommonPasswords.contains(text))
    }

    @Test("The list is sorted by bytes, or the search would miss some")
    func order() {
        for (left, right) in zip(all, all.dropFirst()) {
            #expect(left.utf8.lexicographicallyPrecedes(right.utf8))
        }
    }
}
