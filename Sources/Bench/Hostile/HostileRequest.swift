/// The requests of the deeds that ask for something.
struct HostileRequest {
    private let orders: HostileOrders

    init(_ orders: HostileOrders) { self.orders = orders }

    func chunk(of login: HostileLogin, space: String) -> HostileChunk {
        let topic =
            orders.deed == .forbidden
            ? "\(orders.root)/user/\(login.clientID)/device/x/status" : "\(space)/request/\(method)"
        let packet = HostilePackets(version: login.version).publish(
            topic,
            Array("{\"id\":\"h##########\"\(token(login)),\"params\":\(params)}".utf8),
            qos: qos,
            correlation: orders.deed == .correlation ? Array(repeating: 0x63, count: 60_000) : []
        )
        return HostileChunk(
            packet.bytes,
            identifier: packet.identifier,
            countMax: orders.rate > 0 ? 1 : orders.deed == .returns ? Self.burst : .max
        )
    }

    /// What a terminal may send at once.
    private static let burst = 100

    private func token(_ login: HostileLogin) -> String {
        orders.deed == .whoami
            ? ",\"token\":\"\(orders.terminals.isEmpty ? "x" : login.password)\"" : ""
    }

    private var method: String {
        switch orders.deed {
        case .unknownMethod, .correlation: "account/nothing"
        case .codes: "account/sendCode"
        case .anonymous: "account/loginAnonymous"
        case .hashes: "account/register"
        default: "account/whoami"
        }
    }

    private var params: String {
        switch orders.deed {
        case .codes: "{\"countryCode\":\"86\",\"phone\":\"138########\",\"purpose\":\"login\"}"
        case .anonymous: "{\"countryCode\":\"86\"}"
        case .hashes:
            "{\"countryCode\":\"86\",\"username\":\"h##########\",\"password\":\"lamp ########## x\"}"
        default: "{}"
        }
    }

    private var qos: UInt8 {
        switch orders.deed {
        case .whoami, .unknownMethod, .correlation, .forbidden: 0
        case .exactly: 2
        default: 1
        }
    }
}

/// The reports of the deeds that devices do.
struct HostileReport {
    private let orders: HostileOrders

    init(_ orders: HostileOrders) { self.orders = orders }

    func chunk(of login: HostileLogin) -> HostileChunk {
        let packet = HostilePackets(version: login.version).publish(
            "\(orders.root)/device/\(login.clientID)/report",
            payload,
            qos: [.reports, .patientReports].contains(orders.deed) ? 1 : 0
        )
        return HostileChunk(packet.bytes, identifier: packet.identifier, countMax: countMax)
    }

    /// A chunk leaves as a whole: one that is paced is small.
    private var countMax: Int { orders.rate > 0 ? 4 : .max }

    private var payload: [UInt8] {
        switch orders.deed {
        case .binary: Array("{\"binary\":\"\(String(repeating: "q", count: 53_000))\"}".utf8)
        case .bundles:
            Array(
                ("{\"id\":\"b##########\",\"reports\":["
                    + (0..<500).map { "{\"ts\":17\($0 + 100)########,\"data\":{\"sequence\":$0}}" }
                    .joined(separator: ",") + "]}").utf8
            )
        default: Array("{\"id\":\"r##########\",\"data\":{\"sequence\":1##########}}".utf8)
        }
    }
}
