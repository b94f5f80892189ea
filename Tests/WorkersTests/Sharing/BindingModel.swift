/// A very simple model of the expected bindings, which uses none of the code under test.
struct BindingModel {
    struct Entry: Equatable {
        var role: String
        var access = "control"
        var boundAt: Int64
        var until: Int64?
    }

    struct Invitation {
        var device: Int
        var inviter: Int
        /// The user whom the inviter named, or nil for an invitation by QR code.
        var name: Int?
        var guest: Int?
        var access: String
        var minutes: Int64?
        var until: Int64
        var status = "pending"
        var isCode: Bool { name == nil }
    }

    var now: Int64
    var bindings: [[Int: Entry]]
    /// For each device, how many of its ownership periods have ended.
    var ownerships: [Int]
    var invitations: [Int: Invitation] = [:]
    var erased: Set<Int> = []
    private var lastInvitation = 0

    init(devices: Int, now: Int64) {
        self.now = now
        bindings = Array(repeating: [:], count: devices)
        ownerships = Array(repeating: 0, count: devices)
    }

    // MARK: Events, each with the code of its refusal

    mutating func bind(_ user: Int, _ device: Int) -> String? {
        if bindings[device][user] != nil { return nil }
        if bindings[device].values.contains(where: { $0.role == "owner" }) { return "Forbidden" }
        let role = bindings[device].isEmpty ? "special" : "normal"
        bindings[device][user] = Entry(role: role, boundAt: now)
        return nil
    }

    mutating func unbind(_ user: Int, _ device: Int, as ending: String = "revoked") -> String? {
        guard let binding = bindings[device].removeValue(forKey: user) else { return "NotBound" }
        close(ending) { $0.device == device && $0.guest == user }
        if binding.role == "owner" {
            bindings[device] = [:]
            close("revoked") { $0.device == device }
        }
        if binding.role == "special" {
            close("revoked") { $0.device == device }
            let heir = bindings[device].min { ($0.value.boundAt, $0.key) < ($1.value.boundAt, $1.key) }
            if let heir { bindings[device][heir.key]?.role = "special" }
        }
        if bindings[device].isEmpty { ownerships[device] += 1 }
        return nil
    }

    /// Creates an invitation, and returns its number or the expected refusal's code.
    mutating func invite(
        _ user: Int,
        _ device: Int,
        _ name: Int?,
        access: String,
        minutes: Int64?
    ) -> (number: Int?, code: String?) {
        guard let binding = bindings[device][user] else { return (nil, "NotBound") }
        guard binding.role == "special" || binding.role == "owner" else { return (nil, "Forbidden") }
        if name == user { return (nil, "InvalidRequest") }
        if let name {
            let isOut = invitations.values.contains {
                $0.device == device && $0.name == name
                    && ($0.status == "accepted" || ($0.status == "pending" && $0.until > now))
            }
            if isOut || bindings[device][name] != nil { return (nil, "Duplicated") }
        }
        lastInvitation += 1
        invitations[lastInvitation] = Invitation(
            device: device,
            inviter: user,
            name: name,
            guest: name.flatMap { erased.contains($0) ? nil : $0 },
            access: access,
            minutes: minutes,
            until: now + (name == nil ? 900_000 : 86_400_000)
        )
        return (lastInvitation, nil)
    }

    mutating func answer(_ user: Int, _ number: Int, _ accepts: Bool) -> String? {
        guard let invitation = invitations[number] else { return "ResourceNotFound" }
        if !invitation.isCode, invitation.guest != user { return "ResourceNotFound" }
        if invitation.isCode, invitation.inviter == user { return "InvalidRequest" }
        guard invitation.status == "pending", invitation.until > now else { return "Expired" }
        if accepts {
            if bindings[invitation.device][user] != nil { return "Duplicated" }
            for other in bindings[invitation.device].keys {
                bindings[invitation.device][other]?.role = other == invitation.inviter ? "owner" : "guest"
            }
            bindings[invitation.device][user] = Entry(
                role: "guest",
                access: invitation.access,
                boundAt: now,
                until: invitation.minutes.map { now + $0 * 60_000 }
            )
        }
        invitations[number]?.guest = user
        invitations[number]?.status = accepts ? "accepted" : "rejected"
        return nil
    }

    mutating func revoke(_ user: Int, _ number: Int) -> String? {
        guard let invitation = invitations[number], invitation.inviter == user else { return "ResourceNotFound" }
        if invitation.status == "accepted", let guest = invitation.guest { return unbind(guest, invitation.device) }
        guard invitation.status == "pending", invitation.until > now else { return "Expired" }
        invitations[number]?.status = "revoked"
        return nil
    }

    mutating func remove(_ user: Int, _ device: Int, _ other: Int) -> String? {
        if let code = refuseOwners(user, device, other) { return code }
        return unbind(other, device)
    }

    mutating func transfer(_ user: Int, _ device: Int, _ heir: Int) -> String? {
        if let code = refuseOwners(user, device, heir) { return code }
        bindings[device][user] = nil
        bindings[device][heir]?.role = "owner"
        bindings[device][heir]?.access = "control"
        bindings[device][heir]?.until = nil
        close("revoked") {
            $0.device == device
                && ($0.status == "pending" || $0.guest == heir || $0.guest == user)
        }
        for (number, invitation) in invitations
        where invitation.device == device && invitation.status == "accepted" {
            invitations[number]?.inviter = heir
        }
        ownerships[device] += 1
        return nil
    }

    private func refuseOwners(_ user: Int, _ device: Int, _ other: Int) -> String? {
        guard let binding = bindings[device][user] else { return "NotBound" }
        if binding.role != "owner" { return "Forbidden" }
        if other == user { return "InvalidRequest" }
        return bindings[device][other] == nil ? "ResourceNotFound" : nil
    }

    // MARK: Changes without a request

    mutating func erase(_ user: Int) {
        for device in bindings.indices { _ = unbind(user, device) }
        erased.insert(user)
        invitations = invitations.filter { $0.value.inviter != user }
        for (number, invitation) in invitations where invitation.guest == user { invitations[number]?.guest = nil }
    }

    mutating func delete(_ device: Int) {
        bindings[device] = [:]
        invitations = invitations.filter { $0.value.device != device }
    }

    mutating func advance(_ milliseconds: Int64) {
        now += milliseconds
        let now = now
        close("expired") { $0.status == "pending" && $0.until <= now }
        for device in bindings.indices {
            for (user, binding) in bindings[device] where binding.until.map({ $0 <= now }) ?? false {
                _ = unbind(user, device, as: "expired")
            }
        }
    }

    /// Ends the pending and accepted invitations for which `isMeant` returns true, and sets their status.
    ///
    /// A pending invitation always becomes `expired` if its deadline has passed. If `status` is `expired`, a pending
    /// invitation whose deadline has not passed becomes `revoked`.
    private mutating func close(_ status: String, _ isMeant: (Invitation) -> Bool) {
        for (number, invitation) in invitations
        where ["pending", "accepted"].contains(invitation.status) && isMeant(invitation) {
            let isOver = invitation.status == "pending" && invitation.until <= now
            let isRevoked = status == "expired" && invitation.status == "pending" && !isOver
            invitations[number]?.status = isOver ? "expired" : isRevoked ? "revoked" : status
        }
    }
}
