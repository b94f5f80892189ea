package import Domain
package import Storage
package import Wire

/// Takes accounts away: first a wish that logging in undoes, then, step by step, everything.
package enum Cancellation {
    /// How many devices one step unbinds.
    private static let devicesStep = 50
    /// How long word of a session's end may be under way before its row goes, in seconds.
    private static let farewellSeconds: Int64 = 10

    /// Notes that a user wants to be erased, and ends all his sessions; gives the time of erasure.
    static func request(_ user: User, _ call: inout Call) throws -> Instant {
        let actor = try call.actor()
        let wish = call.tx.now.adding(seconds: call.limits.cancellationSeconds)
        try call.tx.cancellations.request(user.uid, deletesAt: wish)
        let deletesAt = try call.tx.cancellations.find(user.uid)?.deletesAt ?? wish
        try call.tx.audit.add(
            AuditEntry(
                kind: .cancellationRequested,
                uid: user.uid,
                app: user.app,
                actor: actor,
                terminal: actor.terminal
            )
        )
        try SessionLife.endAll(of: user.uid, reason: .accountCancelled, actor: actor, &call)
        return deletesAt
    }

    /// Undoes a cancellation, since its user logged in; refuses when erasing has begun.
    static func undo(_ user: User, _ call: Call) throws {
        guard let entry = try call.tx.cancellations.find(user.uid) else { return }
        guard entry.erasedAt == nil, try call.tx.cancellations.undo(user.uid) else {
            throw Rejection(.invalidCredentials, "The account is being erased.")
        }
        try call.tx.audit.add(
            AuditEntry(
                kind: .cancellationUndone,
                uid: user.uid,
                app: user.app,
                actor: Actor(.user, user.uid.text, terminal: call.request.terminal),
                terminal: call.request.terminal
            )
        )
    }

    /// Erases an account from now on, without a way back: sessions end at once, the rest follows in
    /// small steps.
    package static func begin(
        _ uid: UserID,
        actor: Actor,
        _ topics: Topics,
        _ ids: inout IDSource,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        try tx.cancellations.begin(uid)
        try SessionLife.endAll(
            of: uid,
            reason: .accountCancelled,
            actor: actor,
            topics,
            &ids,
            in: tx,
            owed: &owed
        )
    }

    /// How far erasing an account got with one step.
    enum Progress: Sendable {
        /// Word of its sessions' end is under way.
        case waiting
        /// Something is left.
        case more
        case done
    }

    /// Goes one step on with an account whose time has come.
    static func step(
        _ entry: CancellationTable.Entry,
        _ topics: Topics,
        _ ids: inout IDSource,
        limit: Int,
        in tx: Transaction,
        owed: inout Owed
    ) throws -> Progress {
        guard entry.erasedAt != nil else {
            try begin(entry.uid, actor: .system, topics, &ids, in: tx, owed: &owed)
            return .waiting
        }
        let farewell = tx.now.adding(seconds: -farewellSeconds)
        if try tx.cancellations.hasEndedSession(entry.uid, since: farewell) { return .waiting }
        let devices = try tx.cancellations.devices(of: entry.uid, limit: devicesStep)
        guard devices.isEmpty else {
            for did in devices {
                _ = try Unbinding.leave(
                    did,
                    entry.uid,
                    reason: "unbound",
                    topics,
                    in: tx,
                    owed: &owed
                )
            }
            return .more
        }
        if let user = try tx.accounts.find(entry.uid) {
            try tx.cancellations.deleteAccount(entry.uid)
            try tx.audit.add(
                AuditEntry(kind: .erased, uid: user.uid, app: user.app, actor: .system)
            )
            return .more
        }
        guard try tx.cancellations.takeOutName(entry.uid, limit: limit) == 0 else { return .more }
        try tx.cancellations.finish(entry.uid)
        return .done
    }
}
