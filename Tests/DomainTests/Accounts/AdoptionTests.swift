import Testing

@testable import Domain

@Suite("Adopting the data of an anonymous user")
struct AdoptionTests {
    private static let anonymous = UserID(trusted: "u-anonymous")
    private static let account = UserID(trusted: "u-account")
    private static let other = UserID(trusted: "u-other")
    private static let did = DeviceID(trusted: "d-1")

    private static func binding(
        _ uid: UserID,
        _ role: Binding.Role,
        _ access: Binding.Access = .control,
        until: Int64? = nil,
        alias: String = "",
        sharing: String? = nil
    ) -> Binding {
        Binding(
            did: did,
            uid: uid,
            app: AppID(trusted: "demo"),
            role: role,
            access: access,
            alias: alias,
            boundAt: Instant(milliseconds: uid == anonymous ? 1 : 2),
            guestUntil: until.map { Instant(milliseconds: $0) },
            sharing: sharing.map { SharingID(trusted: $0) }
        )
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let taken: Binding.Role
        let own: Binding.Role?
        let left: Binding.Role

        var testDescription: String { "\(taken) into \(own.map { "\($0)" } ?? "nothing")" }
    }

    @Test(
        "The stronger role is kept",
        arguments: [
            Case(taken: .special, own: nil, left: .special), Case(taken: .guest, own: nil, left: .guest),
            Case(taken: .special, own: .normal, left: .special), Case(taken: .normal, own: .special, left: .special),
            Case(taken: .normal, own: .normal, left: .normal), Case(taken: .owner, own: .guest, left: .owner),
            Case(taken: .guest, own: .owner, left: .owner), Case(taken: .guest, own: .guest, left: .guest),
        ]
    )
    func roles(_ row: Case) {
        let merged = Adoption.merge(
            Self.binding(Self.anonymous, row.taken),
            into: row.own.map { Self.binding(Self.account, $0) },
            of: Self.account
        )
        #expect(merged.role == row.left && merged.uid == Self.account)
        #expect(merged.boundAt.milliseconds == 1)
    }

    @Test("Of two guest roles the less restricted one is kept, with its invitation")
    func guests() {
        let reader = Self.binding(Self.account, .guest, .read, sharing: "s-own")
        let short = Self.binding(Self.anonymous, .guest, until: 10, sharing: "s-taken")
        let merged = Adoption.merge(short, into: reader, of: Self.account)
        #expect(merged.access == .control && merged.sharing?.text == "s-taken")
        let endless = Self.binding(Self.account, .guest, sharing: "s-own")
        #expect(Adoption.merge(short, into: endless, of: Self.account).guestUntil == nil)
        let longer = Self.binding(Self.anonymous, .guest, until: 20)
        let own = Self.binding(Self.account, .guest, until: 10)
        #expect(Adoption.merge(longer, into: own, of: Self.account).guestUntil?.milliseconds == 20)
    }

    @Test("The account's own name for a device is kept if it has one")
    func words() {
        let taken = Self.binding(Self.anonymous, .special, alias: "Kitchen")
        let own = Self.binding(Self.account, .normal, alias: "Lamp")
        #expect(Adoption.merge(taken, into: own, of: Self.account).alias == "Lamp")
        let silent = Self.binding(Self.account, .normal)
        #expect(Adoption.merge(taken, into: silent, of: Self.account).alias == "Kitchen")
    }

    // MARK: Invitations

    struct Invitation: CustomTestStringConvertible, Sendable {
        let inviter: UserID
        let guest: UserID?
        let status: Sharing.Status
        /// The account's role after the anonymous user's devices have moved to the account.
        let role: Binding.Role?
        var bindingSharing: String?
        /// The invitation after the move, or nil if the invitation doesn't change.
        let becomes: (inviter: UserID, guest: UserID?, status: Sharing.Status)?

        var testDescription: String { "\(inviter) to \(guest?.text ?? "-") \(status)" }
    }

    static let invitations = [
        Invitation(
            inviter: anonymous,
            guest: other,
            status: .accepted,
            role: .owner,
            becomes: (account, other, .accepted)
        ),
        Invitation(inviter: anonymous, guest: nil, status: .pending, role: .owner, becomes: (account, nil, .pending)),
        Invitation(
            inviter: other,
            guest: anonymous,
            status: .accepted,
            role: .guest,
            bindingSharing: "s-1",
            becomes: (other, account, .accepted)
        ),
        Invitation(inviter: other, guest: anonymous, status: .pending, role: nil, becomes: (other, account, .pending)),
        Invitation(
            inviter: other,
            guest: anonymous,
            status: .pending,
            role: .guest,
            bindingSharing: "s-2",
            becomes: (other, account, .revoked)
        ),
        Invitation(
            inviter: other,
            guest: account,
            status: .accepted,
            role: .guest,
            bindingSharing: "s-2",
            becomes: (other, account, .revoked)
        ),
        Invitation(
            inviter: anonymous,
            guest: account,
            status: .accepted,
            role: .owner,
            becomes: (account, account, .revoked)
        ),
        Invitation(
            inviter: account,
            guest: anonymous,
            status: .pending,
            role: .owner,
            becomes: (account, account, .revoked)
        ),
        Invitation(
            inviter: account,
            guest: other,
            status: .accepted,
            role: .owner,
            becomes: nil
        ),
        Invitation(
            inviter: other,
            guest: account,
            status: .accepted,
            role: .guest,
            bindingSharing: "s-1",
            becomes: nil
        ),
    ]

    @Test("Invitations of both users become the account's, or void", arguments: invitations)
    func invitation(_ row: Invitation) {
        let sharing = Sharing(
            id: SharingID(trusted: "s-1"),
            did: Self.did,
            app: AppID(trusted: "demo"),
            inviter: row.inviter,
            guest: row.guest,
            way: .user,
            status: row.status,
            createdAt: Instant(milliseconds: 1),
            expiresAt: Instant(milliseconds: 2)
        )
        let moved = Adoption.move(
            sharing,
            from: Self.anonymous,
            to: Self.account,
            binding: row.role.map { Self.binding(Self.account, $0, sharing: row.bindingSharing) }
        )
        #expect(moved?.inviter == row.becomes?.inviter)
        #expect(moved?.guest == row.becomes?.guest)
        #expect(moved?.status == row.becomes?.status)
    }
}
