package import Domain
package import Storage
import Wire

/// The erasure of accounts, in steps; until an erasure begins, a login can withdraw it.
package enum Cancellation {
    /// The maximum number of devices that one step handles.
    private static let devicesStep = 50
    /// The maximum number of event-log rows that one transaction changes.
    private static let logStep = 100
    /// How many seconds pass before an anonymous user is erased, so that logout messages can still arrive.
    private static let farewellSeconds: Int64 = 10

    /// Records a user's erasure request, ends the sessions and returns the time of erasure.
    static func request(_ user: User, _ call: inout Call) throws -> Instant {
        let actor = try call.actor()
        let requested = call.tx.now.adding(seconds: call.limits.cancellationSeconds)
        try call.tx.cancellations.request(user.uid, deletesAt: requested)
        let deletesAt = try call.tx.cancellations.find(user.uid)?.deletesAt ?? requested
        try call.audit(.cancellationRequested, of: user.uid)
        try SessionLifecycle.endAll(of: user.uid, because: .accountCancelled, by: actor, in: &call.work)
        try notifyAddresses(of: user, deletesAt: deletesAt, &call)
        return deletesAt
    }

    /// Announces the erasure to the account's addresses, because the caller might not be the account's owner.
    ///
    /// All verified addresses get the message. So does an e-mail address that was registered without proof.
    private static func notifyAddresses(of user: User, deletesAt: Instant, _ call: inout Call) throws {
        let day: Int64 = 86_400_000
        let left = deletesAt.milliseconds - call.tx.now.milliseconds
        let days = max(1, (left + day - 1) / day)
        var addresses = user.verifiedAddresses
        if let email = user.email, !user.isEmailVerified, user.emailClaim == .registered {
            addresses.append(.email(email))
        }
        for address in addresses {
            var message = OutgoingMessage(.cancelled, to: address, of: user, in: &call.work)
            message.params = ["days": "\(days)"]
            message.expiresAt = deletesAt
            try call.tx.outgoingMessages.add(message)
        }
    }

    /// Schedules the erasure of an anonymous user who logs out and can't log in again.
    static func discard(_ uid: UserID, _ call: inout Call) throws {
        guard let user = try call.tx.accounts.find(uid), user.isAnonymous else { return }
        let actor = try call.actor()
        try SessionLifecycle.endAll(of: uid, because: .loggedOut, by: actor, in: &call.work)
        try call.tx.accounts.forgetDeviceID(of: uid)
        let soon = call.tx.now.adding(seconds: farewellSeconds)
        try call.tx.cancellations.request(uid, deletesAt: soon)
    }

    /// Schedules the erasure of an anonymous user whom a new one has replaced.
    static func replace(_ uid: UserID, _ call: Call) throws {
        let soon = call.tx.now.adding(seconds: farewellSeconds)
        try call.tx.cancellations.request(uid, deletesAt: soon)
    }

    /// Withdraws the pending erasure request of a user who has logged in.
    static func undo(_ user: User, _ call: Call) throws {
        guard try call.tx.cancellations.undo(user.uid) else { return }
        try call.audit(.cancellationUndone, of: user.uid)
    }

    /// Erases an account irrevocably, and notifies the account's terminals.
    ///
    /// The account's sessions and the rows that concern no other user are deleted at once. Later, `step` removes the
    /// user's bindings, and removes the user's id from other users' rows.
    package static func begin(_ user: User, by actor: Actor, in work: inout UnitOfWork) throws {
        for session in try work.tx.sessions.live(of: user.uid) {
            try SessionLifecycle.endForGood(session, by: actor, in: &work)
        }
        try work.tx.codes.void(CodePurpose.allCases, of: user)
        try work.tx.cancellations.deleteAccount(user.uid)
        work.log(.accountDeleted, of: user, by: actor)
        try work.tx.audit.add(AuditEntry(kind: .erased, uid: user.uid, app: user.app, actor: actor))
    }

    /// Performs a step of a due erasure, or returns false if only `finish` is left.
    package static func step(_ uid: UserID, limit: Int, in work: inout UnitOfWork) throws -> Bool {
        try work.tx.lock(users: [uid])
        if let user = try work.tx.accounts.find(uid) {
            try begin(user, by: .system, in: &work)
            return true
        }
        let (tx, table) = (work.tx, work.tx.cancellations)
        let devices = try tx.lock({ try table.devices(of: uid, limit: devicesStep) }, naming: { ([], $0) })
        for did in devices {
            try BindingExpiry.endGuests(of: did, in: &work)
            let bindings = try Bindings(of: did, by: .erased, in: work)
            try bindings.leave(uid, because: .accountCancelled, in: &work)
        }
        // While the user still has devices, the user's id stays in invitations. When a binding of the user ends,
        // `Bindings` decides whether each open invitation to the device stays, ends or passes to an heir.
        guard devices.isEmpty else { return true }
        let others = try tx.lock({ try table.devicesThatName(uid, limit: devicesStep) }, naming: { ([], $0) })
        try table.takeOutName(uid, of: others, limit: limit)
        return !others.isEmpty
    }

    /// Ends an erasure: removes the user from the event log.
    ///
    /// The log can be large, so the search for the user's rows isn't part of a write transaction. The rows are changed
    /// a few at a time. One search is enough, because no new entry names the user any more.
    package static func finish(
        _ uid: UserID,
        in store: Store,
        work: (_ body: (inout UnitOfWork) throws -> Void) throws -> Void
    ) throws {
        var places = try store.read { tx in try tx.eventLog.places(naming: uid) }[...]
        while !places.isEmpty {
            try work { work in try work.tx.eventLog.forget(uid, at: places.prefix(logStep)) }
            places = places.dropFirst(logStep)
        }
        try work { work in
            try work.tx.lock(users: [uid])
            try work.tx.cancellations.finish(uid)
        }
    }
}
