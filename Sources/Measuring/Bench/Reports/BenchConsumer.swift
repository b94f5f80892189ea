import ArgumentParser
import Files
import Glibc
import Load
import Mosquitto
import PlainSubscriber

/// A program that the service is compared with, in a process of its own: `lamplighter-bench consume`.
struct BenchConsumer: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "consume", shouldDisplay: false)

    /// The handling of a report.
    enum Kind: String, ExpressibleByArgument {
        /// A: libmosquitto used as its manual shows, without any work.
        ///
        /// A report counts once the broker has read its confirmation, as a report counts for the service once it's
        /// answered.
        case plain
        /// A*: as A, but a report counts as soon as it's received.
        ///
        /// A busy broker reads one packet of a connection for each packet of every device, so most confirmations are
        /// unread when the measurement ends: half of its work is left for later.
        case received
        /// B: reports are read in batches and each is published on, without a store.
        case relay
        /// Requests of apps are sent back unread.
        case echo
        /// Commands and their outcomes are passed on.
        case hops
        /// Commands and their outcomes are passed on, but each batch waits until the disk has written as much as for a
        /// commit.
        case flushedHops = "flushed-hops"
    }

    /// The handling of messages.
    @Argument var kind: Kind
    /// The broker's port on this machine.
    @Option var port: Int
    /// The user name at the broker.
    @Option var username: String
    /// The file with the password: passwords don't belong in arguments.
    @Option var passwordFile: String
    /// The file to which it writes its counts for the measuring process.
    @Option var counter: String
    /// The first levels of all topics.
    @Option var root: String
    /// The size of B's messages in bytes, the same as the size of the service's statuses.
    @Option var statusBytes: Int
    /// The users to whose topics B publishes, separated by commas.
    @Option var users: String

    /// The approximate size of the status of a benchmark's report, in bytes.
    static let statusBytes = 250
    /// The interval at which A asks how far the broker has read, the same as between the service's answers.
    private static let askEvery = ReportLoad.markEvery

    /// Consumes reports until the process ends.
    ///
    /// - Throws: A `Problem`, `MosquittoError` or `LoadError`.
    func run() throws {
        let count = try SharedCounter(path: counter)
        let options = ConnectionOptions(
            bench: "svc.tools.bench-\(kind.rawValue)",
            port: port,
            username: username,
            password: try SecretFile.read(passwordFile)
        )
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
            try client.receive(upTo: 500, linger: .milliseconds(5), wait: .seconds(1), into: &intake)
            try before(intake.deliveries.count)
            for delivery in intake.deliveries {
                guard let next = follow(intake.bytes[delivery.topic], intake.bytes[delivery.payload]) else { continue }
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
