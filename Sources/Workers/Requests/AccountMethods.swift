import Domain
import JSON
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
        let terminal = try TerminalInfo(fields)
        let known = try deviceID.flatMap {
            try call.tx.accounts.findAnonymous(
                deviceID: $0,
                app: call.app.id,
                region: call.environment.region
            )
        }
        let user =
            try known ?? newAnonymous(&call, countryCode: countryCode, deviceID: deviceID)
        return try SessionLife.begin(&call, user, terminal, isNew: known == nil)
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
        try SessionLife.end(call.caller(), .loggedOut, actor: call.actor(), &call)
        return .result([:])
    }
}
