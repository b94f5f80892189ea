import Domain
import JSON
import Storage
import StoreTestKit
import Testing

@testable import Workers

/// A test environment: the demo app's API key, which may read events, and a user of another app.
struct EventWorld {
    static let terminal = TerminalID(trusted: String(repeating: "e", count: 32))
    static let answers = "ll/v1/app/demo/\(terminal.text)/response"
    /// The key of a product that belongs only to the other app.
    static let foreignProduct = ProductKey(trusted: String(repeating: "b", count: 32))
    static let other = AppID(trusted: "other")

    let world: World

    init(limits: Limits = Limits(), devices: Int = 2) throws {
        world = try World(limits: limits)
        try world.makeDevices(devices, online: true)
        try world.makeUsers(2)
        try world.write { (tx) throws in
            let key = APIKey(
                id: KeyID(trusted: "k-1"),
                app: World.app,
                name: "billing",
                terminal: Self.terminal,
                scopes: [KeyScope("events")].compactMap(\.self),
                createdAt: tx.now,
                expiresAt: nil
            )
            try tx.keys.add(key, token: "llk_1")
            let app = App(id: World.app, name: "Demo", products: .only([World.key]))
            try tx.apps.save(
                app,
                document: ["appId": "demo", "name": "Demo", "products": [.string(World.key.text)]],
                secret: "app-secret"
            )
            try tx.apps.save(
                App(id: Self.other, name: "Other", products: .all),
                document: ["appId": "other", "name": "Other"],
                secret: "other-secret"
            )
            var stranger = try #require(try tx.accounts.find(World.uid(1)))
            (stranger.uid, stranger.app) = (World.uid(8), Self.other)
            try tx.accounts.insert(stranger, deviceID: nil)
        }
        world.environment.pool = ReadingPool(world.store, world.environment.limits)
    }

    /// Returns a loop for the worker that answers requests with API keys.
    func loop() throws -> World.Loop<RequestHandler> { try world.loop(RequestHandler.reach(world.environment)) }

    func send(_ method: String, id: String, token: String = "llk_1", _ params: JSONObject = [:]) {
        world.broker.send(
            "ll/v1/app/demo/\(Self.terminal.text)/request/events/\(method)",
            ["id": .string(id), "token": .string(token), "params": .object(params)]
        )
    }

    var answers: [JSONObject] { world.broker.published(to: Self.answers) }

    /// Runs the loop until `count` answers have been published.
    func wait(_ count: Int, _ loop: inout World.Loop<RequestHandler>) throws {
        // Other threads read the event log, and a busy machine can slow them.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            try loop.turn()
            if answers.count >= count { return }
        }
        throw World.Endless()
    }

    /// Sends a request and returns its answer, even if repeated answers to earlier requests arrive first.
    func ask(_ method: String, _ params: JSONObject = [:]) throws -> JSONObject {
        let id = "q\(UInt32.random(in: 0...(.max)))"
        var loop = try loop()
        try world.store.awaitEvents()
        send(method, id: id, params)
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            try loop.turn()
            if let answer = answers.last(where: { $0["id"]?.stringValue == id }) { return answer }
        }
        throw World.Endless()
    }

    func result(_ method: String, _ params: JSONObject = [:]) throws -> JSONObject {
        let answer = try ask(method, params)
        return try #require(answer["result"]?.objectValue, "\(answer)")
    }

    /// Returns the entries of the event log that the key can read.
    func events(_ params: JSONObject = ["after": "start"]) throws -> [JSONObject] {
        try result("read", params)["events"]?.arrayValue?.compactMap(\.objectValue) ?? []
    }

    func types(_ params: JSONObject = ["after": "start"]) throws -> [String] {
        try events(params).compactMap { $0["type"]?.stringValue }
    }

    /// Logs events in a transaction, and lets the session worker publish the transaction's messages.
    func log(_ events: LoggedEvent...) throws {
        try world.environment.work(publishedBy: .session) { work in for event in events { work.effects.log(event) } }
    }

    func event(_ type: EventType = .deviceAlert, product: ProductKey? = World.key, app: AppID? = nil) -> LoggedEvent {
        LoggedEvent(
            type,
            at: world.clock.now,
            did: World.did(0),
            product: product,
            uid: app == nil ? nil : World.uid(8),
            actor: app == nil ? .system : Actor(.user, World.uid(8).text),
            app: app,
            data: Array(#"{"actor":{"kind":"user","id":"u-8"},"type":"alert"}"#.utf8)
        )
    }
}
