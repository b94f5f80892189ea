// The limit on the messages that consoles receive. A console is a client with the role `console`. A console subscribes
// to all messages but receives a limited number. The gate counts and reports the messages that the console doesn't
// receive.

/// The limit on the messages that one console receives.
final class Tap {
    /// The length of a counting window in milliseconds.
    ///
    /// Because the window is short, a console receives messages from all parts of a burst, not only from its beginning.
    private static let window: Int64 = 100
    /// How many messages a console receives in one window (400 a second).
    private static let perWindow = 40
    /// The interval in milliseconds between reports about messages that the console did not receive.
    private static let toldEvery: Int64 = 250

    /// The topic on which a console is told how many messages were left out.
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

    /// Counts a message, and returns whether to deliver it to the console.
    func lets(_ topic: Bytes) -> Bool {
        if topic.elementsEqual(topicBytes) { return true }
        let now = Clock.coarse()
        if now &- begin >= Self.window { (begin, passed) = (now, 0) }
        passed &+= 1
        guard passed > Self.perWindow else { return true }
        left &+= 1
        return false
    }

    /// Returns how many messages the console has missed since the last report.
    ///
    /// Returns nil if no report is due.
    func takeLeft(at steady: Int64) -> Int64? {
        guard left > 0, steady &- toldAt >= Self.toldEvery else { return nil }
        defer { (left, toldAt) = (0, steady) }
        return left
    }
}

extension Gate {
    /// Starts to limit the deliveries to a console.
    func beginTap(of client: Client) {
        client.tap = Tap(topic: "\(settings.root)/system/tap/\(client.clientId)")
        taps.append(client)
    }

    /// Reports to each console the number of messages that the console did not receive.
    func tellTaps(at steady: Int64) {
        for client in taps {
            guard let tap = client.tap, let left = tap.takeLeft(at: steady) else { continue }
            Broker.publish(tap.topic, Array("{\"left\":\(left)}".utf8), qos: 0)
        }
    }
}
