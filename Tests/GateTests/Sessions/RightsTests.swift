import Credentials
import Testing

@testable import Gate

@Suite("Rights of each principal")
struct RightsTests {
    /// An action within a client's rights or just beyond them.
    struct Case: CustomTestStringConvertible, Sendable {
        var who: Principal
        var topic: String
        var publish = false
        var subscribe = false
        var receive = false
        var testDescription: String { "\(who) \(topic)" }
    }

    static let product = Principal.product(key: World.key, mac: World.mac)
    static let device = Principal.device(did: World.did)
    static let terminal = Principal.terminal(terminalId: World.terminal, appId: "demo")
    static let ownDevice = "ll/v1/device/\(World.did)"
    static let ownApp = "ll/v1/app/demo/\(World.terminal)"
    static let ownProduct = "ll/v1/product/\(World.key)/\(World.mac)"

    static let cases: [Case] = [
        Case(who: product, topic: "\(ownProduct)/register", publish: true),
        Case(who: product, topic: "\(ownProduct)/registered", subscribe: true, receive: true),
        Case(who: product, topic: "\(ownProduct)/#"),
        Case(who: product, topic: "ll/v1/product/\(World.key)/000000000000/register"),
        Case(who: device, topic: "\(ownDevice)/report", publish: true),
        Case(who: device, topic: "\(ownDevice)/info", publish: true),
        Case(who: device, topic: "\(ownDevice)/presence", publish: true),
        Case(who: device, topic: "\(ownDevice)/command", subscribe: true, receive: true),
        Case(who: device, topic: "\(ownDevice)/response", subscribe: true, receive: true),
        Case(who: device, topic: "\(ownDevice)/#"),
        Case(who: device, topic: "\(ownDevice)/+"),
        Case(who: device, topic: "\(ownDevice)/report/x"),
        Case(who: device, topic: "ll/v1/device/\(World.otherDid)/report"),
        Case(who: device, topic: "ll/v1/device/+/command"),
        Case(who: device, topic: "$share/g/\(ownDevice)/command"),
        Case(who: device, topic: "#"),
        Case(who: device, topic: "$SYS/#"),
        Case(
            who: terminal,
            topic: "\(ownApp)/request/account/login",
            publish: true,
            subscribe: true
        ),
        Case(who: terminal, topic: "\(ownApp)/response", subscribe: true, receive: true),
        Case(who: terminal, topic: "\(ownApp)/#", subscribe: true),
        Case(who: terminal, topic: "\(ownApp)/+", subscribe: true),
        Case(who: terminal, topic: "ll/v1/app/demo/+/response"),
        Case(who: terminal, topic: "ll/v1/app/demo/\(World.otherTerminal)/request/a/b"),
        Case(who: terminal, topic: "ll/v1/user/\(World.uid)/#"), Case(who: terminal, topic: "$share/g/\(ownApp)/#"),
        Case(who: .service(name: "sms"), topic: "ll/v1/system/outbound/sms", subscribe: true, receive: true),
        Case(
            who: .service(name: "sms"),
            topic: "ll/v1/system/outbound/result",
            publish: true,
            subscribe: true,
            receive: true
        ),
        Case(
            who: .service(name: "sms"),
            topic: "$share/g/ll/v1/system/outbound/#",
            subscribe: true
        ),
        Case(who: .service(name: "sms"), topic: "$share/g+/ll/v1/system/outbound/#"),
        Case(who: .service(name: "clock"), topic: "ll/v1/system/trigger/s1", publish: true),
        Case(who: .service(name: "clock"), topic: "ll/v1/system/trigger/s1/x"),
        Case(who: .service(name: "login"), topic: "ll/v1/system/session-invalid", publish: true),
        Case(who: .service(name: "lamplighter"), topic: "ll/v1/#", subscribe: true, receive: true),
        Case(who: .service(name: "tools"), topic: "ll/v1/#", subscribe: true, receive: true),
        Case(who: .service(name: "console"), topic: "ll/v1/#", subscribe: true, receive: true),
        Case(
            who: .service(name: "console"),
            topic: "ll/v1/device/d-1/report",
            subscribe: true,
            receive: true
        ),
        Case(who: .service(name: "console"), topic: "$share/g/ll/v1/#"),
        Case(who: .service(name: "console"), topic: "$SYS/#"),
        Case(who: .service(name: "console"), topic: "$CONTROL/lamplighter/v1"),
        Case(who: .service(name: "tools"), topic: "$SYS/#", subscribe: true, receive: true),
        Case(who: .service(name: "tools"), topic: "#"),
        Case(
            who: .service(name: "tools"),
            topic: "$CONTROL/lamplighter/v1",
            publish: true,
            subscribe: true,
            receive: true
        ),
        Case(who: .service(name: "tools"), topic: "$CONTROL/dynamic-security/v1"),
        Case(who: .service(name: "gone"), topic: "ll/v1/system/trigger/s1"),
    ]

    @Test("The rights match the contract's table", arguments: cases)
    func table(row: Case) {
        let rights = World.rights(row.who)

        let isFilter = row.topic.contains { $0 == "+" || $0 == "#" }
        #expect(rights.mayPublish(row.topic) == row.publish)
        #expect(rights.maySubscribe(row.topic) == row.subscribe)
        if !isFilter { #expect(rights.mayReceive(row.topic) == row.receive) }
    }

    @Test("Only workers have retained messages and wills, and no will has a $ topic") func retained() {
        let device = World.rights(Self.device)
        let worker = World.rights(.service(name: "tools"))

        #expect(!device.mayPublish("\(Self.ownDevice)/report", retained: true))
        #expect(!device.mayWill("\(Self.ownDevice)/presence", retained: true))
        #expect(device.mayWill("\(Self.ownDevice)/presence"))
        #expect(!device.mayWill("\(Self.ownDevice)/command"))
        #expect(worker.mayPublish("ll/v1/system/worker/status", retained: true))
        let gateway = World.rights(.service(name: "sms"))
        #expect(!gateway.mayPublish("ll/v1/system/outbound/result", retained: true))
        #expect(!gateway.mayWill("ll/v1/system/outbound/result", retained: true))
        #expect(worker.mayWill("ll/v1/system/worker/status", retained: true))
        #expect(!worker.mayWill("$CONTROL/lamplighter/v1"))
        #expect(!worker.mayWill("$SYS/broker/connection/a/state"))
    }

    @Test("A user's topics are open only while the session lives")
    func session() {
        let rights = World.rights(Self.terminal, session: World.session())
        let space = "ll/v1/user/\(World.uid)"

        #expect(rights.maySubscribe("\(space)/#"))
        #expect(rights.maySubscribe("\(space)/device/+/status"))
        #expect(rights.mayReceive("\(space)/device"))
        #expect(!rights.mayPublish("\(space)/device"))
        #expect(!rights.maySubscribe("\(space)/#", now: World.now + 1))
        #expect(!rights.mayReceive("\(space)/device", now: World.now + 1))
        #expect(!rights.mayReceive("ll/v1/user/u-other/device"))
        #expect(!rights.maySubscribe("ll/v1/user/+/device"))
    }

    @Test("A revoked session opens nothing, even while its record exists")
    func revoked() {
        var admission = World.admission
        admission.revoked.insert("s-1")

        let rights = admission.rights(
            of: Self.terminal,
            secret: nil,
            by: World.tables(session: World.session()),
            now: World.now
        )

        #expect(rights?.maySubscribe("ll/v1/user/\(World.uid)/#") == false)
        #expect(rights?.maySubscribe("\(Self.ownApp)/#") == true)
    }

    @Test("A principal that was removed or has a new secret has no rights")
    func removed() {
        let admission = World.admission
        let removed = World.tables(adding: [.removed(.device, key: World.did)])
        let rotated = World.tables(adding: [.device(did: World.did, secret: World.token)])
        let moved = World.tables(
            adding: [.terminal(terminalId: World.terminal, appId: "other", session: nil)])

        func rights(_ principal: Principal, _ tables: CredentialTables) -> Rights? {
            admission.rights(of: principal, secret: World.device, by: tables, now: World.now)
        }
        #expect(rights(Self.device, World.tables()) != nil)
        #expect(rights(Self.device, removed) == nil)
        #expect(rights(Self.device, rotated) == nil)
        #expect(rights(Self.terminal, moved) == nil)
    }

    @Test("Only the newest revoked sessions are remembered")
    func bounded() {
        var revoked = SessionMarks(limit: 3)
        for number in 1...5 { revoked.insert("s-\(number)") }

        #expect((1...5).map { revoked.contains("s-\($0)") } == [false, false, true, true, true])
    }
}
