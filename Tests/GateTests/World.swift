import Credentials

@testable import Gate

/// The principals that all tests of the gate's rules share.
enum World {
    static let root = "ll/v1"
    static let key = String(repeating: "0f", count: 16)
    static let mac = "a1b2c3d4e5f6"
    static let did = "d-abcdefghijk4f"
    static let otherDid = "d-zyxwvutsrqp00"
    static let terminal = String(repeating: "ab", count: 16)
    static let otherTerminal = String(repeating: "cd", count: 16)
    static let uid = "u-abcdefghijklm"
    static let now: Int64 = 1_000_000

    static let product = secret(1)
    static let device = secret(2)
    static let app = secret(3)
    static let token = secret(4)
    static let service = secret(5)
    static let worker = secret(6)

    static func secret(_ seed: UInt8) -> Digest { Digest([UInt8](repeating: seed, count: 32)) ?? worker }

    static func session(
        until end: Int64 = now + 1,
        _ id: String = "s-1",
        isUsed: Bool = true
    ) -> Session {
        Session(sessionId: id, uid: uid, token: token, expiresAt: end, isUsed: isUsed)
    }

    /// Returns the session that represents an API key in the gate.
    static func apiKey(until end: Int64 = now + 1) -> Session {
        Session(sessionId: "k-1", uid: "k-1", token: token, expiresAt: end)
    }

    static func tables(session: Session? = nil, adding records: [Record] = []) -> CredentialTables {
        var tables = CredentialTables()
        let all: [Record] = [
            .product(key: key, secret: product), .device(did: did, secret: device), .app(appId: "demo", secret: app),
            .app(appId: "other", secret: app), .terminal(terminalId: terminal, appId: "demo", session: session),
            .service(name: "sms", secret: service, role: .gateway),
            .service(name: "clock", secret: service, role: .scheduler),
            .service(name: "console", secret: service, role: .console),
            .service(name: "login", secret: service, role: .identity),
            .service(name: "tools", secret: service, role: .worker),
            .service(
                name: "own",
                secret: service,
                role: .custom(publish: ["ll/v1/+/x/#"], subscribe: ["+/v1/device/#", "#"])
            ),
        ]
        for record in all + records { tables.apply(record) }
        return tables
    }

    static var admission: Admission { Admission(root: root, worker: worker, revoked: SessionMarks()) }

    static func rights(_ principal: Principal, session: Session? = nil) -> Rights {
        admission.rights(of: principal, secret: nil, by: tables(session: session), now: now) ?? .none
    }
}

extension Rights {
    func mayPublish(_ topic: String, retained: Bool = false) -> Bool {
        bytes(topic) { refusalToPublish($0, retained: retained) } == nil
    }

    func mayWill(_ topic: String, retained: Bool = false) -> Bool {
        bytes(topic) { refusalOfWill($0, retained: retained) } == nil
    }

    func maySubscribe(_ filter: String, now: Int64 = World.now) -> Bool {
        bytes(filter) { refusalToSubscribe($0, now: now) } == nil
    }

    func mayReceive(_ topic: String, now: Int64 = World.now) -> Bool {
        bytes(topic) { refusalToReceive($0, now: now) } == nil
    }

    private func bytes<R>(_ text: String, _ body: (Bytes) -> R) -> R { Array(text.utf8).withUnsafeBufferPointer(body) }
}
