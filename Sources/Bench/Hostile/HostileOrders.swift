import JSON
import Load

/// The orders for a hostile process, in a file: secrets don't belong in arguments.
struct HostileOrders: Sendable {
    var deed: HostileDeed
    var port: Int
    var root: String
    var seconds: Double
    var appID = ""
    var appSecret = ""
    var productKey = ""
    var productSecret = ""
    /// Devices that it may come as.
    var devices: [LoadDevice] = []
    /// Terminals with a session that it may come as; without any it makes up terminals.
    var terminals: [LoadTerminal] = []
    /// Connections at the same time.
    var connections = 1
    /// Where it comes from; with `addressCount` above 1 each connection has the next address.
    var address = "127.0.0.1"
    var addressCount = 1
    /// Messages a second of each connection; 0 for as many as possible.
    var rate = 0.0
    /// Share of a processor that `burn` takes.
    var share = 1.0
    /// Where it counts answers for others to see; none if empty.
    var counter = ""

    init(_ deed: HostileDeed, port: Int, root: String, seconds: Double) {
        self.deed = deed
        self.port = port
        self.root = root
        self.seconds = seconds
    }
}

extension HostileOrders {
    /// Reads what `json` wrote.
    ///
    /// - Throws: `LoadError` for anything else.
    init(_ json: JSONValue?) throws(LoadError) {
        guard let object = json?.objectValue,
            let deed = object["deed"]?.stringValue.flatMap(HostileDeed.init(rawValue:)),
            let port = object["port"]?.intValue, let root = object["root"]?.stringValue,
            let seconds = object["seconds"]?.doubleValue
        else { throw .failed("these are no orders") }
        self.init(deed, port: Int(port), root: root, seconds: seconds)
        let text = { (key: String) in object[key]?.stringValue ?? "" }
        appID = text("appID")
        appSecret = text("appSecret")
        productKey = text("productKey")
        productSecret = text("productSecret")
        address = text("address")
        counter = text("counter")
        connections = Int(object["connections"]?.intValue ?? 1)
        addressCount = Int(object["addressCount"]?.intValue ?? 1)
        rate = object["rate"]?.doubleValue ?? 0
        share = object["share"]?.doubleValue ?? 1
        devices = Self.pairs(object["devices"]).map { LoadDevice(did: $0, secret: $1) }
        let appID = appID
        terminals = Self.pairs(object["terminals"]).map {
            LoadTerminal(appID: appID, terminalID: $0, token: $1, uid: "")
        }
    }

    private static func pairs(_ json: JSONValue?) -> [(String, String)] {
        (json?.arrayValue ?? []).compactMap { pair in
            let texts = pair.arrayValue?.compactMap(\.stringValue) ?? []
            return texts.count == 2 ? (texts[0], texts[1]) : nil
        }
    }

    var json: JSONValue {
        .object([
            "deed": .string(deed.rawValue), "port": .integer(Int64(port)), "root": .string(root),
            "seconds": .double(seconds), "appID": .string(appID), "appSecret": .string(appSecret),
            "productKey": .string(productKey), "productSecret": .string(productSecret),
            "address": .string(address), "counter": .string(counter),
            "connections": .integer(Int64(connections)),
            "addressCount": .integer(Int64(addressCount)), "rate": .double(rate),
            "share": .double(share),
            "devices": .array(devices.map { [.string($0.did), .string($0.secret)] }),
            "terminals": .array(terminals.map { [.string($0.terminalID), .string($0.token)] }),
        ])
    }
}
