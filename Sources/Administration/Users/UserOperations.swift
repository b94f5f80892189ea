import Domain
import JSON
import Service
import Storage
import Web
import Wire
import Workers

/// The operations on users and their sessions.
enum UserOperations {
    static let all: [Operation] = [
        Operation("listUsers", "GET", "users", role: .viewer, list),
        Operation("showUser", "GET", "users/{uid}", role: .viewer, show),
        Operation("eraseUser", "DELETE", "users/{uid}", role: .admin, erase),
        Operation("listSessions", "GET", "users/{uid}/sessions", role: .viewer) { call in
            try call.read { tx in
                let user = try user(call, in: tx)
                return Shown.page(try UserView.sessions(of: user.uid, in: tx))
            }
        }, Operation("endSessions", "DELETE", "users/{uid}/sessions", role: .operator, endAll),
        Operation("showUserSession", "GET", "sessions/{sessionId}", role: .viewer) { call in
            try call.read { try UserView.session(try session(call, in: $0), in: $0) }
        }, Operation("endSession", "DELETE", "sessions/{sessionId}", role: .operator, end),
        Operation("unlockUser", "POST", "users/{uid}/unlock", role: .operator, unlock),
        Operation("undoCancellation", "DELETE", "users/{uid}/cancellation", role: .operator, undoCancellation),
        Operation("listUserAudit", "GET", "users/{uid}/audit", role: .viewer) { call in
            try call.read { tx in
                // A command also accepts the id of an erased user.
                let uid = try call.isCommand ? call.id("uid") : user(call, in: tx).uid
                let page = try tx.audit.page(
                    of: uid,
                    before: call.cursor(),
                    limit: call.limit()
                )
                return try AuditOperations.page(page, in: tx)
            }
        },
        Operation("listUserNotifications", "GET", "users/{uid}/notifications", role: .viewer) { call in
            try call.read { tx in
                let uid = try user(call, in: tx).uid
                let notes = try tx.notifications.records(of: uid, limit: call.limit())
                return Shown.page(notes.map { NotificationCodec.operatorRow($0, pushes: $0.pushes.map(\.stored)) })
            }
        }, Operation("exportUser", "GET", "users/{uid}/export", role: .admin, export),
    ]

    private static let scanMax = 100_000
    private static let devicesMax: Int64 = 1000

    private static func user(_ call: OperationCall, in tx: Transaction) throws -> User {
        let uid = try call.id("uid", UserKind.self)
        guard let found = try tx.accounts.find(uid) else { throw Refused.notFound("user", uid.text) }
        return found
    }

    /// Locks and returns the user whose id is in the request's path, and makes this user the subject of `act`.
    private static func lockedUser(_ call: OperationCall, _ act: inout Act, in tx: Transaction) throws -> User {
        try tx.lock(users: [try call.id("uid", UserKind.self)])
        let user = try user(call, in: tx)
        act = Act(subject: "user \(user.uid)", uid: user.uid)
        return user
    }

    private static func session(_ call: OperationCall, in tx: Transaction) throws -> Session {
        let id = try call.id("sessionId", MessageKind.self)
        guard let found = try tx.sessions.find(id) else { throw Refused.notFound("session", id.text) }
        return found
    }

    // MARK: Reading

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let (limit, terms) = (try call.limit(), try call.search())
        try terms.requireKeys(["app", "region", "anonymous", "verified", "country"])
        let after = try call.cursor(after: "u-", UserKind.self)
        let page = PageWanted(after: after, limit: limit, scanMax: scanMax)
        // Only a command can request the addresses of many users.
        let isOpen = call.isCommand && call.request.query["addresses"] == "true"
        return try call.read { try Self.page(page, terms, for: call.caller.role, isOpen: isOpen, in: $0) }
    }

    /// Returns a page of the users that match a search.
    static func page(
        _ wanted: PageWanted,
        _ terms: SearchTerms,
        for role: OperatorRole,
        isOpen: Bool = false,
        in tx: Transaction
    ) throws -> JSONObject {
        let found = try wanted.rows {
            try tx.accounts.page(after: $0, limit: $1)
        } id: {
            $0.uid.text
        } fits: {
            try fits($0, terms, for: role)
        }
        return Shown.page(try UserView.rows(found.rows, isOpen: isOpen, in: tx), next: found.next)
    }

    private static func fits(_ user: User, _ terms: SearchTerms, for role: OperatorRole) throws -> Bool {
        try terms.terms.allSatisfy { term in
            let isFound =
                switch term.key {
                case "app": term.finds(user.app.text)
                case "region": term.finds(user.region)
                case "country": term.finds(user.countryCode)
                case "anonymous": try term.flag() == user.isAnonymous
                case "verified":
                    try term.flag() == (user.isEmailVerified || user.isPhoneVerified)
                default:
                    term.finds(anyOf: [
                        user.uid.text, UserView.name(user, isOpen: role == .admin),
                    ]) || finds(term, addressOf: user, for: role)
                }
            return isFound != term.isNegated
        }
    }

    /// Returns whether a term matches an address of a user.
    ///
    /// For an admin, a part of the address suffices. For an operator, the whole address must match. Operators see only
    /// masked addresses, and could otherwise guess an address letter by letter. For a viewer, no address matches.
    static func finds(_ term: SearchTerms.Term, addressOf user: User, for role: OperatorRole) -> Bool {
        let addresses = [user.email?.text, user.phone?.text, user.username, user.externalUID]
        guard role < .admin else { return term.finds(anyOf: addresses) }
        let value = term.value.lowercased()
        return role == .operator && addresses.contains { $0?.lowercased() == value }
    }

    private static func show(_ call: OperationCall) throws -> JSONObject {
        let isOpen = call.request.query["addresses"] == "true"
        guard !isOpen || call.caller.role == .admin else {
            throw Refused(403, .forbidden, "Only an admin sees addresses in full.")
        }
        let page = try call.read { tx in
            let user = try user(call, in: tx)
            let bindings = try tx.bindings.page(of: user.uid, products: nil, offset: 0, limit: devicesMax).rows
            let names = try tx.devices.names(of: bindings.map(\.binding.did))
            let devices = bindings.map { listed in
                let binding = listed.binding
                return JSONObject(showing: [
                    "did": binding.did, "name": Shown.name(names[binding.did]), "role": binding.role.rawValue,
                    "alias": Shown.name(binding.alias), "boundAt": binding.boundAt,
                ])
            }
            return JSONObject(showing: [
                "row": try UserView.rows([user], isOpen: isOpen, in: tx).first,
                "deletesAt": try tx.cancellations.find(user.uid)?.deletesAt, "devices": devices,
                "homes": try tx.homes.all(of: user.uid).count, "schedules": try tx.schedules.count(ofUser: user.uid),
            ])
        }
        let wait = try call.read { tx in
            try PasswordTries.wait(of: user(call, in: tx), call.context.limits, in: tx)
        }
        if isOpen {
            let uid = try call.id("uid", UserKind.self)
            try call.note(Act(subject: "user \(uid)", uid: uid))
        }
        return page.adding([("locked", .bool(wait != nil))])
    }

    private static func export(_ call: OperationCall) throws -> JSONObject {
        let document = try call.read { tx in try PersonalData.document(try user(call, in: tx), at: call.now, in: tx) }
        let uid = try call.id("uid", UserKind.self)
        try call.note(Act(subject: "user \(uid)", uid: uid))
        return document
    }

    // MARK: Changing

    private static func endAll(_ call: OperationCall) throws -> JSONObject {
        let count = try call.act { work, act in
            let user = try lockedUser(call, &act, in: work.tx)
            let count = try SessionLifecycle.endAll(of: user.uid, because: .operator, by: call.actor, in: &work)
            act.after = ["sessionsEnded": Shown.count(count)]
            return count
        }
        return ["count": Shown.count(count)]
    }

    private static func end(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let found = try work.tx.lock {
                try session(call, in: work.tx)
            } naming: {
                (users: [$0.uid], devices: [])
            }
            act = Act(subject: "session \(found.id)", uid: found.uid)
            if found.endedAt == nil { try SessionLifecycle.end(found, because: .operator, by: call.actor, in: &work) }
            return try UserView.session(try session(call, in: work.tx), in: work.tx)
        }
    }

    private static func unlock(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let user = try lockedUser(call, &act, in: work.tx)
            try PasswordTries.clear(user, in: work.tx)
            try work.tx.attempts.forget(user.uid)
        }
        return [:]
    }

    private static func undoCancellation(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let user = try lockedUser(call, &act, in: work.tx)
            let entry = try work.tx.cancellations.find(user.uid)
            act.before = entry.map { ["deletesAt": Shown.moment($0.deletesAt)] }
            guard try work.tx.cancellations.undo(user.uid) else {
                throw Refused(409, .forbidden, "\(user.uid) is not going to be erased, or erasing has begun.")
            }
        }
        return [:]
    }

    private static func erase(_ call: OperationCall) throws -> JSONObject {
        let uid = try call.id("uid", UserKind.self)
        try call.requireConfirmation(of: uid.text)
        let found = try call.read { try user(call, in: $0) }
        let summary = try UserErasure.run(found, in: call.context)
        // The audit trail records that a user was erased, and by whom, but not the user's name.
        try call.note(Act(subject: "user"))
        return JSONObject(showing: ["devices": summary.devices.count, "sessions": summary.sessions])
    }
}
