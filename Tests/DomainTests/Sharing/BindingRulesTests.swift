import Domain
import TestKit
import Testing

@Suite("Roles on a device")
struct BindingRulesTests {
    private static let me = UserID(trusted: "me")
    private static let other = UserID(trusted: "b")
    /// The user whose invitation the acting user accepts.
    private static let host = UserID(trusted: "a")
    private static let nobody = UserID(trusted: "x")

    /// The bindings of the device for each role of the acting user, who is `me`.
    static let scenes: [CallerRole: String] = [
        .strangerToFree: "",
        .strangerToShared: "a=special b=normal",
        .strangerToOwned: "a=owner b=guest",
        .special: "b=normal me=special",
        .normal: "a=special me=normal",
        .owner: "b=guest me=owner",
        .guest: "a=owner b=guest me=guest",
    ]

    static let events: [String: BindingEvent] = [
        "bind": .bind, "invite": .invite, "accept": .accept(from: host), "leave": .leave, "remove b": .remove(other),
        "remove me": .remove(me), "remove x": .remove(nobody), "transfer b": .transfer(to: other),
        "transfer me": .transfer(to: me), "transfer x": .transfer(to: nobody), "end": .end,
    ]

    /// Each line is a case: role, event, and the new bindings or the refusal's code.
    ///
    /// In the outcomes, `=` means that nothing changes. `+ends` means that the ownership period ends and a new one
    /// begins. `void` means that open invitations become void. `pass` means that open invitations pass to the new
    /// owner.
    static let table = """
        strangerToFree | bind | me=special
        strangerToShared | bind | a=special b=normal me=normal
        strangerToOwned | bind | Forbidden
        special | bind | =
        normal | bind | =
        owner | bind | =
        guest | bind | =
        strangerToFree | invite | NotBound
        strangerToShared | invite | NotBound
        strangerToOwned | invite | NotBound
        special | invite | =
        normal | invite | Forbidden
        owner | invite | =
        guest | invite | Forbidden
        strangerToFree | accept | Expired
        strangerToShared | accept | a=owner b=guest me=guest
        strangerToOwned | accept | a=owner b=guest me=guest
        special | accept | Duplicated
        normal | accept | Duplicated
        owner | accept | Duplicated
        guest | accept | Duplicated
        strangerToFree | leave | NotBound
        strangerToShared | leave | NotBound
        strangerToOwned | leave | NotBound
        special | leave | b=special void
        normal | leave | a=special
        owner | leave | +ends void
        guest | leave | a=owner b=guest
        strangerToFree | remove b | NotBound
        strangerToShared | remove b | NotBound
        strangerToOwned | remove b | NotBound
        special | remove b | Forbidden
        normal | remove b | Forbidden
        owner | remove b | me=owner
        guest | remove b | Forbidden
        strangerToFree | remove me | NotBound
        strangerToShared | remove me | NotBound
        strangerToOwned | remove me | NotBound
        special | remove me | Forbidden
        normal | remove me | Forbidden
        owner | remove me | InvalidRequest
        guest | remove me | Forbidden
        strangerToFree | remove x | NotBound
        strangerToShared | remove x | NotBound
        strangerToOwned | remove x | NotBound
        special | remove x | Forbidden
        normal | remove x | Forbidden
        owner | remove x | ResourceNotFound
        guest | remove x | Forbidden
        strangerToFree | transfer b | NotBound
        strangerToShared | transfer b | NotBound
        strangerToOwned | transfer b | NotBound
        special | transfer b | Forbidden
        normal | transfer b | Forbidden
        owner | transfer b | b=owner +ends pass
        guest | transfer b | Forbidden
        strangerToFree | transfer me | NotBound
        strangerToShared | transfer me | NotBound
        strangerToOwned | transfer me | NotBound
        special | transfer me | Forbidden
        normal | transfer me | Forbidden
        owner | transfer me | InvalidRequest
        guest | transfer me | Forbidden
        strangerToFree | transfer x | NotBound
        strangerToShared | transfer x | NotBound
        strangerToOwned | transfer x | NotBound
        special | transfer x | Forbidden
        normal | transfer x | Forbidden
        owner | transfer x | ResourceNotFound
        guest | transfer x | Forbidden
        strangerToFree | end | +ends void
        strangerToShared | end | +ends void
        strangerToOwned | end | +ends void
        special | end | +ends void
        normal | end | +ends void
        owner | end | +ends void
        guest | end | +ends void
        """

    struct Cell: CustomTestStringConvertible, Sendable {
        var callerRole: CallerRole
        var event: String
        var outcome: String
        var testDescription: String { "\(callerRole) \(event)" }
    }

    static let cells = table.split(separator: "\n").compactMap { line -> Cell? in
        let parts = line.split(separator: "|").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard parts.count == 3, let callerRole = CallerRole(rawValue: parts[0]) else { return nil }
        return Cell(callerRole: callerRole, event: parts[1], outcome: parts[2])
    }

    static func present(_ text: String) -> [Binding] {
        text.split(separator: " ").compactMap { word in
            let parts = word.split(separator: "=").map(String.init)
            return Binding.Role(rawValue: parts[1]).map { Make.binding(parts[0], $0) }
        }
    }

    static func outcome(of event: BindingEvent, among present: [Binding]) -> String {
        do {
            let change = try BindingRules.decide(event, by: me, among: present)
            if change.isEmpty { return "=" }
            var roles = Dictionary(uniqueKeysWithValues: present.map { ($0.uid, $0.role) })
            for uid in change.ended { roles[uid] = nil }
            for role in change.roles { roles[role.uid] = role.role }
            if let joined = change.joined { roles[me] = joined }
            var words = roles.sorted { $0.key < $1.key }
                .map { "\($0.key.text)=\($0.value.rawValue)" }
            if change.endsOwnership { words.append("+ends") }
            switch change.invitations {
            case .stay: break
            case .void: words.append("void")
            case .pass: words.append("pass")
            }
            return words.joined(separator: " ")
        } catch {
            return error.code.rawValue
        }
    }

    @Test("Each role has an outcome for each event", arguments: cells)
    func cell(_ cell: Cell) throws {
        let event = try #require(Self.events[cell.event])
        let present = Self.present(try #require(Self.scenes[cell.callerRole]))

        #expect(CallerRole(of: Self.me, among: present) == cell.callerRole)
        #expect(Self.outcome(of: event, among: present) == cell.outcome)
    }

    @Test("The table of roles and events is complete")
    func complete() {
        let seen = Set(Self.cells.map(\.testDescription))
        #expect(seen.count == CallerRole.allCases.count * Self.events.count)
    }

    @Test("The special role passes to the earliest normal user; of two with the same time, to the smaller id")
    func heir() throws {
        let early = [
            Make.binding("me", .special), Make.binding("b", .normal, since: 20), Make.binding("c", .normal, since: 10),
        ]
        let alike = [
            Make.binding("me", .special), Make.binding("c", .normal, since: 5), Make.binding("b", .normal, since: 5),
        ]

        #expect(Self.outcome(of: .leave, among: early) == "b=normal c=special void")
        #expect(Self.outcome(of: .leave, among: alike) == "b=special c=normal void")
    }

    @Test(
        "An invitation can't be accepted once its sender is neither special nor owner",
        arguments: ["b=special", "a=normal b=special", "a=guest b=owner", ""]
    )
    func formerHost(_ present: String) {
        let event = BindingEvent.accept(from: Self.host)
        #expect(Self.outcome(of: event, among: Self.present(present)) == "Expired")
    }

    @Test("The ownership period ends when the last user leaves")
    func last() {
        for role in [Binding.Role.special, .owner] {
            let outcome = Self.outcome(of: .leave, among: [Make.binding("me", role)])
            #expect(outcome.hasPrefix("+ends"))
        }
    }

    @Test(
        "Any sequence of events leaves at most one special user or owner, and an owner if there are guests"
    )
    func walk() throws {
        var random = Seed(7)
        let uids = (0..<4).map { UserID(trusted: "u\($0)") }
        for _ in 0..<200 {
            var present: [Binding] = []
            for second in 0..<30 {
                let uid = try #require(uids.randomElement(using: &random))
                let target = try #require(uids.randomElement(using: &random))
                let events: [BindingEvent] = [
                    .bind, .bind, .accept(from: target), .leave, .remove(target), .transfer(to: target),
                ]
                let event = try #require(events.randomElement(using: &random))
                guard let change = try? BindingRules.decide(event, by: uid, among: present) else { continue }
                present.removeAll { change.ended.contains($0.uid) }
                for role in change.roles {
                    for index in present.indices where present[index].uid == role.uid {
                        present[index].role = role.role
                    }
                }
                if let joined = change.joined { present.append(Make.binding(uid.text, joined, since: Int64(second))) }
                let heads = present.filter(\.role.isPrincipal)
                #expect(present.isEmpty ? heads.isEmpty : heads.count == 1)
                #expect(
                    present.allSatisfy {
                        ($0.role == .guest) == (heads.first?.role == .owner)
                            || $0.role.isPrincipal
                    }
                )
            }
        }
    }
}
