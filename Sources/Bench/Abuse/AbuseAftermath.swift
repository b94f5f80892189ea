import Load

/// Checks after an attack that new clients are still served: the attack has not used up their limits.
struct AbuseAftermath {
    /// The requests that were refused or not answered, each with the reason.
    private(set) var failures: [String] = []

    /// Asks as a new installation of the app and as a new device.
    init(_ ground: AbuseGround) {
        let honest = ground.seed.honest
        let terminal = LoadTerminal(
            appID: "bench",
            terminalID: RandomHex.digits(bytes: 16),
            token: honest.appSecret,
            uid: ""
        )
        let phone = "139" + String(LoadClock.milliseconds % 100_000_000 + 100_000_000).dropFirst()
        let space = terminal.space(ground.root)
        let app = LoadConnections.Member(login: terminal.login(), filters: ["\(space)/response"])
        ask(
            app,
            ground,
            topic: "\(space)/request/account/sendCode",
            body: "{\"id\":\"after\",\"params\":{\"countryCode\":\"86\",\"phone\":\"\(phone)\","
                + "\"purpose\":\"login\"}}"
        )
        ask(
            app,
            ground,
            topic: "\(space)/request/account/loginAnonymous",
            body: "{\"id\":\"after-2\",\"params\":{\"countryCode\":\"86\"}}"
        )
        let mac = RandomHex.digits(bytes: 6)
        let base = "\(ground.root)/product/\(ground.seed.productKey)/\(mac)"
        let login = MQTTWriter.Login(
            clientID: mac,
            username: "product:\(ground.seed.productKey)",
            password: ground.seed.productSecret
        )
        ask(
            .init(login: login, filters: [base + "/registered"]),
            ground,
            topic: base + "/register",
            body: "{\"id\":\"after\",\"mac\":\"\(mac)\",\"passcode\":\"123456\",\"hardware\":{}}"
        )
    }

    private mutating func ask(
        _ member: LoadConnections.Member,
        _ ground: AbuseGround,
        topic: String,
        body: String
    ) {
        let connections = LoadConnections([member])
        let what = topic.split(separator: "/").suffix(2).joined(separator: "/")
        var answer: String?
        let take: LoadConnections.Take = { _, _, payload in
            answer = String(decoding: payload, as: UTF8.self)
        }
        do throws(LoadError) {
            try connections.connect(port: ground.port, take)
            connections.queue(0, topic: Array(topic.utf8), payload: Array(body.utf8))
            connections.flush(0)
            let end = LoadClock.nanoseconds + 5_000_000_000
            while answer == nil, LoadClock.nanoseconds < end {
                try connections.turn(milliseconds: 10, take)
            }
        } catch {
            answer = "\(error)"
        }
        connections.disconnect()
        if answer?.contains("\"ok\":true") != true {
            failures.append("\(what): \(answer ?? "no answer")")
        }
    }
}
