// A console watches messages as they travel, as a client of the role `console`. It subscribes to all of them and
// receives a limited number. The gate counts the others and reports the count, so that the broker spends no packets on
// them.

/// The limit on the messages that one console receives.
final class Tap {
    /// The milliseconds of one window; it is short, so that a console sees some messages from each moment of a burst.
    private static let window: Int64 = 100
    /// The messages that a console receives in a window: 400 a second.
    private static let perWindow = 40
    /// The milliseconds between reports of the messages that it did not receive.
    private static let toldEvery: Int64 = 250

    /// The topic of these reports.
    let topic: String
    private let topicBytes: [UInt8]
    private var begin: Int64 = 0
    private var passed = 0
    private var left: Int64 = 0
    private var toldAt: Int64 = 0

    init(topic: String) {
        self.topic = topic
        topicBytes = Array(topic.utf8)
    }

    /// Counts a message; returns whether to deliver it.
    func lets(_ topic: Bytes) -> Bool {
        if topic.elementsEqual(topicBytes) { return true }
        let now = Clock.coarse()
        if now &- begin >= Self.window { (begin, passed) = (now, 0) }
        passed &+= 1
        guard passed > Self.perWindow else { return true }
        left &+= 1
        return false
    }

    /// Returns the number of messages not delivered since the last report, if another is due; nil otherwise.
    func takeLeft(at steady: Int64) -> Int64? {
        guard left > 0, steady &- toldAt >= Self.toldEvery else { return nil }
        defer { (left, toldAt) = (0, steady) }
        return left
    }
}

extension Gate {
    /// Begins to limit a console's deliveries.
    func beginTap(of client: Client) {
        client.tap = Tap(topic: "\(settings.root)/system/tap/\(client.clientId)")
        taps.append(client)
    }

    /// Reports to each console how many messages it did not receive.
    func tellTaps(at steady: Int64) {
        for client in taps {
            guard let tap = client.tap, let left = tap.takeLeft(at: steady) else { continue }
            Broker.publish(tap.topic, Array("{\"left\":\(left)}".utf8), qos: 0)
        }
    }
}
