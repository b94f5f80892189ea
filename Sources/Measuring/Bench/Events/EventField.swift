import Domain
import Load
import Sodium
import Storage
import Workers

/// The event log of a benchmark's environment.
extension BenchField {
    /// Logs alerts, each in a separate row, as if each alert had its own transaction.
    func logAlerts(_ count: Int) throws {
        let device = seed.bound[0].did
        try store.fill(count, at: SystemClock().now) { tx, number in
            let alert = """
                {"eventId":"e-bench-\(number)","type":"alert","name":"\(BenchSeed.alert)","value":\(number),\
                "ts":\(tx.now.milliseconds),"actor":{"kind":"device","id":"\(device)"}}
                """
            try tx.logAlert(of: DeviceID(trusted: device), alert)
        }
        // The alerts serve only to measure a webhook. The notifier's position is set to the end of the log, so that the
        // notifier tells no users about these alerts.
        try store.batch(at: SystemClock().now) { try $0.meta.set(Notifier.placeFact, to: try $0.eventLog.end().text) }
        try store.checkpoint()
    }

    /// Returns the position after the log's last event.
    func endOfLog() throws -> EventCursor { try store.read { try $0.eventLog.end() } }

    /// Adds a subscription to a type of events, which are posted to `url` if it isn't nil.
    func subscribe(_ type: String, url: String? = nil, after cursor: EventCursor) throws -> EventSubscription {
        let now = SystemClock().now
        let subscription = EventSubscription(
            id: SubscriptionID(trusted: "v-" + RandomHex.digits(bytes: 8)),
            app: BenchSeed.app,
            key: nil,
            name: "bench",
            filter: EventFilter(names: [type]),
            url: url,
            batch: EventSubscription.eventsMax,
            secret: url.map { _ in Sodium.randomBytes(EventSubscription.secretBytes) },
            cursor: cursor,
            createdAt: now
        )
        try store.batch(at: now) { try $0.eventSubscriptions.add(subscription) }
        return subscription
    }

    /// Removes a subscription.
    func unsubscribe(_ subscription: EventSubscription) throws {
        try store.batch(at: SystemClock().now) { try $0.eventSubscriptions.remove(subscription) }
    }

    /// Adds an API key that reads events; returns its secret.
    func addKey() throws -> String {
        let (now, secret, name) = (SystemClock().now, APIKey.prefix + Sodium.randomSecret(), RandomHex.digits(bytes: 8))
        let key = APIKey(
            id: KeyID(trusted: "k-" + name),
            app: BenchSeed.app,
            name: name,
            terminal: TerminalID(trusted: RandomHex.digits(bytes: 16)),
            scopes: ["events"].compactMap { KeyScope($0) },
            createdAt: now,
            expiresAt: nil
        )
        try store.batch(at: now) { try $0.keys.add(key, token: secret) }
        return secret
    }

    /// The number of devices that raise alerts.
    static let alarmed = 10

    /// Makes devices raise alerts at an even rate.
    ///
    /// The alerts are numbered from 0, and each alert has its number as its value. Each report clears the device's
    /// previous alert before it raises the new one.
    ///
    /// - Returns: The moments at which the alerts left their devices, in nanoseconds.
    /// - Throws: `LoadError`.
    func raiseAlerts(seconds: Double, rate: Double) throws(LoadError) -> [Int64] {
        let devices = Array(seed.bound.prefix(Self.alarmed))
        let connections = LoadConnections(devices.map { .init(login: $0.login) })
        defer { connections.disconnect() }
        try connections.connect(port: port) { _, _, _ in }
        var sent: [Int64] = []
        let stopwatch = Stopwatch()
        while stopwatch.seconds < seconds {
            while sent.count < Int(stopwatch.seconds * rate) {
                let place = sent.count % devices.count
                let conditions = ["false", "\(sent.count)"].map { "{\"name\":\"\(BenchSeed.alert)\",\"value\":\($0)}" }
                let topic = "\(root)/device/\(devices[place].did)/report"
                let payload = "{\"alerts\":[\(conditions.joined(separator: ","))]}"
                connections.queue(place, topic: Array(topic.utf8), payload: Array(payload.utf8))
                sent.append(LoadClock.nanoseconds)
                connections.flush(place)
            }
            try connections.turn(milliseconds: 1) { _, _, _ in }
        }
        return sent
    }
}
