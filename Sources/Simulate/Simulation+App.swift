import Domain
import JSON
import Load

/// The app's side of a simulation; its connection has the place after the devices'.
extension Simulation {
    private var place: Int { devices.count }

    /// Connects the app where it isn't, and binds devices that have got an identity; with `commands` it
    /// switches them, too.
    func liveApp(commands: Bool) {
        guard var app else { return }
        defer { self.app = app }
        switch app.phase {
        case .waiting:
            guard let socket = try? DeviceSocket(address: address, login: app.login) else { return }
            pool.set(place, socket)
            pool.flush(place)
            app.phase = app.token == nil ? .loggingIn : .loggedIn
        case .loggingIn: break
        case .loggedIn:
            // A few at a time: requests go one by one through the service.
            var count = 0
            for device in devices where count < 8 {
                guard
                    let request = app.bindRequest(device, productKey: product.key.text)
                else { continue }
                count += 1
                publish(request, to: "device/bind", app)
            }
            if commands { command(&app) }
        }
    }

    /// Milliseconds between the app's commands.
    private static let commandPause: Int64 = 3000

    /// Has the app switch one of its devices now and then, where the product has something to be set.
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
                lastError = "app: \(LoadError.refused(code: code))"
                return
            }
            pool.sockets[place]?.subscribe(app.filters(options.root))
        case .subscriptionAnswer:
            if case .loggingIn = app.phase {
                publish(app.loginRequest(), to: "account/loginAnonymous", app)
            }
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
            // From now on the terminal connects with its session's token.
            pool.end(place)
            app.phase = .waiting
        } else if let did = answer["result"]?.objectValue?["did"]?.stringValue {
            // With these another app can bind it too, and switch it.
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
        pool.sockets[place]?.publish(
            topic: Array("\(app.space(options.root))/request/\(method)".utf8),
            payload: request
        )
        pool.flush(place)
    }
}
