import Credentials
import Testing

@testable import Gate

@Suite("Links to users' Home Assistants")
struct LinkTests {
    static let sessionId = Session.linkPrefix + World.terminal
    static let link = Principal.link(sessionId: sessionId)
    static let space = "ll/v1/ha/\(sessionId)"
    static let device = "ll/v1/user/\(World.uid)/device/d-1"
    static let clientId = "0aZ0aZ0aZ0aZ0aZ0aZ0aZ0"

    private func session(until end: Int64 = World.now + 1, isUsed: Bool = true) -> Session {
        World.session(until: end, Self.sessionId, isUsed: isUsed)
    }

    private func admit(
        _ username: String,
        _ password: Digest,
        _ clientId: String,
        session: Session?,
        admission: Admission = World.admission
    ) throws(RefusalReason) -> Admission.Pass {
        let attempt = Admission.Attempt(username: username, password: password, clientId: clientId)
        return try admission.admit(attempt, by: World.tables(session: session), now: World.now)
    }

    @Test("A link connects with its password and any client id in the specified form") func admitted() throws {
        let pass = try admit("ha:\(Self.sessionId)", World.token, Self.clientId, session: session(isUsed: false))
        #expect(pass.principal == Self.link && pass.session == Self.sessionId)
        #expect(pass.begun?.sessionId == Self.sessionId && !pass.isSecretShared)
        #expect(Tally.key(of: pass, clientId: Self.clientId, source: nil) == Self.sessionId)
        #expect(pass.principal.terminalId == World.terminal)
    }

    @Test(
        "Client ids in other forms are refused",
        arguments: ["", "0aZ0aZ0aZ0aZ0aZ0aZ0aZ", "0aZ0aZ0aZ0aZ0aZ0aZ0aZ00", "0aZ0aZ0aZ0aZ0aZ0aZ0a-0", World.terminal]
    )
    func clientIds(_ id: String) {
        #expect(throws: RefusalReason.badClientId) {
            try admit("ha:\(Self.sessionId)", World.token, id, session: session())
        }
    }

    @Test("Another secret, another session and an ended link are refused") func refused() {
        let name = "ha:\(Self.sessionId)"
        #expect(throws: RefusalReason.badSecret) { try admit(name, World.app, Self.clientId, session: session()) }
        #expect(throws: RefusalReason.unknownPrincipal) {
            try admit(name, World.token, Self.clientId, session: session(until: World.now))
        }
        #expect(throws: RefusalReason.unknownPrincipal) { try admit(name, World.token, Self.clientId, session: nil) }
        let ordinary = World.session(until: World.now + 1, "s-1")
        #expect(throws: RefusalReason.unknownPrincipal) {
            try admit(name, World.token, Self.clientId, session: ordinary)
        }
        #expect(throws: RefusalReason.unknownPrincipal) {
            try admit("ha:s-1", World.token, Self.clientId, session: ordinary)
        }
        var revoking = World.admission
        revoking.revoked.insert(Self.sessionId)
        #expect(throws: RefusalReason.unknownPrincipal) {
            try admit(name, World.token, Self.clientId, session: session(), admission: revoking)
        }
    }

    @Test("A link's terminal can't be used to connect", arguments: [World.token, World.app]) func terminal(
        _ secret: Digest
    ) {
        #expect(throws: RefusalReason.badSecret) {
            try admit("app:demo", secret, World.terminal, session: session(isUsed: false))
        }
    }

    /// What a link may do with a topic or a filter.
    struct Case: CustomTestStringConvertible, Sendable {
        var topic: String
        var publish = false
        var subscribe = false
        var receive = false
        var testDescription: String { topic }
    }

    static let cases = [
        Case(topic: "\(space)/d-1/set", publish: true),
        Case(topic: "\(space)/d-1/problem", subscribe: true, receive: true),
        Case(topic: "homeassistant/status", publish: true, subscribe: true),
        Case(topic: "homeassistant/device/\(sessionId)/d-1/config", subscribe: true, receive: true),
        Case(topic: "homeassistant/device/l-other/d-1/config", subscribe: true),
        Case(topic: "homeassistant/device/+/+/config", subscribe: true),
        Case(topic: "homeassistant/#", subscribe: true),
        Case(topic: "homeassistant", subscribe: true), Case(topic: "homeassistants/#"), Case(topic: "+/device/#"),
        Case(topic: "\(device)/status", subscribe: true, receive: true),
        Case(topic: "ll/v1/user/\(World.uid)/device/+/status", subscribe: true),
        Case(topic: "\(device)/event", subscribe: true, receive: true), Case(topic: "\(device)/binary"),
        Case(topic: "ll/v1/user/\(World.uid)/session"), Case(topic: "ll/v1/user/\(World.uid)/#"),
        Case(topic: "ll/v1/user/u-other/device/d-1/status"), Case(topic: "ll/v1/ha/l-other/d-1/set"),
        Case(topic: "ll/v1/system/worker/control", subscribe: true, receive: true),
        Case(topic: "ll/v1/system/worker/status"),
        Case(topic: "ll/v1/app/demo/\(World.terminal)/request/device/list"), Case(topic: "#"), Case(topic: "$SYS/#"),
        Case(topic: "$share/g/homeassistant/#"),
    ]

    @Test("A link has exactly these rights", arguments: cases) func rights(_ row: Case) {
        let rights = World.rights(Self.link, session: session())
        #expect(rights.mayPublish(row.topic) == row.publish)
        #expect(rights.maySubscribe(row.topic) == row.subscribe)
        #expect(!rights.mayPublish(row.topic, retained: true))
        if !row.topic.contains("#"), !row.topic.contains("+") { #expect(rights.mayReceive(row.topic) == row.receive) }
    }

    @Test("Messages that aren't delivered to a link are not reported") func silence() {
        let rights = World.rights(Self.link, session: session())
        for topic in ["homeassistant/device/l-other/d-1/config", "tasmota/discovery/x"] {
            Array(topic.utf8).withUnsafeBufferPointer { topic in
                #expect(rights.refusalToReceive(topic, now: World.now) == .ownRequest)
            }
        }
    }

    @Test("Discovery filters can have Home Assistant's depth, and no more") func shapes() {
        let rights = World.rights(Self.link, session: session())
        func refusal(_ filter: String) -> RefusalReason? {
            Array(filter.utf8).withUnsafeBufferPointer { rights.refusalOfShape($0, rootLevels: 2, levels: 8) }
        }
        #expect(refusal("homeassistant/device/+/+/config") == nil)
        #expect(refusal("homeassistant/a/b/c/d/e") == .filterNotAllowed)
        #expect(refusal("homeassistant/" + String(repeating: "a", count: 300)) == .filterNotAllowed)
    }
}
