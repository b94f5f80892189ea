// A console that watches messages as they travel, as a client of the role `console`. It subscribes to all of them, and is
// let see so many: the others are not delivered, so that the broker spends no packet on them, but counted and told.

/// What one console is let see.
final class Tap {
    /// Milliseconds of one window: of a burst some of each moment are seen, not the first ones alone.
    private static let window: Int64 = 100
    /// Messages that a console gets in a window: 400 a second.
    private static let perWindow = 40
    /// How often it is told how many it did not get.
    private static let toldEvery: Int64 = 250

    /// The topic on which it is told.
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

    /// Counts a message; whether it is delivered.
    func lets(_ topic: Bytes) -> Bool {
        if topic.elementsEqual(topicBytes) { return true }
        let now = Clock.coarse()
        if now &- begin >= Self.window { (begin, passed) = (now, 0) }
        passed &+= 1
        guard passed > Self.perWindow else { return true }
        left &+= 1
        return false
    }

    /// Returns how many were not delivered since it was told last, when it is time to tell; nil otherwise.
    func takeLeft(at steady: Int64) -> Int64? {
        guard left > 0, steady &- toldAt >= Self.toldEvery else { return nil }
        defer { (left, toldAt) = (0, steady) }
        return left
    }
}

extension Gate {
    /// Begins to count what a console is delivered.
    func beginTap(of client: Client) {
        client.tap = Tap(topic: "\(settings.root)/system/tap/\(client.clientId)")
        taps.append(client)
    }

    /// Tells each console how many messages it did not get.
    func tellTaps(at steady: Int64) {
        for client in taps {
            guard let tap = client.tap, let left = tap.takeLeft(at: steady) else { continue }
            Broker.publish(tap.topic, Array("{\"left\":\(left)}".utf8), qos: 0)
        }
    }
}
