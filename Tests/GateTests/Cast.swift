import Credentials

@testable import Gate

/// Records of clients whose secrets the tests know, and the CONNECT packets of these clients.
enum Cast {
    static let ownDevice = "ll/v1/device/\(World.did)"
    static let ownApp = "ll/v1/app/demo/\(World.terminal)"
    static let ownUser = "ll/v1/user/\(World.uid)"

    static func records() throws -> [Record] {
        [
            .product(key: World.key, secret: try GateBroker.hash("product")),
            .device(did: World.did, secret: try GateBroker.hash("device")),
            .app(appId: "demo", secret: try GateBroker.hash("app")),
            .service(name: "sms", secret: try GateBroker.hash("sms"), role: .gateway),
            .service(name: "console", secret: try GateBroker.hash("console"), role: .console),
        ]
    }

    static func terminal(
        session: String? = nil,
        lasting: Int64 = 60_000,
        of uid: String = World.uid,
        old: (password: String, until: Int64)? = nil,
        isUsed: Bool = true
    ) throws -> Record {
        let session = try session.map {
            Session(
                sessionId: $0,
                uid: uid,
                token: try GateBroker.hash("token \($0)"),
                expiresAt: Clock.now() + lasting,
                old: try old.map { OldToken(token: try GateBroker.hash($0.password), until: $0.until) },
                isUsed: isUsed
            )
        }
        return .terminal(terminalId: World.terminal, appId: "demo", session: session)
    }

    static func product(_ version: UInt8 = 5) -> MiniClient.Hello {
        MiniClient.Hello("product:\(World.key)", "product", World.mac, version: version)
    }

    static func device(_ version: UInt8 = 5, password: String = "device") -> MiniClient.Hello {
        MiniClient.Hello("device:\(World.did)", password, World.did, version: version)
    }

    static func app(_ version: UInt8 = 5, password: String = "app") -> MiniClient.Hello {
        MiniClient.Hello("app:demo", password, World.terminal, version: version)
    }

    static func worker(_ name: String = "test", _ version: UInt8 = 5) -> MiniClient.Hello {
        MiniClient.Hello("service:lamplighter", GateBroker.worker, "svc.lamplighter.\(name)", version: version)
    }
}
