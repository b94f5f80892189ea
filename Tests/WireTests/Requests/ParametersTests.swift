import Domain
import JSON
import Testing

@testable import Wire

@Suite("Parameters of methods") struct ParametersTests {
    /// A method's parameters, and the field that the refusal names; nil means that the parameters are accepted.
    struct Case: CustomTestStringConvertible, Sendable {
        let json: String
        let field: String?
        let testDescription: String

        init(_ json: String, refusing field: String?) { (self.json, self.field, testDescription) = (json, field, json) }
    }

    private static let key = String(repeating: "a", count: 32)

    static func fields(_ json: String) throws -> Fields {
        Fields(
            try #require(try JSONValue.parse(Array(json.utf8)).objectValue),
            path: "params."
        )
    }

    static func check(_ row: Case, _ read: (Fields) throws -> Void) throws {
        let fields = try fields(row.json)
        do {
            try read(fields)
            #expect(row.field == nil)
        } catch let rejection as Rejection { #expect(rejection.field == row.field.map { "params.\($0)" }) }
    }

    @Test(
        "A device to bind is named by did or by hardware, and its passcode is the proof",
        arguments: [
            Case(#"{"did":"d-1a","passcode":"123456"}"#, refusing: nil),
            Case(
                #"{"productKey":"\#(key)","mac":"0123456789ab","passcode":"1","claim":"c"}"#,
                refusing: nil
            ),
            Case(#"{"did":"d-1a"}"#, refusing: "passcode"),
            Case(#"{"did":"d-1a","mac":"0123456789ab","passcode":"1"}"#, refusing: "did"),
            Case(#"{"productKey":"\#(key)","passcode":"1"}"#, refusing: "mac"),
            Case(#"{"passcode":"1"}"#, refusing: "did"),
        ]
    )
    func bind(_ row: Case) throws {
        try Self.check(row) { _ = try BindParameters($0) }
    }

    @Test(
        "A device bound remotely has one proof",
        arguments: [
            Case(#""claim":"c""#, refusing: nil), Case(#""productSecret":"s""#, refusing: nil),
            Case(#""claim":"c","productSecret":"s""#, refusing: "productSecret"), Case(#""x":1"#, refusing: "claim"),
        ]
    )
    func bindRemote(_ row: Case) throws {
        let json = #"{"productKey":"\#(Self.key)","mac":"0123456789ab",\#(row.json)}"#
        try Self.check(Case(json, refusing: row.field)) { _ = try RemoteBindParameters($0) }
    }

    @Test(
        "An invitation is answered by its id or by its code's text",
        arguments: [
            Case(#"{"accept":true,"sharingId":"i1"}"#, refusing: nil),
            Case(#"{"accept":false,"qrText":"ll1"}"#, refusing: nil), Case(#"{"sharingId":"i1"}"#, refusing: "accept"),
            Case(#"{"accept":true}"#, refusing: "sharingId"),
            Case(#"{"accept":true,"sharingId":"i1","qrText":"ll1"}"#, refusing: "qrText"),
        ]
    )
    func answer(_ row: Case) throws {
        try Self.check(row) { _ = try SharingAnswerParameters($0) }
    }

    @Test(
        "A history begins before it ends, and a summary has a step",
        arguments: [
            Case(#"{"from":1,"to":2}"#, refusing: nil),
            Case(#"{"from":1,"to":2,"every":"1h","fn":"max"}"#, refusing: nil), Case(#"{"to":2}"#, refusing: "from"),
            Case(#"{"from":1}"#, refusing: "to"), Case(#"{"from":2,"to":2}"#, refusing: "to"),
            Case(#"{"from":1,"to":2,"cursor":"x"}"#, refusing: "cursor"),
            Case(#"{"from":1,"to":2,"fn":"max"}"#, refusing: "fn"),
            Case(#"{"from":1,"to":2,"every":"1y"}"#, refusing: "every"),
        ]
    )
    func history(_ row: Case) throws {
        try Self.check(row) { _ = try HistoryParameters($0) }
    }

    @Test("A history continues where the previous page ended, but not before its beginning")

    func historyPlace() throws {
        let later = try HistoryParameters(Self.fields(#"{"from":5,"to":9,"cursor":"7.2"}"#))
        let earlier = try HistoryParameters(Self.fields(#"{"from":5,"to":9,"cursor":"3.2"}"#))

        #expect(later.place == HistoryPlace(Instant(milliseconds: 7), skip: 2))
        #expect(earlier.place == HistoryPlace(Instant(milliseconds: 5)))
    }

    @Test(
        "A log has known kinds and its own form of cursor",
        arguments: [
            Case(#"{}"#, refusing: nil), Case(#"{"types":["write"],"cursor":"5.1"}"#, refusing: nil),
            Case(#"{"from":5,"to":5}"#, refusing: "to"), Case(#"{"types":[]}"#, refusing: "types"),
            Case(#"{"types":["read"]}"#, refusing: "types"), Case(#"{"cursor":"5"}"#, refusing: "cursor"),
        ]
    )
    func log(_ row: Case) throws {
        try Self.check(row) { _ = try LogParameters($0, types: ["write", "query"]) }
    }

    @Test("The cursor of a log's row is read as it was written")
    func logCursor() throws {
        let place = LogParameters.Cursor(time: Instant(milliseconds: 1234), number: 56)
        let read = try LogParameters(Self.fields(#"{"cursor":"\#(place.text)"}"#), types: [])

        #expect(read.cursor == place)
    }

    @Test(
        "A logout code requires the proof for its kind",
        arguments: [
            Case(#""accountType":"phone","verifyType":"authCode","authCode":"1""#, refusing: nil),
            Case(#""accountType":"phone","verifyType":"password","password":"p""#, refusing: nil),
            Case(#""verifyType":"authCode""#, refusing: "accountType"),
            Case(#""accountType":"phone""#, refusing: "verifyType"),
            Case(#""accountType":"email","verifyType":"authCode""#, refusing: "userName"),
            Case(#""accountType":"phone","verifyType":"authCode""#, refusing: "authCode"),
            Case(#""accountType":"phone","verifyType":"authCode","password":"p""#, refusing: "password"),
            Case(#""accountType":"phone","verifyType":"authCode","ifencrypt":1"#, refusing: "ifencrypt"),
        ]
    )
    func logoutCode(_ row: Case) throws {
        let json = #"{"countryCode":"49","userName":"15112345678",\#(row.json)}"#
        try Self.check(Case(json, refusing: row.field)) { _ = try LogoutCodeParameters($0, in: Regions()) }
    }
}
