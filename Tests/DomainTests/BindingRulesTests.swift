import Domain
import Testing

@Suite("Who is what to a device")
struct BindingRulesTests {
    private static let newcomer = UserID(trusted: "u-new")

    struct Bind: CustomTestStringConvertible, Sendable {
        var name: String
        var present: [Binding]
        var wanted: BindingRules.Decision
        var testDescription: String { name }
    }

    static let binds = [
        Bind(name: "the first is special", present: [], wanted: .bind(.special)),
        Bind(
            name: "the second is normal",
            present: [Make.binding("u-a", .special)],
            wanted: .bind(.normal)
        ),
        Bind(
            name: "the third is normal",
            present: [Make.binding("u-a", .special), Make.binding("u-b", .normal)],
            wanted: .bind(.normal)
        ),
        Bind(
            name: "who is special already stays so",
            present: [Make.binding("u-new", .special)],
            wanted: .isBoundAlready
        ),
        Bind(
            name: "a guest is bound already, whatever the owner",
            present: [Make.binding("u-a", .owner), Make.binding("u-new", .guest)],
            wanted: .isBoundAlready
        ),
    ]

    @Test("A wish to bind ends by who is there", arguments: binds)
    func bind(_ row: Bind) {
        #expect(BindingRules.bind(Self.newcomer, among: row.present) == row.wanted)
    }

    @Test("Nobody else binds a device that has an owner")
    func owner() {
        let decision = BindingRules.bind(Self.newcomer, among: [Make.binding("u-a", .owner)])
        guard case .refuse(let rejection) = decision else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.code == .forbidden)
    }

    struct Leave: CustomTestStringConvertible, Sendable {
        var name: String
        var uid: String
        var present: [Binding]
        var ended: [String]?
        var promoted: String?
        var testDescription: String { name }
    }

    static let leaves = [
        Leave(name: "a stranger", uid: "u-x", present: [Make.binding("u-a", .special)]),
        Leave(
            name: "a normal",
            uid: "u-b",
            present: [Make.binding("u-a", .special), Make.binding("u-b", .normal)],
            ended: ["u-b"]
        ),
        Leave(
            name: "a guest",
            uid: "u-b",
            present: [Make.binding("u-a", .owner), Make.binding("u-b", .guest)],
            ended: ["u-b"]
        ),
        Leave(
            name: "a lone special",
            uid: "u-a",
            present: [Make.binding("u-a", .special)],
            ended: ["u-a"]
        ),
        Leave(
            name: "a special, whom the earliest normal follows",
            uid: "u-a",
            present: [
                Make.binding("u-a", .special, since: 0), Make.binding("u-b", .normal, since: 20),
                Make.binding("u-c", .normal, since: 10),
            ],
            ended: ["u-a"],
            promoted: "u-c"
        ),
        Leave(
            name: "a special with two normals of one moment, the smaller id follows",
            uid: "u-a",
            present: [
                Make.binding("u-a", .special), Make.binding("u-c", .normal, since: 5),
                Make.binding("u-b", .normal, since: 5),
            ],
            ended: ["u-a"],
            promoted: "u-b"
        ),
        Leave(
            name: "an owner, whose guests go too",
            uid: "u-a",
            present: [
                Make.binding("u-b", .guest), Make.binding("u-a", .owner),
                Make.binding("u-c", .guest),
            ],
            ended: ["u-a", "u-b", "u-c"]
        ),
    ]

    @Test("A leaving has its consequences", arguments: leaves)
    func leave(_ row: Leave) {
        let leaving = BindingRules.leave(UserID(trusted: row.uid), among: row.present)
        #expect(leaving?.ended.map(\.text) == row.ended)
        #expect(leaving?.promoted?.text == row.promoted)
    }
}
