import Glibc

/// Relays apps' commands to the devices, and the devices' answers to the apps, without validation.
///
/// `lamplighter-bench commands` compares the service with this relay, which only passes messages on.
struct BenchHops {
    private let root: String
    /// For each command's `sn`, the topic prefix of the terminal that sent the command.
    private var spaces: [Int: String] = [:]

    init(root: String) { self.root = root }

    /// Returns the topic filters to subscribe to.
    static func filters(_ root: String) -> [String] {
        ["\(root)/app/+/+/request/device/control", "\(root)/device/+/report"]
    }

    /// Returns the message to publish after a received message, or nil if there is nothing to publish.
    mutating func follow(_ topic: ArraySlice<UInt8>, _ payload: ArraySlice<UInt8>) -> (topic: String, payload: String)?
    {
        let topic = String(decoding: topic, as: UTF8.self)
        let body = String(decoding: payload, as: UTF8.self)
        let levels = topic.dropFirst(root.count + 1).split(separator: "/")
        switch (levels.first, levels.count) {
        case ("app", 6): return command(body, asker: "app/\(levels[1])/\(levels[2])")
        case ("device", 3): return outcome(body)
        default: return nil
        }
    }

    private mutating func command(_ body: String, asker: String) -> (String, String)? {
        guard let sn = LoadText.number("\"sn\":", in: body), let did = LoadText.text("\"did\":", in: body) else {
            return nil
        }
        spaces[sn] = asker
        let command = "{\"cid\":\(sn),\"sn\":\(sn),\"type\":\"write\",\"data\":{\"sequence\":\(sn)}}"
        return ("\(root)/device/\(did)/command", command)
    }

    private mutating func outcome(_ body: String) -> (String, String)? {
        guard let sn = LoadText.number("\"sequence\":", in: body), let space = spaces.removeValue(forKey: sn) else {
            return nil
        }
        return ("\(root)/\(space)/command", "{\"cid\":\(sn),\"sn\":\(sn),\"state\":\"done\",\"code\":0}")
    }
}
