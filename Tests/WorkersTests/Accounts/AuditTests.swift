import Domain
import JSON
import Storage
import Testing

@testable import Workers

/// A sequence of requests about one user's account, which together cause every audited event.
private final class AuditStory {
    let world: AccountWorld
    private(set) var secrets: [String] = ["lena@example.com", "lena2@example.com", "wrong one"]
    private(set) var uid = ""
    private(set) var erased = ""
    private static let email: JSONObject = ["email": "lena@example.com"]
    private static let second: JSONObject = ["email": "lena2@example.com"]

    init() throws {
        world = try AccountWorld(
            ["emailRegistration": "none"],
            providers: ["google": ["enabled": true, "clientIds": ["ours"]]]
        )
        world.pool.identify = { _, _ in
            .success(VerifiedIdentity(provider: .google, subject: "1"))
        }
    }

    /// Sends a request and expects an error with the given code, or success if `code` is nil.
    private func ask(_ terminal: Int, _ method: String, _ params: JSONObject, refused code: String? = nil) throws {
        let answer = try world.ask(terminal, method, params)
        #expect(answer.errorCode == code, "\(method)")
        secrets += world.tokens.values
        world.world.clock.advance(seconds: 61)
    }

    private func code(_ purpose: String, _ address: JSONObject) throws -> JSONObject {
        let code = try world.code(0, purpose, address)
        secrets.append(code)
        var params = address
        params["code"] = .string(code)
        return params
    }

    private func follow(_ template: OutgoingMessage.Template) async throws {
        let mail = try #require(try world.mails().last { $0.template == template })
        let token = mail.params["url"]?.split(separator: "/").last.map(String.init) ?? ""
        secrets.append(token)
        #expect(await LinkService(world.world.environment).follow(token).step == .done)
    }

    func tell() async throws {
        try begin()
        try bindAndLink()
        try await changeAddresses()
        try passwords()
        try leave()
        try goForEver()
    }

    private func begin() throws {
        try ask(0, "loginAnonymous", [:])
        uid = world.uids[0] ?? ""
        try ask(0, "convertAnonymous", ["username": "lena", "password": .string(AccountWorld.password)])
        try ask(1, "login", ["username": "lena", "password": "wrong one"], refused: "InvalidCredentials")
        try ask(0, "checkPassword", ["password": "wrong one"])
        try ask(0, "updateProfile", ["username": "lena-2"])
    }

    private func bindAndLink() throws {
        var bind = try code("bind", Self.email)
        let right = bind["code"]
        bind["code"] = .string(AccountWorld.wrong(right?.stringValue ?? ""))
        try ask(0, "bindEmail", bind, refused: "InvalidCode")
        bind["code"] = right
        try ask(0, "bindEmail", bind)
        let google: JSONObject = ["provider": "google", "credential": ["identityToken": "a.b.c"]]
        try ask(0, "linkProvider", google)
        try ask(0, "unlinkProvider", google)
        var register = Self.email
        register["password"] = "somebody else's"
        try ask(5, "register", register)
    }

    private func changeAddresses() async throws {
        try ask(0, "bindEmail", code("bind", Self.second))
        try await follow(.addressChanged)
        let again = try code("login", Self.email)
        try ask(0, "login", again)
        try ask(0, "updateProfile", ["email": "lena3@example.com"])
        try await follow(.verifyEmail)
    }

    private func passwords() throws {
        let password = JSONValue.string(AccountWorld.password)
        try ask(0, "changePassword", ["oldPassword": password, "newPassword": "a newer lamp"])
        var reset = try code("resetPassword", ["email": "lena3@example.com"])
        reset["newPassword"] = password
        try ask(2, "resetPassword", reset)
        try ask(0, "login", ["username": "lena-2", "password": password])
    }

    private func leave() throws {
        let code = try code("logoutTerminal", ["email": "lena3@example.com"])["code"]
        try ask(
            0,
            "session/logoutCode",
            [
                "userName": "lena3@example.com", "accountType": "email",
                "verifyType": "authCode", "authCode": code ?? .null,
            ]
        )
        let password = JSONValue.string(AccountWorld.password)
        try ask(0, "cancel", ["password": password])
        try ask(0, "loginAnonymous", [:])
        try ask(0, "login", ["username": "lena-2", "password": password, "adopt": true])
    }

    private func goForEver() throws {
        try ask(6, "loginAnonymous", [:])
        erased = world.uids[6] ?? ""
        try ask(6, "cancel", [:])
        world.world.clock.advance(seconds: 8 * 86_400)
        try world.world.runMaintenance()
    }

    func entries() throws -> [AuditEntry] { try world.world.read { try $0.audit.newest(limit: 1000) } }
}

@Suite("The audit trail")
struct AuditTests {
    /// The party whose action an audit entry records.
    enum Doer: Sendable {
        /// The user acted on a terminal.
        case user
        /// The user acted through a link, which can be opened on any device.
        case link
        /// An unknown caller acted on a terminal.
        case anybody(Int)
        /// The service itself acted.
        case service
    }

    /// The expected entries of the audit trail, one for each kind of entry about an account.
    static let lines: [(kind: AuditEntry.Kind, by: Doer, detail: String?)] = [
        (.registered, .user, "loginAnonymous"),
        (.converted, .user, "convertAnonymous"),
        (.adopted, .user, "0 devices"),
        (.loggedIn, .user, "loginAnonymous"),
        (.loginFailed, .anybody(1), "login"),
        (.codeSent, .user, "bind l•••@example.com"),
        (.codeFailed, .user, "bind l•••@example.com"),
        (.linkSent, .user, "undoAddress l•••@example.com"),
        (.passwordChanged, .user, nil),
        (.passwordReset, .anybody(2), nil),
        (.passwordFailed, .user, "checkPassword"),
        (.addressChanged, .user, "l•••@example.com"),
        (.addressVerified, .link, "link to l•••@example.com"),
        (.addressTaken, .anybody(5), nil),
        (.addressRestored, .link, "link to l•••@example.com"),
        (.usernameChanged, .user, nil),
        (.providerLinked, .user, "google"),
        (.providerUnlinked, .user, "google"),
        (.logoutCodeMade, .user, "params.authCode"),
        (.sessionEnded, .link, "terminated"),
        (.cancellationRequested, .user, nil),
        (.cancellationUndone, .user, nil),
        (.erased, .service, nil),
    ]

    @Test("The table has each kind of line about an account")
    func complete() {
        // An entry about an operator's action in the console is not an entry about an account.
        let ofAccounts = AuditEntry.Kind.allCases.filter { $0 != .operatorAct }

        #expect(Self.lines.map(\.kind) == ofAccounts)
    }

    @Test("Each kind of line states the account, the actor, the time and the terminal")
    func each() async throws {
        let story = try AuditStory()
        let began = story.world.world.clock.now
        try await story.tell()
        let entries = try story.entries()
        for line in Self.lines {
            let found = entries.filter { entry in
                entry.kind == line.kind && entry.detail == line.detail
                    && entry.uid?.text == (line.kind == .erased ? story.erased : story.uid)
            }
            #expect(
                found.contains { matches($0, line.by, story.uid) },
                "\(line.kind): \(entries.filter { $0.kind == line.kind })"
            )
            #expect(found.allSatisfy { $0.at >= began && $0.at <= story.world.world.clock.now })
        }
    }

    private func matches(_ entry: AuditEntry, _ doer: Doer, _ uid: String) -> Bool {
        switch doer {
        case .user: entry.actor == Actor(.user, uid, terminal: World.terminal(0)) && entry.terminal == World.terminal(0)
        case .link: entry.actor == Actor(.user, uid)
        case .anybody(let number):
            entry.terminal == World.terminal(number) && entry.actor.terminal == World.terminal(number)
        case .service: entry.actor == .system && entry.terminal == nil
        }
    }

    @Test("No line contains a password, a code, a token or an address")
    func secrets() async throws {
        let story = try AuditStory()
        try await story.tell()
        let text = try story.entries().map { "\($0)" }.joined(separator: "\n")
        for secret in story.secrets + [AccountWorld.password] where !secret.isEmpty { #expect(!text.contains(secret)) }
    }

    @Test("A line about an erased user states only the erasure, without terminal, actor or details")

    func erased() async throws {
        let story = try AuditStory()
        try await story.tell()
        let entries = try story.entries().filter { $0.uid?.text == story.erased }
        #expect(entries.contains { $0.kind == .erased })
        for entry in entries where entry.kind != .erased {
            #expect(entry.actor == .erased && entry.terminal == nil && entry.detail == nil)
        }
    }

    @Test("A stranger's tries on an account are not recorded as the user's")
    func strangers() throws {
        let world = try AccountWorld()
        let email: JSONObject = ["email": "lena@example.com"]
        try world.register(0, email)
        world.world.clock.advance(seconds: 61)
        _ = try world.login(1, email, password: "wrong one")
        _ = try world.code(1, "login", email)
        try world.ask(1, "login", ["email": "lena@example.com", "code": "x00000"])
        try world.ask(1, "requestPasswordReset", email)
        let kinds: [AuditEntry.Kind] = [.loginFailed, .codeSent, .codeFailed, .linkSent]
        let entries = try world.world.read { try $0.audit.newest(limit: 100) }
            .filter { $0.terminal == World.terminal(1) }
        #expect(entries.map(\.kind).reversed() == kinds)
        #expect(entries.allSatisfy { $0.actor.kind == .system && $0.uid?.text == world.uids[0] })
    }
}
