import ArgumentParser
import Files
import Glibc
import Load
import Mosquitto
import PlainSubscriber

/// A simple consumer that runs in its own process, for comparison with the service: `lamplighter-bench consume`.
struct BenchConsumer: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "consume", shouldDisplay: false)

    /// A kind of consumer, which decides how messages are handled.
    enum Kind: String, ExpressibleByArgument {
        /// The consumer of phase A: a subscriber as in libmosquitto's manual, which does nothing with the reports.
        ///
        /// For this consumer, a report counts as processed when the broker has read the subscriber's confirmation. For
        /// the service, a report counts as processed when the service has answered the report.
        case plain
        /// The consumer of phase A*: like `plain`, but a received report already counts as processed.
        ///
        /// A busy broker reads one packet of each connection in turn. All confirmations arrive on one connection, but
        /// the reports arrive on many connections. The broker therefore reads the confirmations much more slowly than
        /// the reports. Most confirmations are unread when the measurement ends, so this consumer looks faster than it
        /// is.
        case received
        /// The consumer of phase B: a relay that reads batches, and publishes each report's status without a store.
        case relay
        /// An echo that sends each request back to the app's terminal without parsing the request.
        case echo
        /// A relay that passes on commands and their outcomes.
        case hops
        /// A relay like `hops`, but it waits for the disk before it passes on a batch.
        ///
        /// For each batch, the relay writes about as many bytes as the service writes when it commits a command.
        case flushedHops = "flushed-hops"
    }

    /// The kind of consumer to run.
    @Argument var kind: Kind
    /// The broker's port on this machine.
    @Option var port: Int
    /// The file with the password.
    ///
    /// The password itself isn't an argument, because other users can see a program's arguments.
    @Option var passwordFile: String
    /// The file to which the consumer writes its counts for the measuring process.
    @Option var counter: String
    /// The topic levels with which all topics begin.
    @Option var root: String
    /// The size of the messages that the consumer `relay` publishes, in bytes.
    ///
    /// The size should equal that of the service's statuses.
    @Option var statusBytes: Int
    /// The comma-separated ids of users.
    ///
    /// The consumer `relay` publishes to the topics of these users.
    @Option var users: String

    /// The approximate size of the status of a benchmark's report, in bytes.
    static let statusBytes = 250
    /// After this many reports, `plain` asks how many confirmations the broker has read.
    ///
    /// The service answers equally often: it sends one answer after every `ReportLoad.markEvery` reports.
    private static let askEvery = ReportLoad.markEvery

    /// Consumes messages until the process ends.
    ///
    /// - Throws: A `Problem`, `MosquittoError` or `LoadError`.
    func run() throws {
        let count = try SharedCounter(path: counter)
        let password = try SecretFile.read(passwordFile)
        let options = ConnectionOptions("bench-\(kind.rawValue)", of: "tools", port: port, password: password)
        switch kind {
        case .plain: try runPlain(options, count)
        case .received: try runReceived(options, count)
        case .relay: try runRelay(options, count)
        case .echo: try runEcho(options)
        case .hops: try runHops(options)
        case .flushedHops:
            var disk = try BenchDisk(path: counter + ".disk")
            try runHops(options) { if $0 > 0 { try disk.commit() } }
        }
    }

    private func runPlain(_ options: ConnectionOptions, _ count: SharedCounter) throws {
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
            count.value = client.confirmed
        }
    }

    private func runReceived(_ options: ConnectionOptions, _ count: SharedCounter) throws {
        var client = try subscribed(options)
        while true {
            try client.loop()
            count.value = client.received
        }
    }

    private func subscribed(_ options: ConnectionOptions) throws -> PlainSubscriber {
        var client = try PlainSubscriber(options, filters: ["\(root)/device/+/report"])
        while !client.isSubscribed { try client.loop() }
        say("ready")
        return client
    }

    private func runRelay(_ options: ConnectionOptions, _ count: SharedCounter) throws {
        let users = users.split(separator: ",").map(String.init)
        var relay = Relay(root: root, users: users, statusBytes: statusBytes)
        var received = 0
        try serve(options, ["\(root)/device/+/report"], isRetained: true) { topic, payload in
            relay.prepare(topic, payload)
            return (relay.topic, relay.payload)
        } after: {
            received += $0
            count.value = received
        }
    }

    private func runEcho(_ options: ConnectionOptions) throws {
        let levels = root.utf8.count { $0 == UInt8(ascii: "/") } + 4
        try serve(options, ["\(root)/app/+/+/request/#"]) { topic, payload in
            let parts = topic.split(separator: UInt8(ascii: "/")).prefix(levels)
            return (Array(parts.joined(separator: "/".utf8)) + "/response".utf8, Array(payload))
        }
    }

    private func runHops(_ options: ConnectionOptions, before: (Int) throws -> Void = { _ in }) throws {
        var hops = BenchHops(root: root)
        try serve(options, BenchHops.filters(root), before: before) { topic, payload in
            hops.follow(topic, payload).map { (Array($0.topic.utf8), Array($0.payload.utf8)) }
        }
    }

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
            try client.receive(upTo: 500, linger: .milliseconds(5), wait: .seconds(1), into: &intake)
            try before(intake.deliveries.count)
            for delivery in intake.deliveries {
                guard let next = follow(intake.bytes[delivery.topic], intake.bytes[delivery.payload]) else { continue }
                let topic = String(decoding: next.topic, as: UTF8.self)
                try client.publish(topic: topic, payload: next.payload, isRetained: isRetained)
            }
            try client.flush()
            after(intake.deliveries.count)
        }
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

/// Converts a report to a status that is as large as the service's statuses.
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
        // The last two characters of a device id are random. They therefore spread the devices over the users.
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
