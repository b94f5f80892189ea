import Domain
import Testing

@Suite("Names and addresses")
struct AddressTests {
    @Test(
        "A phone number written in different ways is the same number",
        arguments: [
            "15112345678", "0151 123 456 78", "(0151) 1234-5678", "+49 151 12345678", "0049151/12345678",
            "151.1234.5678", "49-15112345678",
        ]
    )
    func phones(_ text: String) {
        #expect(Phone(text, countryCode: "49")?.text == "+4915112345678")
    }

    @Test(
        "A number that isn't valid in the country is refused",
        arguments: [
            "", "+", "12", "abcdefgh", "1511234567890123456", "0x1511234567", "151-1234-567x", "+43 151 12345678",
            "１５１１２３４", "000", "+\u{301}49151123456", "0\u{301}151123456", "49-\u{301}151123456", "151123456\u{301}",
            "1511+23456",
        ]
    )
    func badPhones(_ text: String) {
        #expect(Phone(text, countryCode: "49") == nil)
    }

    @Test("In Italy the leading zero belongs to the number")
    func italy() {
        #expect(Phone("06 698 12345", countryCode: "39")?.text == "+390669812345")
    }

    @Test("A stored number is read back unchanged")
    func storedPhone() throws {
        let phone = try #require(Phone("151 1234567", countryCode: "49"))
        #expect(Phone(trusted: phone.text, countryCode: "49") == phone)
    }

    @Test("E-mail addresses are compared without case and shown as entered")
    func emails() throws {
        let one = try #require(EmailAddress("Lena.Lampe@Example.COM"))
        #expect(one == EmailAddress("lena.lampe@example.com"))
        #expect(one.text == "Lena.Lampe@Example.COM")
        #expect(EmailAddress("lena+x@example.com") != EmailAddress("lena@example.com"))
        #expect(EmailAddress("用户@例子.中国") != nil)
    }

    @Test(
        "Texts that can't be addresses are refused",
        arguments: [
            "", "lena", "lena@", "@example.com", "le na@example.com", "lena@@example.com", "lena@exam ple.com",
            "lena\n@example.com", "lena@example", "lena@-x.com", "lena@example..com",
            String(repeating: "x", count: 250) + "@example.com", "Lena <lena@example.com>",
        ]
    )
    func badEmails(_ text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test("Usernames are compared without case and character width")
    func usernames() throws {
        #expect(try Username("Lena") == Username("lena") || Username("Lena").key == "lena")
        #expect(try Username("ｌｅｎａ").key == "lena")
        #expect(try Username("e\u{301}").key == Username("É").key)
    }

    @Test("A username can be an e-mail address, and is then compared like one")
    func addressNames() throws {
        let name = try Username("Lena@Example.com")
        #expect(name.email == EmailAddress("lena@example.com"))
        #expect(name.key == "lena@example.com")
        let email = try #require(EmailAddress("lena@example.com"))
        #expect(LoginName.username(name).key == LoginName.address(.email(email)).key)
        #expect(try Username("lena").email == nil)
    }

    @Test(
        "A username can't look like a phone number or an incomplete address",
        arguments: [
            "a@b", "a＠b", "1234567", "+49 151", "(0151)12", "４９１５１２３", "12 34", " a", "a\t", "",
        ]
    )
    func badUsernames(_ text: String) {
        #expect(throws: Rejection.self) { try Username(text) }
    }

    @Test(
        "Fewer than seven digits are a username",
        arguments: ["1", "1001", "123456", "４９１５１"]
    )
    func numberedNames(_ text: String) throws {
        #expect(try Username(text).text == text)
    }

    @Test(
        "A number in E.164 form contains its country code",
        arguments: [
            ("+4915112345678", "49"), ("+49 151 123", "49"), ("(+1) 202-555-0123", "1"),
            ("+79161234567", "7"), ("+8613800138000", "86"), ("+85212345678", "852"),
            ("+35312345678", "353"), ("004915112345678", nil), ("15112345678", nil),
            ("+0491511", nil),
            ("+4", nil), ("+", nil), ("", nil), ("lena+49@example.com", nil), ("+4x151123456", nil),
        ] as [(String, String?)]
    )
    func countryOfNumber(_ text: String, _ code: String?) {
        #expect(CountryCode.ofE164(text) == code)
    }

    @Test("A country determines the region unless the request names one")
    func regions() throws {
        let regions = Regions(served: ["eu", "us"], byCountry: ["1": "us", "86": "cn"])
        #expect(try regions.region(of: "49", named: nil) == "eu")
        #expect(try regions.region(of: "1", named: nil) == "us")
        #expect(try regions.region(of: "86", named: "eu") == "eu")
        #expect(throws: Rejection.self) { try regions.region(of: "86", named: nil) }
        #expect(throws: Rejection.self) { try regions.region(of: "49", named: "atlantis") }
    }
}
