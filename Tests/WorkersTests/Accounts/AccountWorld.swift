import Domain
import JSON
import Storage

@testable import Workers

/// Two apps with the given policies, their terminals, and the messages that users receive.
final class AccountWorld {
    let world: World
    let pool = FakePool()
    private var lastID = 0
    /// The token of each logged-in terminal.
    private(set) var tokens: [Int: String] = [:]
    private(set) var uids: [Int: String] = [:]
    /// The address that requests come from, or nil if it doesn't matter to the test.
    var source: String?

    static let password = "lamp over water"

    init(_ policies: JSONObject = [:], providers: JSONObject = [:]) throws {
        world = try World()
        world.environment.pool = pool
        var all: JSONObject = ["phoneRegistration": true, "uidLogin": true]
        for member in policies.members { all[member.key] = member.value }
        try importApp("demo", all, providers)
        try importApp("other", all, providers)
    }

    private func importApp(
        _ id: String,
        _ policies: JSONObject,
        _ providers: JSONObject
    ) throws {
        let document: JSONObject = [
            "appId": .string(id), "name": "Demo", "policies": .object(policies), "providers": .object(providers),
        ]
        try world.write { (tx) throws in
            try tx.apps.save(try AppCodec.decode(document), document: document, secret: "app-secret-of-\(id)")
        }
    }

    // MARK: Requests

    /// Sends a request without waiting for the answer, which `answers` returns later.
    func send(
        _ terminal: Int,
        _ method: String,
        _ params: JSONObject,
        token: String? = nil,
        app: String = "demo",
        id: String? = nil
    ) {
        lastID += 1
        var request: JSONObject = [
            "id": .string(id ?? "q\(lastID)"), "params": .object(params),
        ]
        request["token"] = (token ?? tokens[terminal]).map { .string($0) }
        let path = method.contains("/") ? method : "account/\(method)"
        let topic = "ll/v1/app/\(app)/\(World.terminal(terminal).text)/request/\(path)"
        world.broker.send(topic, request.encoded(), source: source)
    }

    /// Runs the account worker, and returns its answers to all terminals or to one.
    func answers(_ terminal: Int? = nil, app: String = "demo") throws -> [JSONObject] {
        world.broker.forgetPublished()
        try world.runAccount()
        guard let terminal else { return world.broker.published(ending: "/response") }
        return world.broker.published(to: "ll/v1/app/\(app)/\(World.terminal(terminal).text)/response")
    }

    /// Sends a request, runs the account worker, and returns the answer.
    @discardableResult
    func ask(
        _ terminal: Int,
        _ method: String,
        _ params: JSONObject = [:],
        token: String? = nil,
        app: String = "demo",
        id: String? = nil
    ) throws -> JSONObject {
        var params = params
        if params["countryCode"] == nil { params["countryCode"] = "49" }
        send(terminal, method, params, token: token, app: app, id: id)
        let answer = try answers(terminal, app: app).last ?? [:]
        if let result = answer["result"]?.objectValue, let token = result["token"]?.stringValue {
            tokens[terminal] = token
            uids[terminal] = result["user"]?.objectValue?["uid"]?.stringValue
        }
        return answer
    }

    /// Returns a terminal's user as the JSON object that users receive for their own account.
    func user(_ terminal: Int) throws -> JSONObject {
        try ask(terminal, "whoami")["result"]?.objectValue?["user"]?.objectValue ?? [:]
    }

    // MARK: Sent messages

    /// Removes the new messages, and returns all of them except dummies (messages that are never sent).
    func mails() throws -> [OutgoingMessage] {
        try world.write { tx in
            let due =
                try tx.outgoingMessages.claim(.email, leaseSeconds: 0, limit: 1000)
                + tx.outgoingMessages.claim(.sms, leaseSeconds: 0, limit: 1000)
            for row in due { _ = try tx.outgoingMessages.delete(row.message.id) }
            return due.map(\.message).filter { !$0.isDummy }
        }
    }

    /// Requests a code and returns it, or an empty string if no message was sent.
    func code(_ terminal: Int, _ purpose: String, _ address: JSONObject) throws -> String {
        var params = address
        params["purpose"] = .string(purpose)
        try ask(terminal, "sendCode", params)
        return try mails().last { $0.template == .code }?.params["code"] ?? ""
    }

    // MARK: Users

    /// Registers a user on a terminal by name, e-mail address or phone number.
    @discardableResult
    func register(
        _ terminal: Int,
        _ name: JSONObject,
        password: String = password
    ) throws
        -> JSONObject
    {
        var params = name
        params["password"] = .string(password)
        if name["username"] == nil { params["code"] = .string(try code(terminal, "register", name)) }
        return try ask(terminal, "register", params)
    }

    func login(
        _ terminal: Int,
        _ name: JSONObject,
        password: String = password
    ) throws
        -> JSONObject
    {
        var params = name
        params["password"] = .string(password)
        return try ask(terminal, "login", params)
    }

    /// Returns a code that differs from the given one.
    static func wrong(_ code: String) -> String { code == "000000" ? "111111" : "000000" }
}

extension JSONObject {
    /// The `result` of an answer, or an empty object for a refusal.
    var result: JSONObject { self["result"]?.objectValue ?? [:] }
    /// The user in an answer's `result`, or an empty object if there is no user.
    var user: JSONObject { result["user"]?.objectValue ?? [:] }
    var retryAfter: Int64? { self["error"]?.objectValue?["retryAfter"]?.intValue }
}
