import Load

/// The plan of a deed: the identities and the messages.
struct HostilePlan {
    /// The identity of a connection; the number differs each time.
    var login: (_ place: Int, _ number: Int) -> HostileLogin
    /// Filters it subscribes to at first.
    var filters: (HostileLogin) -> [String] = { _ in [] }
    /// The message that it repeats; nil for none.
    var chunk: (HostileLogin) -> HostileChunk? = { _ in nil }
    /// Bytes that it sends once, instead.
    var once: [UInt8] = []
    /// Messages without an answer at the same time.
    var answerWindow = 1 << 40
    /// Messages that the broker has not confirmed.
    var confirmWindow = 1 << 40
    /// Whether it disconnects, and returns under another identity, once its message is confirmed or it has
    /// none.
    var isBrief = false
    /// Whether it disconnects and reconnects once it has sent all its messages.
    var isReturning = false
}

extension HostilePlan {
    /// The plan of a deed.
    init(_ orders: HostileOrders) {
        switch orders.deed {
        case .binary, .bundles, .reports, .hastyReports, .patientReports:
            self = Self.device(orders)
        case .registrations: self = Self.product(orders)
        default: self = Self.app(orders)
        }
    }

    // MARK: As an app's terminal

    private static func app(_ orders: HostileOrders) -> HostilePlan {
        let ids = (0..<orders.connections).map { _ in RandomHex.digits(bytes: 16) }
        var plan = HostilePlan { place, number in
            let terminals = orders.terminals
            let known = terminals.isEmpty ? nil : terminals[place % terminals.count]
            let own = orders.deed == .returns ? ids[place] : RandomHex.digits(bytes: 16)
            var login = HostileLogin(
                version: number % 2 == 0 || orders.deed == .correlation ? 5 : 4,
                clientID: known?.terminalID ?? own,
                username: "app:\(orders.appID)",
                password: known?.token ?? orders.appSecret,
                address: address(orders, place)
            )
            if orders.deed == .wills {
                let space = "\(orders.root)/app/\(orders.appID)/\(own)"
                login.will = (
                    "\(space)/request/account/whoami", Array(repeating: 0x7A, count: 60_000)
                )
            }
            return login
        }
        let space = { (login: HostileLogin) in
            "\(orders.root)/app/\(orders.appID)/\(login.clientID)"
        }
        switch orders.deed {
        case .deepFilters, .flatFilters:
            let tail = orders.deed == .deepFilters ? String(repeating: "/x", count: 144) : "/x"
            plan.chunk = { login in
                let filters = (0..<500).map { "\(space(login))/q########-\($0)" + tail }
                return HostileChunk(HostilePackets(version: login.version).subscribe(filters))
            }
        case .connects, .wills: plan.isBrief = true
        case .pings: plan.chunk = { _ in HostileChunk([0xC0, 0]) }
        case .unsubscribes:
            plan.chunk = { login in
                let filters = (0..<200).map { "\(space(login))/q########-\($0)" }
                return HostileChunk(HostilePackets(version: login.version).unsubscribe(filters))
            }
        // A PUBLISH of 64 KiB that never ends.
        case .halves: plan.once = [0x30, 0x80, 0x80, 0x04, 0, 200]
        default:
            plan.filters = { ["\(space($0))/response"] }
            plan.chunk = { HostileRequest(orders).chunk(of: $0, space: space($0)) }
            plan.isReturning = orders.deed == .returns
            if orders.deed == .closedLoop { plan.answerWindow = 2000 }
            if orders.deed == .hashes { plan.answerWindow = 400 }
        }
        return plan
    }

    // MARK: As a device, or a product

    private static func device(_ orders: HostileOrders) -> HostilePlan {
        var plan = HostilePlan { place, _ in
            let device = orders.devices[place % orders.devices.count]
            return HostileLogin(
                version: place % 2 == 0 ? 5 : 4,
                clientID: device.did,
                username: "device:\(device.did)",
                password: device.secret,
                address: address(orders, place)
            )
        }
        plan.filters = { ["\(orders.root)/device/\($0.clientID)/response"] }
        plan.chunk = { HostileReport(orders).chunk(of: $0) }
        // As many as clients have under way that keep to the broker's receive maximum.
        if orders.deed == .reports { plan.confirmWindow = 20 }
        if orders.deed == .patientReports { plan.answerWindow = 16 }
        return plan
    }

    private static func product(_ orders: HostileOrders) -> HostilePlan {
        var plan = HostilePlan { place, number in
            let digits = String(number % 100_000_000)
            return HostileLogin(
                version: number % 2 == 0 ? 5 : 4,
                clientID: "ab0f" + String(repeating: "0", count: 8 - digits.count) + digits,
                username: "product:\(orders.productKey)",
                password: orders.productSecret,
                address: address(orders, place)
            )
        }
        plan.isBrief = true
        plan.chunk = { login in
            let mac = login.clientID
            let packet = HostilePackets(version: login.version).publish(
                "\(orders.root)/product/\(orders.productKey)/\(mac)/register",
                Array(
                    "{\"id\":\"g1\",\"mac\":\"\(mac)\",\"passcode\":\"123456\",\"hardware\":{}}"
                        .utf8
                ),
                qos: 1
            )
            return HostileChunk(packet.bytes, identifier: packet.identifier, countMax: 1)
        }
        return plan
    }

    /// Returns the address of a connection: the first, or so many further on, past those that end in 0 or 255.
    private static func address(_ orders: HostileOrders, _ place: Int) -> String {
        guard orders.addressCount > 1 else { return orders.address }
        let number = place % orders.addressCount
        return "127.1.\(number / 200).\(number % 200 + 2)"
    }
}
