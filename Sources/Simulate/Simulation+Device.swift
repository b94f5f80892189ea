import Domain
import JSON
import Load

/// A device's connection: registering, coming online, and receiving messages.
extension Simulation {
    /// Opens a connection with the device's secret, or with the product's secret if the device has no id yet.
    func open(_ index: Int, at now: Int64) {
        let device = devices[index]
        devices[index].since = now
        do throws(LoadError) {
            pool.set(index, try DeviceSocket(address: address, login: login(device)))
            pool.flush(index)
            opening += 1
            devices[index].phase = device.did == nil ? .registering : .connecting
        } catch {
            lastError = "\(error)"
            devices[index].phase = .away(until: now + .random(in: 1000...3000))
        }
    }

    /// Publishes that a device is offline, and disconnects the device.
    ///
    /// The broker doesn't publish the device's will, because the device disconnects properly.
    func leave(_ index: Int) {
        guard let did = devices[index].did else { return }
        publish(index, "device/\(did)/presence", payload: Self.offline)
        pool.sockets[index]?.disconnect()
    }

    /// Records that a device's connection is lost, and plans to reconnect after a while.
    func lose(_ index: Int, _ why: String, at now: Int64) {
        lastError = why
        if !devices[index].isOnline { opening -= 1 }
        if devices[index].isOnline { summary.reconnects += 1 }
        pool.set(index, nil)
        devices[index].phase = .away(until: now + .random(in: 500...3000))
    }

    func take(_ index: Int, _ packet: MQTTPacket) {
        switch packet {
        case .connectionAnswer(let code): answered(index, code)
        case .subscriptionAnswer(let isGranted): subscribed(index, isGranted)
        case .publish(let topic, let payload, _):
            guard let object = try? JSONValue.parse(Array(payload)).objectValue else { return }
            switch topic.split(separator: UInt8(ascii: "/")).last.map({ $0.count }) {
            case "registered".utf8.count: registered(index, object)
            case "response".utf8.count: settle(index, object)
            default: obey(index, object)
            }
        case .publishAnswer, .other: break
        }
    }

    private func login(_ device: SimulatedDevice) -> MQTTWriter.Login {
        guard let did = device.did, let secret = device.secret else {
            return .init(clientID: device.mac, username: "product:\(product.key.text)", password: options.productSecret)
        }
        let will = ("\(options.root)/device/\(did)/presence", Self.offline)
        return .init(clientID: did, username: "device:\(did)", password: secret, will: will)
    }

    private static let offline = Array("{\"online\":false}".utf8)

    private func answered(_ index: Int, _ code: UInt8) {
        guard code == 0 else {
            lastError = "\(LoadError.refused(code: code))"
            return
        }
        let socket = pool.sockets[index]
        if let did = devices[index].did {
            let space = "\(options.root)/device/\(did)"
            socket?.subscribe(["\(space)/command", "\(space)/response"])
        } else {
            socket?.subscribe(["\(options.root)/\(productSpace(index))/registered"])
        }
    }

    private func subscribed(_ index: Int, _ isGranted: Bool) {
        guard isGranted else {
            lastError = "a subscription was refused"
            return
        }
        guard let did = devices[index].did else {
            return publish(index, productSpace(index) + "/register", payload: devices[index].registration)
        }
        opening -= 1
        let now = LoadClock.milliseconds
        devices[index].phase = .online
        devices[index].since = now
        publish(index, "device/\(did)/presence", payload: Array("{\"online\":true}".utf8))
        // Reports that were not answered on the last connection are sent again.
        devices[index].kept.sendAgain(at: now)
        sendDue(index, at: now)
    }

    private func registered(_ index: Int, _ answer: JSONObject) {
        let now = LoadClock.milliseconds
        opening -= 1
        if !devices[index].register(answer) {
            let error = answer["error"]?.objectValue?["code"]?.stringValue
            lastError = "registration: \(error ?? "no identity")"
            devices[index].phase = .away(until: now + 5000)
        } else {
            devices[index].phase = .away(until: now)
        }
        pool.end(index)
    }

    private func settle(_ index: Int, _ answer: JSONObject) {
        guard let isAccepted = devices[index].settle(answer) else { return }
        summary.answered += 1
        sendDue(index, at: LoadClock.milliseconds)
        if !isAccepted {
            summary.refused += 1
            let error = answer["error"]?.objectValue?["message"]?.stringValue
            lastError = "report refused: \(error ?? "")"
        }
    }

    private func obey(_ index: Int, _ command: JSONObject) {
        let now = LoadClock.milliseconds
        guard let report = devices[index].obey(command, at: now) else { return }
        if app != nil, let did = devices[index].did {
            show("\(options.root)/device/\(did)/report  \(String(decoding: report, as: UTF8.self))")
        }
        summary.commands += 1
        summary.sent += 1
        sendDue(index, at: now)
    }

    private func productSpace(_ index: Int) -> String { "product/\(product.key.text)/\(devices[index].mac)" }
}
