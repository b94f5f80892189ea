import Foundation
import JSON
import Testing

@testable import Domain

@Suite("Users")
struct UserTests {
    private static let now = Instant(milliseconds: 1000)

    private func user(countryCode: String = "49") -> User {
        User(
            uid: UserID(trusted: "u-1"),
            app: AppID(trusted: "demo"),
            region: "default",
            countryCode: countryCode,
            nickname: "",
            isAnonymous: false,
            createdAt: Instant(milliseconds: 0)
        )
    }

    private func email(_ text: String) -> Address { .email(EmailAddress(trusted: text)) }

    private func phone(_ national: String) -> Address { .phone(Phone(trusted: "+49" + national, countryCode: "49")) }

    // MARK: Unconfirmed addresses

    @Test(
        "A new address is pending if the user has an address for logging in; otherwise it replaces the address",
        arguments: [
            (User.EmailClaim.verified, true), (.registered, true), (.beside, true), (.given, false),
        ]
    )
    func waits(_ claim: User.EmailClaim, _ isWaiting: Bool) {
        var user = user()
        user.email = EmailAddress(trusted: "old@example.com")
        user.emailClaim = claim
        user.writeDown(email("new@example.com"), at: Self.now)
        #expect(user.email?.text == (isWaiting ? "old@example.com" : "new@example.com"))
        #expect(user.pendingEmail?.text == (isWaiting ? "new@example.com" : nil))
        #expect(user.emailClaim == claim)
        #expect(user.unprovedEmail?.text == "new@example.com")
    }

    @Test(
        "A new phone number is pending in the same way, and setting the present number again discards the pending one"
    )
    func phones() {
        var user = user()
        user.writeDown(phone("151111111"), at: Self.now)
        #expect(user.phone?.text == "+49151111111" && !user.isPhoneVerified)
        user.gain(phone("151111111"), since: nil)
        user.writeDown(phone("152222222"), at: Self.now)
        #expect(user.phone?.text == "+49151111111" && user.pendingPhone?.text == "+49152222222")
        user.writeDown(phone("151111111"), at: Self.now)
        #expect(user.pendingPhone == nil && user.isPhoneVerified)
    }

    @Test("A verified address replaces the old one, and is no longer pending for other users") func proved() {
        var user = user()
        user.gain(email("old@example.com"), since: nil)
        user.writeDown(email("new@example.com"), at: Self.now)
        var other = user
        user.gain(email("new@example.com"), since: Self.now)
        #expect(user.email?.text == "new@example.com" && user.pendingEmail == nil)
        other.lose(email("new@example.com"))
        #expect(other.email?.text == "old@example.com" && other.pendingEmail == nil)
        #expect(other.isEmailVerified)
    }

    // MARK: Time zones

    @Test(
        "Until a user sets a time zone, a country with a single zone determines it",
        arguments: [
            ("86", "Asia/Shanghai"), ("81", "Asia/Tokyo"), ("49", "Europe/Berlin"),
            ("1", "UTC"), ("7", "UTC"), ("34", "UTC"), ("351", "UTC"), ("61", "UTC"),
            ("999", "UTC"),
        ]
    )
    func zones(_ countryCode: String, _ zone: String) {
        var user = user(countryCode: countryCode)
        #expect(user.timezone == zone)
        user.timezone = "America/New_York"
        #expect(user.timezone == "America/New_York")
    }

    @Test("Each zone in the countries' table exists")
    func zonesExist() {
        let codes = (1...999).map { "\($0)" }
        let zones = codes.compactMap { CountryZone.name(of: $0) }
        #expect(zones.count > 80)
        for zone in zones { #expect(TimeZone(identifier: zone) != nil, "\(zone)") }
    }

    // MARK: The app's own data

    @Test(
        "The app's own data is merged key by key",
        arguments: [
            ([:], ["a": 1], ["a": 1]), (["a": 1], ["b": 2], ["a": 1, "b": 2]),
            (["a": 1, "b": 2], ["a": .null], ["b": 2]),
            (["a": ["x": 1]], ["a": ["y": 2]], ["a": ["y": 2]]),
            ([:], ["a": .null], [:]), (["a": 1], [:], ["a": 1]),
        ] as [(JSONObject, JSONObject, JSONObject)]
    )
    func custom(_ old: JSONObject, _ said: JSONObject, _ left: JSONObject) {
        var profile = Profile()
        profile.custom = old
        var other = Profile()
        // A message can contain null members. An object literal would drop such members, so the test assigns `said`
        // directly.
        other.custom = said
        profile.merge(other)
        #expect(profile.custom == left)
    }

    @Test(
        "A date is accepted in the usual written form",
        arguments: [
            ("1990-1-1", "1990-01-01"), ("1990-12-31", "1990-12-31"), ("2000-02-29", "2000-02-29"), ("1990-2-30", nil),
            ("90-1-1", nil), ("1990-1", nil), ("1990-1-1-1", nil), ("", nil), ("1990-001-1", nil), ("soon", nil),
            ("1990-1-\u{0661}", nil), ("0000-1-1", nil), ("1990--1", nil),
        ] as [(String, String?)]
    )
    func days(_ text: String, _ day: String?) {
        #expect(CalendarDate(written: text)?.description == day)
    }
}
