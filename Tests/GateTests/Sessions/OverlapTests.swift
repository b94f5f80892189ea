import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("Refreshed tokens")
struct OverlapTests {
    private static let terminal = Principal.terminal(terminalId: World.terminal, appId: "demo")

    private func attempt(_ password: Digest) -> Admission.Attempt {
        Admission.Attempt(username: "app:demo", password: password, clientId: World.terminal)
    }

    private func session(old: OldToken?) -> Session {
        Session(sessionId: "s-1", uid: World.uid, token: World.token, expiresAt: World.now + 1_000, old: old)
    }

    /// A second, simpler implementation of the rules for the tokens of one terminal.
    private struct Reference {
        var newest = 0
        var old: Int?
        var oldUntil: Int64 = 0
        var isOver = false

        mutating func mayConnect(_ token: Int, at now: Int64) -> Bool {
            guard !isOver else { return false }
            if token == newest {
                old = nil
                return true
            }
            return token == old && now < oldUntil
        }

        mutating func refresh(at now: Int64) {
            (old, oldUntil) = (newest, now + 60)
            newest += 1
        }
    }

    @Test(
        "The gate agrees with its model in any order of refreshes and uses",
        arguments: 0..<20
    )
    func model(seed: Int) throws {
        var random = Seed(seed)
        for _ in 0..<50 {
            var admission = World.admission
            var reference = Reference()
            var now = World.now
            var tables = World.tables()
            func write() {
                let old = reference.old.map {
                    OldToken(token: World.secret(UInt8(100 + $0)), until: reference.oldUntil)
                }
                var session = session(old: old)
                session.token = World.secret(UInt8(100 + reference.newest))
                session.expiresAt = .max
                tables.apply(
                    .terminal(terminalId: World.terminal, appId: "demo", session: reference.isOver ? nil : session)
                )
            }
            write()
            for _ in 0..<30 {
                now += Int64(random.below(30))
                switch random.below(12) {
                case 0, 1:
                    reference.refresh(at: now)
                    write()
                case 2:
                    // After the first use of a token, the service writes the record once more.
                    write()
                case 3 where random.below(6) == 0:
                    reference.isOver = true
                    write()
                default:
                    let token = max(0, reference.newest - random.below(3))
                    let pass = try? admission.admit(attempt(World.secret(UInt8(100 + token))), by: tables, now: now)
                    if let rotated = pass?.begun, let old = rotated.old {
                        admission.spent.insert(old, of: rotated.sessionId, now: now)
                    }
                    #expect((pass != nil) == reference.mayConnect(token, at: now))
                }
            }
        }
    }

    @Test("The app's secret is refused while a session is live, with or without an overlap of tokens")

    func secret() throws {
        let old = OldToken(token: World.secret(9), until: World.now + 60)
        for old in [nil, old] {
            #expect(throws: RefusalReason.sessionTokenRequired) {
                try World.admission.admit(
                    attempt(World.app),
                    by: World.tables(session: session(old: old)),
                    now: World.now
                )
            }
        }
    }

    @Test("The number of used tokens is limited")
    func bounded() {
        var spent = SpentTokens(limit: 3)
        let token = World.secret(9)
        for number in 0..<10 {
            let old = OldToken(token: token, until: Int64(number))
            spent.insert(old, of: "s-\(number)", now: 100)
            #expect(spent.contains(old, of: "s-\(number)"))
            #expect(!spent.contains(OldToken(token: token, until: -1), of: "s-\(number)"))
        }
        #expect(!spent.contains(OldToken(token: token, until: 0), of: "s-0"))
    }
}

@Suite("Refreshed and replaced sessions in Mosquitto", .endsInTime)
struct OverlapBrokerTests {
    @Test("The old token connects until the new one has connected, and the service is informed once")
    func overlap() throws {
        let until = Clock.now() + 60_000
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-2", old: ("token s-1", until))])
        let worker = try MiniClient(broker.port, Cast.worker())
        _ = try worker.subscribe("ll/v1/system/token-used")
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-1")).code == 0)
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-1")).code == 0)
        #expect(try worker.receive(within: 0.2) == nil)

        #expect(try MiniClient(broker.port, Cast.app(password: "token s-2")).code == 0)
        let told = try #require(try worker.receive())
        #expect(told.topic == "ll/v1/system/token-used")
        #expect(told.payload.contains(#""sessionId":"s-2","until":\#(until)"#))

        #expect(try MiniClient(broker.port, Cast.app(password: "token s-1")).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-2")).code == 0)
        #expect(try worker.receive(within: 0.2) == nil)
    }

    @Test("An old token expires without a message")
    func runsOut() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-2", old: ("token s-1", Clock.now() - 1))]
        )
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-1")).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-2")).code == 0)
    }

    @Test("After another user logs in, no message for the previous user arrives, even at once")

    func replacedUser() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        for round in 0..<20 {
            let user = round % 2 == 0 ? World.uid : "u-another"
            try broker.append(Cast.terminal(session: "s-1", of: user))
            let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
            #expect(try app.subscribe("ll/v1/user/\(user)/#") == 1)
            _ = try app.subscribe("\(Cast.ownApp)/#")
            _ = try worker.publish("ll/v1/user/\(user)/device", "before")
            #expect(try app.receive()?.payload == "before")

            let next = round % 2 == 0 ? "u-another" : World.uid
            try broker.append(Cast.terminal(session: "s-1", of: next))
            _ = try worker.publish("ll/v1/user/\(user)/device", "after")
            _ = try worker.publish("\(Cast.ownApp)/response", "end")

            #expect(try app.receive()?.payload == "end")
        }
    }

    @Test("Looking up the file has almost no cost for deliveries")
    func cost() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let watch = CredentialsWatch(path: broker.credentials)
        _ = watch.look()
        let clock = ContinuousClock()
        let took = clock.measure { for _ in 0..<20_000 { _ = watch.isBehind } }
        // The service delivers fewer than 20,000 messages per second to users. The checks for 20,000 messages must take
        // less than 0.4 s.
        #expect(took < .milliseconds(400), "\(took) for 20,000 looks")
    }
}
