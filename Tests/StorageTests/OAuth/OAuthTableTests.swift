import Credentials
import Domain
import Sodium
import Testing

@testable import Storage

@Suite("OAuth clients and tokens of linked services")
struct OAuthTableTests {
    private let client = OAuthClient(
        id: ClientID(trusted: "o-1"),
        app: Make.app,
        name: "Voice",
        redirects: ["https://voice.example/a", "https://voice.example/b"],
        scopes: ["device:read", "home"].compactMap { KeyScope($0) },
        secretHash: Sodium.sha256("secret".utf8)
    )

    private func session(_ number: Int = 1) -> Domain.Session {
        Domain.Session(
            id: SessionID(trusted: "s-\(number)"),
            uid: Make.uid,
            app: Make.app,
            terminal: TerminalID(trusted: String(repeating: "\(number)", count: 32)),
            platform: "oauth",
            os: "",
            name: "Voice",
            loginTime: Make.now,
            expiresAt: Make.at(100)
        )
    }

    private func request() throws -> AuthorizationRequest {
        let pairs = [("client_id", "o-1"), ("redirect_uri", client.redirects[0]), ("response_type", "code")]
        return try AuthorizationRequest(OAuthParameters(pairs.map { (name: $0.0, value: $0.1) }), of: client)
    }

    /// Returns a world with the client and a linked session.
    private func world() throws -> World {
        let world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.accounts.insert(
                User(
                    uid: Make.uid,
                    app: Make.app,
                    region: "r",
                    countryCode: "49",
                    nickname: "n",
                    isAnonymous: true,
                    createdAt: Make.now
                ),
                deviceID: nil
            )
            try tx.oauth.add(client)
            try tx.lock(users: [Make.uid])
            try tx.sessions.begin(session(), token: "token")
            try tx.oauth.link(session(), to: try request())
        }
        return world
    }

    private func gate(_ world: World) throws -> Credentials.Session? {
        try GateFile(world).tables.terminals[session().terminal.text]?.session
    }

    @Test("A linked session has its client's scopes, and the login's token no longer works")
    func link() throws {
        let world = try world()
        try world.store.read(at: Make.now) { (tx) throws in
            #expect(try tx.oauth.client(client.id) == client)
            #expect(try tx.oauth.clients(of: Make.app) == [client])
            #expect(try tx.oauth.sessions(of: client.id, limit: 9).map(\.id) == [session().id])
            let linked = try #require(try tx.sessions.find(session().id))
            #expect(linked.client == client.id && linked.scopes == client.scopes && linked.isUsed)
            #expect(linked.expiresAt == Make.now.adding(seconds: OAuthToken.codeSeconds))
            #expect(try tx.sessions.find(token: "token") == nil)
            #expect(try tx.oauth.gateDigest(of: linked.id).flatMap { Digest($0) } == gate(world)?.token)
        }
    }

    @Test("A code is found only with the values to which it is bound")
    func code() throws {
        let world = try world()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.lock(users: [Make.uid])
            let code = try tx.oauth.make(.code, of: session(), boundTo: " here")
            #expect(try tx.oauth.find(code) == nil && tx.oauth.find(code, boundTo: " there") == nil)
            #expect(try tx.oauth.find(code, boundTo: " here")?.kind == .code)
            try tx.oauth.retire(of: session().id, except: nil)
            #expect(try tx.oauth.find(code, boundTo: " here")?.usedAt == Make.now)
        }
    }

    @Test("An access token finds the session for an hour, and the eleventh token replaces the oldest")
    func access() throws {
        let world = try world()
        var tokens: [String] = []
        for second: Int64 in 0...10 {
            try world.store.arrange(at: Make.at(second)) { tx in
                try tx.lock(users: [Make.uid])
                tokens.append(try tx.oauth.make(.access, of: session()))
            }
        }
        func works(_ token: String, at second: Int64) throws -> Bool {
            try world.store.read(at: Make.at(second)) { try $0.sessions.find(token: token) != nil }
        }
        #expect(try !works(tokens[0], at: 10) && works(tokens[1], at: 10) && works(tokens[10], at: 3609))
        #expect(try !works(tokens[10], at: 3610))
    }

    @Test("The end of a link deletes its tokens, and the gate never accepts the app's secret on its terminal")
    func end() throws {
        let world = try world()
        var (token, session) = ("", session())
        try world.store.arrange(at: Make.now) { tx in
            try tx.lock(users: [Make.uid])
            token = try tx.oauth.make(.access, of: session)
            session = try #require(try tx.sessions.find(session.id))
        }
        try world.store.arrange(at: Make.now) { tx in
            try tx.lock(users: [Make.uid])
            try tx.sessions.end(&session, .terminated)
        }
        try world.store.read(at: Make.now) { (tx) throws in
            #expect(try tx.oauth.find(token) == nil && tx.sessions.find(token: token) == nil)
            #expect(try tx.oauth.sessions(of: client.id, limit: 9).isEmpty)
        }
        let seen = try gate(world)
        #expect(seen?.expiresAt == 0 && seen?.isKey == true)
        try world.store.rebuildCredentials()
        #expect(try gate(world) == seen)
    }

    @Test("The use of the newest refresh token ends the others")
    func refresh() throws {
        let world = try world()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.lock(users: [Make.uid])
            let old = try tx.oauth.make(.refresh, of: session())
            let new = try tx.oauth.make(.refresh, of: session())
            try tx.oauth.retire(of: session().id, except: try tx.oauth.find(new))
            #expect(try tx.oauth.find(old)?.usedAt == Make.now && tx.oauth.find(new)?.usedAt == nil)
        }
    }
}
