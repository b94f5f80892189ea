import Domain
import Testing

@testable import Wire

extension ParametersTests {
    private static let regions = Regions(byCountry: ["1": "us"])

    private static func country(_ members: String) -> String { #"{"countryCode":"49",\#(members)}"# }

    @Test(
        "A request about accounts must name a supported country",
        arguments: [
            Case(#"{"countryCode":"49"}"#, refusing: nil),
            Case(#"{"countryCode":"1","region":"default"}"#, refusing: nil), Case(#"{}"#, refusing: "countryCode"),
            Case(#"{"countryCode":"+49"}"#, refusing: "countryCode"),
            Case(#"{"countryCode":"1"}"#, refusing: "countryCode"),
            Case(#"{"countryCode":"49","region":"us"}"#, refusing: "region"),
        ]
    )
    func region(_ row: Case) throws {
        try Self.check(row) { _ = try RequestRegion($0, in: Self.regions) }
    }

    @Test(
        "Without a country, the country of an E.164 number counts, and then the app's default",
        arguments: [
            (#""phone":"+4915112345678""#, "86", "49"), (#""account":"+1 202 555 0123""#, "86", "1"),
            (#""username":"+4915112345678""#, nil, "49"), (#""phone":"13800138000""#, "86", "86"),
            (#""email":"lea@x.example""#, "86", "86"), (#""phone":"15112345678""#, nil, nil),
            (#""countryCode":"49","phone":"+1 202 555 0123""#, "86", "49"),
        ] as [(String, String?, String?)]
    )
    func country(_ members: String, _ fallback: String?, _ country: String?) throws {
        var regions = Regions()
        regions.defaultCountryCode = fallback
        try Self.check(Case("{\(members)}", refusing: country == nil ? "countryCode" : nil)) {
            let place = try RequestRegion($0, in: regions)
            #expect(place.countryCode == country)
        }
    }

    @Test(
        "A code is sent to a phone, an e-mail address, or an account that is one of them",
        arguments: [
            Case(#""account":"lea@x.example""#, refusing: nil), Case(#""account":"0151 12345678""#, refusing: nil),
            Case(#""account":"lea""#, refusing: "account"), Case(#""account":"lea@x""#, refusing: "account"),
            Case(#""account":"lea@x.example","email":"lea@x.example""#, refusing: "email"),
            Case(#""phone":"15112345678","email":"lea@x.example""#, refusing: "email"),
            Case(#""nickname":"lea""#, refusing: "phone"),
        ]
    )
    func codeAddress(_ row: Case) throws {
        try Self.check(Case(Self.country(#""purpose":"login",\#(row.json)"#), refusing: row.field)) {
            _ = try CodeParameters($0, in: Self.regions)
        }
    }

    @Test(
        "A login has one name, and a password or a code",
        arguments: [
            Case(#""account":"lea","password":"p""#, refusing: nil),
            Case(#""email":"lea@x.example","code":"1""#, refusing: nil), Case(#""password":"p""#, refusing: "account"),
            Case(#""username":"lea","account":"lea","password":"p""#, refusing: "account"),
            Case(#""account":"lea@","password":"p""#, refusing: "account"),
            Case(#""phone":"x","password":"p""#, refusing: "phone"), Case(#""account":"lea""#, refusing: "password"),
            Case(#""email":"lea@x.example","password":"p","code":"1""#, refusing: "code"),
            Case(#""username":"lea","code":"1""#, refusing: "code"),
        ]
    )
    func login(_ row: Case) throws {
        try Self.check(Case(Self.country(row.json), refusing: row.field)) {
            _ = try LoginParameters($0, in: Self.regions)
        }
    }

    @Test(
        "An address is proved by a code or a ticket",
        arguments: [
            Case(#""phone":"15112345678","code":"1""#, refusing: nil),
            Case(#""phone":"15112345678","ticket":"t""#, refusing: nil), Case(#""username":"lea""#, refusing: nil),
            Case(#""nickname":"lea""#, refusing: "username"),
            Case(#""phone":"15112345678","code":"1","ticket":"t""#, refusing: "ticket"),
            Case(#""phone":"15112345678","email":"lea@x.example","code":"1""#, refusing: nil),
            Case(#""phone":"15112345678","username":"+49 151 12345678""#, refusing: nil),
            Case(#""phone":"15112345678","username":"0151-1234567""#, refusing: "username"),
            Case(#""username":"lea","profile":{"hat":1}"#, refusing: "profile.hat"),
            Case(#""username":"lea","profile":{"timezone":"Mars"}"#, refusing: "profile.timezone"),
        ]
    )
    func registration(_ row: Case) throws {
        try Self.check(Case(Self.country(row.json), refusing: row.field)) {
            _ = try RegistrationParameters($0, in: Self.regions) { $0 != "Mars" }
        }
    }

    @Test(
        "A cancellation has at most one proof",
        arguments: [
            Case(#"{}"#, refusing: nil), Case(#"{"code":"1","codeToken":"t"}"#, refusing: nil),
            Case(#"{"password":"p","code":"1"}"#, refusing: "code"),
            Case(#"{"code":"1","ticket":"t"}"#, refusing: "ticket"), Case(#"{"password":""}"#, refusing: "password"),
        ]
    )
    func cancel(_ row: Case) throws {
        try Self.check(row) { _ = try CancelProof($0) }
    }

    @Test(
        "An invitation by name states the kind of name",
        arguments: [
            Case(#"{"type":"username","value":"lea"}"#, refusing: nil),
            Case(#"{"type":"phone","value":"15112345678"}"#, refusing: nil),
            Case(#"{"type":"uid","value":"u-1"}"#, refusing: nil), Case(#"{"value":"lea"}"#, refusing: "guest.type"),
            Case(#"{"type":"username"}"#, refusing: "guest.value"),
            Case(#"{"type":"email","value":"lea"}"#, refusing: "guest.value"),
            Case(#"{"type":"uid","value":"u 1"}"#, refusing: "guest.value"),
            Case(#"{"type":"phone","value":"15112345678","countryCode":"x"}"#, refusing: "guest.countryCode"),
        ]
    )
    func invitation(_ row: Case) throws {
        let json = #"{"way":"user","guest":\#(row.json)}"#
        try Self.check(Case(json, refusing: row.field)) {
            _ = try InvitationParameters($0).invitedName(ofCountry: "49")
        }
    }
}
