import Domain
import JSON
import Load

/// The app's side of a simulation; the app's connection comes last in the socket pool.
extension Simulation {
    private var place: Int { devices.count }

    /// Connects the app if needed, binds the devices that have an id, and sends commands if `commands` is true.
    func liveApp(commands: Bool, at now: Int64) {
        guard var app else { return }
        defer { self.app = app }
        switch app.phase {
        case .away(let until): if now >= until { open(&app, at: now) }
        case .connecting, .loggingIn: if now - app.since > 10_000 { lose(&app, "no answer", at: now) }
        case .loggedIn:
            // A failed write removes the connection from the pool without calling `lost`.
            guard pool.sockets[place] != nil else { return lose(&app, "not connected", at: now) }
            if now - app.since > 30_000 {
                app.since = now
                pool.sockets[place]?.ping()
                pool.flush(place)
            }
            bindSome(&app)
            if commands { command(&app) }
        }
    }

    private func open(_ app: inout SimulatedApp, at now: Int64) {
        guard let socket = try? DeviceSocket(address: address, login: app.login) else {
            return lose(&app, "no connection", at: now)
        }
        app.phase = .connecting
        app.since = now
        pool.set(place, socket)
        pool.flush(place)
    }

    /// Records that the app's connection is lost, and plans to reconnect after a while.
    private func lose(_ app: inout SimulatedApp, _ why: String, at now: Int64) {
        lastError = "app: \(why)"
        summary.reconnects += 1
        pool.set(place, nil)
        app.lose(until: now + .random(in: 500...3000))
    }

    /// Records the loss of the app's connection; called when the socket pool reports the loss.
    func loseApp(_ why: String) {
        guard var app else { return }
        lose(&app, why, at: LoadClock.milliseconds)
        self.app = app
    }

    /// Requests a few bindings at a time, since the service handles requests one by one.
    private func bindSome(_ app: inout SimulatedApp) {
        var count = 0
        for device in devices where count < 8 {
            guard let request = app.bindRequest(device, productKey: product.key.text) else { continue }
            count += 1
            publish(request, to: "device/bind", app)
        }
    }

    /// The time between the app's commands, in milliseconds.
    private static let commandPause: Int64 = 3000

    /// Sends a command to a connected device if the time for the next command has come.
    ///
    /// Nothing is sent if the product has no readable and writable data point.
    private func command(_ app: inout SimulatedApp) {
        let now = LoadClock.milliseconds
        guard let due = app.nextCommandAt, now >= due,
            let did = app.dids.randomElement(),
            devices.contains(where: { $0.did == did && $0.isOnline })
        else { return }
        app.nextCommandAt = now + Self.commandPause
        guard let data = SimulatedValues.command(product) else { return }
        show("command to \(did)  \(String(decoding: data.encoded(), as: UTF8.self))")
        publish(app.controlRequest(did, data), to: "device/control", app)
    }

    func takeForApp(_ packet: MQTTPacket) {
        guard var app else { return }
        defer { self.app = app }
        switch packet {
        case .connectionAnswer(let code):
            guard code == 0 else {
                // A refusal with the return code 4 or 5 can mean that the session has ended.
                if (4...5).contains(code) { app.noteRefusal() }
                return lose(&app, "\(LoadError.refused(code: code))", at: LoadClock.milliseconds)
            }
            app.refusals = 0
            pool.sockets[place]?.subscribe(app.filters(options.root))
        case .subscriptionAnswer:
            app.phase = app.token == nil ? .loggingIn : .loggedIn
            if app.token == nil { publish(app.loginRequest(), to: "account/loginAnonymous", app) }
        case .publish(let topic, let payload, _):
            hear(String(decoding: topic, as: UTF8.self), Array(payload), app: &app)
        case .publishAnswer, .other: break
        }
    }

    private func hear(_ topic: String, _ payload: [UInt8], app: inout SimulatedApp) {
        guard topic.hasSuffix("/response"), topic.hasPrefix(app.space(options.root)) else {
            summary.seen += 1
            show("\(topic)  \(String(decoding: payload, as: UTF8.self))")
            return
        }
        guard let answer = try? JSONValue.parse(payload).objectValue else { return }
        if case .loggingIn = app.phase, app.begin(answer) {
            show("logged in as \(app.uid ?? "")")
            // The app disconnects, and connects again with the token of its session.
            pool.end(place)
            app.phase = .away(until: 0)
        } else if let did = answer["result"]?.objectValue?["did"]?.stringValue {
            // The line includes the passcode. With the passcode and the id, another app can control the device.
            let passcode = devices.first { $0.did == did }?.passcode
            show("bound \(did), passcode \(passcode ?? "")")
            app.noteBound(did)
            app.nextCommandAt = app.nextCommandAt ?? LoadClock.milliseconds + Self.commandPause
        } else if answer["ok"]?.boolValue != true {
            let code = answer["error"]?.objectValue?["code"]?.stringValue
            lastError = "app: \(code ?? "a request failed")"
        }
    }

    private func publish(_ request: [UInt8], to method: String, _ app: SimulatedApp) {
        publish(place, "app/\(app.app.appID)/\(app.terminalID)/request/\(method)", payload: request)
        pool.flush(place)
    }
}
