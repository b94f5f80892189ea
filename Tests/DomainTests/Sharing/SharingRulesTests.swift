@testable import Domain
import Testing

@Suite("Invitations")
struct SharingRulesTests {
    private static func sharing(
        _ way: Sharing.Way,
        _ status: Sharing.Status,
        guest: String? = nil
    ) -> Sharing {
        Sharing(
            id: SharingID(trusted: "i-1"),
            did: Make.did,
            app: AppID(trusted: "app"),
            inviter: UserID(trusted: "owner"),
            guest: guest.map { UserID(trusted: $0) },
            way: way,
            status: status,
            createdAt: Make.now,
            expiresAt: Make.at(60)
        )
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var way: Sharing.Way
        var status: Sharing.Status
        var by: String
        var seconds: Int64 = 0
        var answer: ErrorCode?
        var revocation: ErrorCode?
        var testDescription: String { "\(way) \(status) by \(by) at \(seconds) s" }
    }

    static let rows: [Row] = Sharing.Way.allCases.flatMap { way -> [Row] in
        let isOfOthers: ErrorCode? = way == .user ? .resourceNotFound : nil
        return Sharing.Status.allCases.flatMap { status -> [Row] in
            let over: ErrorCode? = status == .pending ? nil : .expired
            let ended: ErrorCode? = status.isOpen ? nil : .expired
            return [
                Row(way: way, status: status, by: "guest", answer: over, revocation: .resourceNotFound),
                Row(
                    way: way,
                    status: status,
                    by: "stranger",
                    answer: isOfOthers ?? over,
                    revocation: .resourceNotFound
                ),
                Row(
                    way: way,
                    status: status,
                    by: "owner",
                    answer: way == .user ? .resourceNotFound : .invalidRequest,
                    revocation: ended
                ),
                Row(
                    way: way,
                    status: status,
                    by: "guest",
                    seconds: 60,
                    answer: .expired,
                    revocation: .resourceNotFound
                ),
                Row(
                    way: way,
                    status: status,
                    by: "owner",
                    seconds: 60,
                    answer: way == .user ? .resourceNotFound : .invalidRequest,
                    revocation: status == .accepted ? nil : .expired
                ),
            ]
        }
    }

    @Test("In each state, each participant can do exactly what the rules permit", arguments: rows)
    func row(_ row: Row) {
        let sharing = Self.sharing(row.way, row.status, guest: "guest")
        let uid = UserID(trusted: row.by)
        let now = Make.at(row.seconds)

        #expect(SharingRules.refuseAnswer(sharing, by: uid, at: now)?.code == row.answer)
        #expect(SharingRules.refuseRevocation(sharing, by: uid, at: now)?.code == row.revocation)
    }

    @Test("An invitation that doesn't exist is treated like another user's")
    func missing() {
        let uid = UserID(trusted: "guest")
        #expect(SharingRules.refuseAnswer(nil, by: uid, at: Make.now)?.code == .resourceNotFound)
        #expect(SharingRules.refuseRevocation(nil, by: uid, at: Make.now)?.code == .resourceNotFound)
    }

    // MARK: When bindings end

    struct End: CustomTestStringConvertible, Sendable {
        var status = Sharing.Status.pending
        var guest: String?
        var ended: [String]
        var invitations = BindingChange.Invitations.stay
        var reason = UnbindReason.unbound
        var seconds: Int64 = 0
        var fate: SharingRules.Fate
        var testDescription: String { "\(status) of \(guest ?? "a code"), \(invitations), \(reason) at \(seconds) s" }
    }

    private static let heir = UserID(trusted: "heir")

    static let ends = [
        End(guest: "guest", ended: ["other"], fate: .stays),
        End(ended: ["other"], fate: .stays),
        End(status: .accepted, guest: "guest", ended: ["other"], fate: .stays),
        End(guest: "guest", ended: ["guest"], fate: .ends(.revoked)),
        End(status: .accepted, guest: "guest", ended: ["guest"], fate: .ends(.revoked)),
        End(guest: "guest", ended: ["guest"], reason: .expired, fate: .ends(.revoked)),
        End(
            status: .accepted,
            guest: "guest",
            ended: ["guest"],
            reason: .expired,
            fate: .ends(.expired)
        ),
        End(guest: "guest", ended: ["owner"], invitations: .void, fate: .ends(.revoked)),
        End(ended: ["owner"], invitations: .void, seconds: 60, fate: .ends(.expired)),
        End(status: .accepted, guest: "guest", ended: ["owner", "guest"], invitations: .void, fate: .ends(.revoked)),
        End(guest: "guest", ended: ["owner"], invitations: .pass(to: heir), fate: .ends(.revoked)),
        End(status: .accepted, guest: "guest", ended: ["owner"], invitations: .pass(to: heir), fate: .passes(to: heir)),
        End(status: .accepted, guest: "heir", ended: ["owner"], invitations: .pass(to: heir), fate: .ends(.revoked)),
    ]

    @Test("Invitations get their outcome when bindings end", arguments: ends)
    func fate(_ row: End) {
        var change = BindingChange()
        change.ended = row.ended.map { UserID(trusted: $0) }
        change.invitations = row.invitations
        let fate = SharingRules.fate(
            of: Self.sharing(.user, row.status, guest: row.guest),
            after: change,
            because: row.reason,
            at: Make.at(row.seconds)
        )
        #expect(fate == row.fate)
    }

    @Test("Names are masked")
    func masks() {
        #expect(MaskedAddress.name("Ada") == "A•••")
        #expect(MaskedAddress.name("A") == "•••")
        #expect(MaskedAddress.name("") == "•••")
        #expect(MaskedAddress.text("+4915112345678") == "•••78")
    }
}
