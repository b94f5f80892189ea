import Domain
import JSON
import Sodium
import Storage
import Wire

/// `account/…`: who somebody is (PROTOCOL 3.1).
enum AccountMethods {
    static let all: [String: Method] = [
        "account/loginAnonymous": Method(needsToken: false, run: loginAnonymous),
        "account/whoami": Method(isReading: true, run: whoami),
        "account/logout": Method(run: logout),
        "account/queryUsers": Method(needsToken: false, isReading: true) { _ in
            throw Rejection(.forbidden, "Nobody may search other users.")
        },
    ]

    private static let anonymousWindowSeconds: Int64 = 3600

    // MARK: Logging in

    @Sendable
    private static func loginAnonymous(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let countryCode = try countryCode(fields)
        try checkRegion(fields, call)
        let deviceID = try fields.text("deviceId", length: 16...64)
        let terminal = try terminalInfo(fields)
        if let owner = try call.tx.sessions.app(of: call.request.terminal), owner != call.app.id {
            throw Rejection(.forbidden, "The terminal belongs to another app.")
        }
        let known = try deviceID.flatMap {
            try call.tx.accounts.findAnonymous(
                deviceID: $0,
                app: call.app.id,
                region: call.environment.region
            )
        }
        let user =
            try known ?? newAnonymous(&call, countryCode: countryCode, deviceID: deviceID)
        return try begin(&call, user, terminal, isNew: known == nil)
    }

    private static func countryCode(_ fields: Fields) throws -> String {
        let digits = try fields.requiredText("countryCode", length: 1...3)
        guard digits.utf8.first != UInt8(ascii: "0"),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw Rejection.invalid(
                "params.countryCode",
                "params.countryCode must be 1 to 3 digits, such as 49."
            )
        }
        return digits
    }

    private static func checkRegion(_ fields: Fields, _ call: Call) throws {
        guard let region = try fields.text("region", length: 1...64),
            region != call.environment.region
        else { return }
        var rejection = Rejection(
            .regionNotServed,
            "This service does not serve the region \(region).",
            field: "params.region"
        )
        rejection.region = region
        throw rejection
    }

    private struct TerminalInfo {
        var platform: String
        var os: String
        var name: String
    }

    private static func terminalInfo(_ fields: Fields) throws -> TerminalInfo {
        TerminalInfo(
            platform: try fields.text("platform", length: 0...64) ?? "",
            os: try fields.text("os", length: 0...64) ?? "",
            name: try fields.text("name", length: 0...128) ?? ""
        )
    }

    private static func newAnonymous(
        _ call: inout Call,
        countryCode: String,
        deviceID: String?
    ) throws -> User {
        let subject = "anonymous:\(call.app.id.text)"
        if let retryAfter = try call.tx.attempts.retryAfter(
            subject,
            max: call.limits.anonymousPerHour,
            windowSeconds: anonymousWindowSeconds
        ) {
            throw Rejection(
                .tooManyRequests,
                "Too many new anonymous users of this app.",
                retryAfter: retryAfter
            )
        }
        try call.tx.attempts.add(subject, windowSeconds: anonymousWindowSeconds)
        let uid = UserID(trusted: call.ids.make("u", at: call.tx.now))
        let user = User(
            uid: uid,
            app: call.app.id,
            region: call.environment.region,
            countryCode: countryCode,
            nickname: "user-\(uid.text.suffix(6))",
            isAnonymous: true,
            createdAt: call.tx.now
        )
        try call.tx.accounts.insert(user, deviceID: deviceID)
        return user
    }

    /// Begins a session on the request's terminal, in the place of one that lives there.
    private static func begin(
        _ call: inout Call,
        _ user: User,
        _ terminal: TerminalInfo,
        isNew: Bool
    ) throws -> Reply {
        let actor = Actor(.user, user.uid.text, terminal: call.request.terminal)
        if let before = try call.tx.sessions.live(on: call.request.terminal) {
            try end(before, .replaced, actor: actor, &call)
        }
        let token = Sodium.randomSecret()
        let session = Session(
            id: SessionID(trusted: call.ids.make("s", at: call.tx.now)),
            uid: user.uid,
            app: call.app.id,
            terminal: call.request.terminal,
            platform: terminal.platform,
            os: terminal.os,
            name: terminal.name,
            loginTime: call.tx.now,
            expiresAt: call.tx.now.adding(seconds: call.limits.sessionSeconds)
        )
        try call.tx.sessions.begin(session, token: token)
        call.owed.publish(
            OutboundMessage(
                call.topics.user(user.uid, "session"),
                SessionCodec.told(
                    "terminalLoggedIn",
                    session,
                    reason: nil,
                    ts: call.tx.now,
                    actor: actor
                )
            )
        )
        try pushDevices(of: session, &call)
        return .result(
            [
                "user": .object(AccountCodec.encode(user)), "token": .string(token),
                "sessionId": .string(session.id.text),
                "expiresAt": .integer(session.expiresAt.milliseconds), "isNew": .bool(isNew),
            ],
            isSecret: true
        )
    }

    /// Tells a terminal that has just logged in which devices its user has.
    private static func pushDevices(of session: Session, _ call: inout Call) throws {
        let list = try DeviceMethods.list(
            of: session.uid,
            products: nil,
            offset: 0,
            limit: call.limits.pageDefault,
            call
        )
        call.owed.publish(
            OutboundMessage(
                call.topics.terminal(session.app, session.terminal, "devices"),
                list.encoded()
            )
        )
    }

    /// Ends a session and has the session worker carry that out.
    private static func end(
        _ session: Session,
        _ reason: Session.EndReason,
        actor: Actor,
        _ call: inout Call
    ) throws {
        var session = session
        try call.tx.sessions.end(&session, reason)
        let notice = SessionNotice(
            id: MessageID(trusted: call.ids.make("n", at: call.tx.now)),
            scope: .session(session.id),
            reason: reason,
            ts: call.tx.now,
            actor: actor
        )
        call.owed.publish(
            OutboundMessage(call.topics.system("session-invalid"), SessionCodec.encode(notice))
        )
    }

    // MARK: Being logged in

    @Sendable
    private static func whoami(_ call: inout Call) throws -> Reply {
        let session = try call.caller()
        guard let user = try call.tx.accounts.find(session.uid) else {
            throw Rejection(.invalidToken, "The account is gone.", field: "token")
        }
        return .result([
            "user": .object(AccountCodec.encode(user)),
            "session": .object(AccountCodec.encode(session)),
        ])
    }

    @Sendable
    private static func logout(_ call: inout Call) throws -> Reply {
        try end(call.caller(), .loggedOut, actor: call.actor(), &call)
        return .result([:])
    }
}
