import Glibc
import Mosquitto

/// What the service is measured against, each in a process of its own like the service.
package struct BenchConsumer: Sendable {
    /// What is done with a report.
    package enum Kind: String, Sendable, CaseIterable {
        /// A: libmosquitto as its manual shows it; nothing is done. A report counts once the broker has
        /// read its confirmation, as one counts for the service once it is answered.
        case plain
        /// The same, but a report counts as soon as it has come.
        ///
        /// A busy broker reads one packet of a connection for a packet of every device, so most
        /// confirmations lie unread when the measurement ends: half of its work is left for later.
        case received
        /// B: read in batches, each published on, no store.
        case relay
        /// Requests of apps are sent back as they came; nothing is looked at.
        case echo
    }

    package var kind: Kind
    package var port: Int
    package var username: String
    /// The file that holds the password on its first line: passwords don't belong into arguments.
    package var passwordFile: String
    package var counterFile: String
    package var root: String
    /// B publishes on as many bytes as a status of the service has.
    package var statusBytes: Int
    /// Topics of B: one of so many users each.
    package var users: [String]

    /// A asks once in so many messages how far the broker has read, as often as the service answers.
    private static let askEvery = ReportLoad.markEvery

    package init(
        kind: Kind,
        port: Int,
        username: String,
        passwordFile: String,
        counterFile: String,
        root: String,
        statusBytes: Int,
        users: [String]
    ) {
        self.kind = kind
        self.port = port
        self.username = username
        self.passwordFile = passwordFile
        self.counterFile = counterFile
        self.root = root
        self.statusBytes = statusBytes
        self.users = users
    }

    /// Consumes reports until the process is ended.
    ///
    /// - Throws: `MosquittoError` or `LoadError`.
    package func run() throws {
        let counter = try SharedCounter(path: counterFile)
        var options = ConnectionOptions(
            host: "127.0.0.1",
            port: port,
            clientID: "svc.tools.bench-\(kind.rawValue)"
        )
        options.username = username
        options.password = try Self.firstLine(of: passwordFile)
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        switch kind {
        case .plain: try runPlain(options, counter)
        case .received: try runReceived(options, counter)
        case .relay: try runRelay(options, counter)
        case .echo: try runEcho(options)
        }
    }

    private func runPlain(_ options: ConnectionOptions, _ counter: SharedCounter) throws {
        var client = try subscribed(options)
        var asked = 0
        while true {
            let before = client.received
            try client.loop()
            let isIdle = client.received == before
            if client.received - asked >= (isIdle ? 1 : Self.askEvery) {
                try client.askForConfirmed("\(root)/system/bench")
                asked = client.received
            }
            counter.value = client.confirmed
        }
    }

    private func runReceived(_ options: ConnectionOptions, _ counter: SharedCounter) throws {
        var client = try subscribed(options)
        while true {
            try client.loop()
            counter.value = client.received
        }
    }

    private func subscribed(_ options: ConnectionOptions) throws -> PlainSubscriber {
        var client = try PlainSubscriber(options, filters: ["\(root)/device/+/report"])
        while !client.isSubscribed { try client.loop() }
        say("ready")
        return client
    }

    private func runRelay(_ options: ConnectionOptions, _ counter: SharedCounter) throws {
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(["\(root)/device/+/report"])
        say("ready")
        var relay = Relay(root: root, users: users, statusBytes: statusBytes)
        var intake = Intake()
        var received = 0
        while true {
            try client.receive(
                upTo: 500,
                linger: .milliseconds(5),
                wait: .seconds(1),
                into: &intake
            )
            for delivery in intake.deliveries {
                relay.prepare(intake.bytes[delivery.topic], intake.bytes[delivery.payload])
                try relay.topic.withUnsafeBufferPointer { topic in
                    try relay.payload.withUnsafeBufferPointer { payload in
                        _ = try client.publish(topic: topic, payload: payload, isRetained: true)
                    }
                }
            }
            try client.flush()
            received += intake.deliveries.count
            counter.value = received
        }
    }

    private func runEcho(_ options: ConnectionOptions) throws {
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(["\(root)/app/+/+/request/#"])
        say("ready")
        var intake = Intake()
        let levels = root.utf8.count { $0 == UInt8(ascii: "/") } + 4
        while true {
            try client.receive(
                upTo: 500,
                linger: .milliseconds(5),
                wait: .seconds(1),
                into: &intake
            )
            for delivery in intake.deliveries {
                let parts = intake.bytes[delivery.topic].split(separator: UInt8(ascii: "/"))
                let topic =
                    Array(parts.prefix(levels).joined(separator: "/".utf8)) + "/response".utf8
                try topic.withUnsafeBufferPointer { topic in
                    try Array(intake.bytes[delivery.payload]).withUnsafeBufferPointer { payload in
                        _ = try client.publish(topic: topic, payload: payload, isRetained: false)
                    }
                }
            }
            try client.flush()
        }
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    private static func firstLine(of path: String) throws -> String {
        guard let file = fopen(path, "r") else {
            throw LoadError.system(function: "fopen", code: errno)
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        guard fgets(&line, Int32(line.count), file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init), as: UTF8.self)
    }
}

/// Turns a report's topic and payload into those of a status of the same size as the service's.
private struct Relay {
    private(set) var topic: [UInt8] = []
    private(set) var payload: [UInt8] = []
    private let prefixes: [[UInt8]]
    private let skipped: Int
    private let statusBytes: Int

    init(root: String, users: [String], statusBytes: Int) {
        prefixes = users.map { Array("\(root)/user/\($0)/device/".utf8) }
        skipped = "\(root)/device/".utf8.count
        self.statusBytes = statusBytes
    }

    mutating func prepare(_ reportTopic: ArraySlice<UInt8>, _ report: ArraySlice<UInt8>) {
        let did = reportTopic.dropFirst(skipped).dropLast("/report".utf8.count)
        // The last two digits of a did are random; they spread the devices over the users.
        let spread = did.suffix(2).reduce(0) { $0 &* 31 &+ Int($1) }
        topic.removeAll(keepingCapacity: true)
        topic += prefixes[spread % prefixes.count]
        topic += did
        topic += "/status".utf8
        payload.removeAll(keepingCapacity: true)
        payload += report
        while payload.count < statusBytes { payload.append(UInt8(ascii: " ")) }
    }
}
