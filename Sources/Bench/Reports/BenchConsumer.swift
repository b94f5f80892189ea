import Glibc
import Load
import Mosquitto
import PlainSubscriber

/// A program that the service is compared with; like the service, it runs in a process of its own.
package struct BenchConsumer: Sendable {
    /// The handling of a report.
    package enum Kind: String, Sendable, CaseIterable {
        /// A: libmosquitto used as its manual shows, without any work.
        ///
        /// A report counts once the broker has read its confirmation, as a report counts for the
        /// service once it's answered.
        case plain
        /// A*: the same, but a report counts as soon as it's received.
        ///
        /// A busy broker reads one packet of a connection for each packet of every device, so most
        /// confirmations are unread when the measurement ends: half of its work is left for later.
        case received
        /// B: reports are read in batches and each is published on, without a store.
        case relay
        /// Requests of apps are sent back unread.
        case echo
        /// Commands and their outcomes are passed on.
        case hops
        /// The same, but each batch waits until the disk has written as much as for a commit.
        case flushedHops = "flushed-hops"
    }

    /// The handling of messages.
    package var kind: Kind
    /// The broker's port on this machine.
    package var port: Int
    /// The user name at the broker.
    package var username: String
    /// The file with the password on its first line: passwords don't belong in arguments.
    package var passwordFile: String
    /// The file to which it writes its counts for the measuring process.
    package var counterFile: String
    /// The first levels of all topics.
    package var root: String
    /// The size of B's messages in bytes, the same as the size of the service's statuses.
    package var statusBytes: Int
    /// The users to whose topics B publishes.
    package var users: [String]

    /// The interval at which A asks how far the broker has read, the same as between the service's
    /// answers.
    private static let askEvery = ReportLoad.markEvery

    /// Creates a consumer.
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

    /// Consumes reports until the process ends.
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
        case .hops: try runHops(options)
        case .flushedHops:
            var disk = try BenchDisk(path: counterFile + ".disk")
            try runHops(options) { if $0 > 0 { try disk.commit() } }
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
        var relay = Relay(root: root, users: users, statusBytes: statusBytes)
        var received = 0
        try serve(options, ["\(root)/device/+/report"], isRetained: true) { topic, payload in
            relay.prepare(topic, payload)
            return (relay.topic, relay.payload)
        } after: { count in
            received += count
            counter.value = received
        }
    }

    private func runEcho(_ options: ConnectionOptions) throws {
        let levels = root.utf8.count { $0 == UInt8(ascii: "/") } + 4
        try serve(options, ["\(root)/app/+/+/request/#"]) { topic, payload in
            let parts = topic.split(separator: UInt8(ascii: "/")).prefix(levels)
            return (Array(parts.joined(separator: "/".utf8)) + "/response".utf8, Array(payload))
        }
    }

    private func runHops(
        _ options: ConnectionOptions,
        before: (Int) throws -> Void = { _ in }
    ) throws {
        var hops = BenchHops(root: root)
        try serve(options, BenchHops.filters(root), before: before) { topic, payload in
            hops.follow(topic, payload).map { (Array($0.topic.utf8), Array($0.payload.utf8)) }
        }
    }

    /// Reads in batches like a worker, and publishes the message that follows from each.
    private func serve(
        _ options: ConnectionOptions,
        _ filters: [String],
        isRetained: Bool = false,
        before: (Int) throws -> Void = { _ in },
        follow: (ArraySlice<UInt8>, ArraySlice<UInt8>) -> (topic: [UInt8], payload: [UInt8])?,
        after: (Int) -> Void = { _ in }
    ) throws {
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(filters)
        say("ready")
        var intake = Intake()
        while true {
            try client.receive(
                upTo: 500,
                linger: .milliseconds(5),
                wait: .seconds(1),
                into: &intake
            )
            try before(intake.deliveries.count)
            for delivery in intake.deliveries {
                guard
                    let next = follow(intake.bytes[delivery.topic], intake.bytes[delivery.payload])
                else { continue }
                try client.publish(
                    topic: String(decoding: next.topic, as: UTF8.self),
                    payload: next.payload,
                    isRetained: isRetained
                )
            }
            try client.flush()
            after(intake.deliveries.count)
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

/// Converts a report's topic and payload to those of a status of the same size as the service's.
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
        // A device id's last two digits are random and spread the devices over the users.
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
