import Batching
import DequeModule
import Domain
import Glibc
import JSON
import Logging
import Mosquitto
import Service
import Storage
import Synchronization
import Wire
import Workers

/// A tap on the broker's messages for operators who watch them.
///
/// The tap's read-only client (`service:console`) is connected only while an operator is watching. The gate limits the
/// client's messages per second.
///
/// The tap keeps the newest lines, without their secrets. Each stream reads at its own pace. A slow stream delays
/// neither other streams nor the broker.
final class Tap: Sendable {
    fileprivate struct State {
        /// The devices whose messages are watched, where nil stands for all messages.
        var wanted: Set<DeviceID?> = []
        var isRunning = false
        var isListening = false
        var lines: Deque<TapLine> = []
        /// The number of the newest line.
        var newest: Int64
        /// The number of messages that the gate has left out since the service started.
        var left: Int64 = 0
        var rates = TapRates()
        /// A number that grows with each change of the state.
        var serial = 0
    }

    private let context: ConsoleContext
    private let state: Mutex<State>
    private let waker: Waker?
    private let logger = Logger(label: "lamplighter.console")

    /// The maximum number of lines that are kept: about two seconds of messages.
    private static let keptMax = 800
    /// How long the tap's thread waits for a message before it checks whether any stream still watches.
    private static let patience: Duration = .milliseconds(250)

    init(_ context: ConsoleContext) {
        self.context = context
        waker = try? Waker()
        // Line numbers begin at the current time. So they grow even after a restart, and streams can resume.
        state = Mutex(State(newest: context.now.milliseconds * 1_000))
    }

    /// Sets the watched devices; an empty set ends the connection.
    func want(_ wanted: Set<DeviceID?>) {
        let starts = state.withLock { state in
            state.wanted = wanted
            defer { state.isRunning = state.isRunning || !wanted.isEmpty }
            return !wanted.isEmpty && !state.isRunning
        }
        waker?.wake()
        if starts { PlainThread.detach { self.work() } }
    }

    /// A number that grows whenever there is something new to report.
    var serial: Int { state.withLock(\.serial) }

    // MARK: Streams

    /// A stream's position in the tap.
    struct Position: Sendable {
        var number: Int64
        var left: Int64
        /// How many more lines the stream was allowed to receive at the moment `at`.
        var mayTell = Double(Tap.toldMax)
        var at = ContinuousClock.now
        /// The members of the last report, as JSON, without `term`, `lines` and `left`.
        var told: [UInt8] = []
    }

    /// The maximum number of lines that a stream gets per second.
    ///
    /// After a pause, a stream gets at most this number of lines in one report.
    private static let toldMax = 50

    /// Returns the position after the line with the given number, or after the newest line if the number is nil.
    func begin(after number: Int64?) -> Position {
        state.withLock { Position(number: min(number ?? $0.newest, $0.newest), left: $0.left) }
    }

    /// Returns the messages that came after a position, in the form of the schema's `Tap`.
    ///
    /// The result is nil if nothing is new. If `did` is set, only this device's messages are returned. If there are
    /// more lines than the stream may receive, messages that weren't accepted take precedence, and the newest accepted
    /// messages fill the rest. `names` returns the names of devices.
    func look(
        _ did: DeviceID?,
        from position: inout Position,
        for role: OperatorRole,
        names: (Set<DeviceID>) throws -> [DeviceID: String]
    ) rethrows -> JSONObject? {
        let (all, now) = state.withLock { state in
            let first = state.lines.firstIndex { $0.number > position.number }
            let lines = first.map { Array(state.lines[$0...]) } ?? []
            return (lines, (state.newest, state.left, state.isListening, state.rates))
        }
        let lines = did.map { did in all.filter { $0.did == did } } ?? all
        let moment = ContinuousClock.now
        let passed = (moment - position.at) / .seconds(1) * Double(Self.toldMax)
        let budget = min(Double(Self.toldMax), position.mayTell + passed)
        let odd = lines.filter { $0.outcome != .accepted }.suffix(Int(budget))
        let others = lines.filter { $0.outcome == .accepted }.suffix(Int(budget) - odd.count)
        let told = (odd + others).sorted { $0.number < $1.number }
        (position.mayTell, position.at) = (budget - Double(told.count), moment)
        // The buffer knows how many lines it has dropped, but not from which devices.
        let lost = did == nil ? max(0, now.0 - position.number - Int64(all.count)) : 0
        let left = now.1 - position.left + lost + Int64(lines.count - told.count)
        let rest: [(String, JSONValue?)] = [("isListening", .bool(now.2))] + (did == nil ? now.3.json : [])
        let beside = JSONObject(rest).encoded()
        guard !told.isEmpty || left > 0 || beside != position.told else {
            position.number = now.0
            return nil
        }
        (position.number, position.left, position.told) = (now.0, now.1, beside)
        let term = Watch.tap(did).text
        let dids = Set(told.compactMap(\.did))
        let named = dids.isEmpty ? [:] : try names(dids)
        return JSONObject(
            [
                ("term", .string(term)),
                ("lines", .array(told.map { $0.json(for: role, deviceName: $0.did.flatMap { named[$0] }) })),
                ("left", .integer(left)),
            ] + rest
        )
    }

    // MARK: The connection

    private func work() {
        var backoff = Backoff()
        while goesOn() {
            do {
                try listen(&backoff)
            } catch {
                logger.info("the console can't watch messages", metadata: ["reason": "\(error)"])
                note { $0.isListening = false }
                pause(backoff.next())
            }
        }
    }

    /// Returns whether an operator is still watching messages.
    ///
    /// If no operator is watching, this call removes the kept lines and rates, and the tap's thread ends.
    private func goesOn() -> Bool {
        state.withLock { state in
            if state.wanted.isEmpty {
                (state.isRunning, state.isListening) = (false, false)
                state.lines.removeAll()
                state.rates = TapRates()
            }
            return state.isRunning
        }
    }

    private func pause(_ time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end, state.withLock({ !$0.wanted.isEmpty }) { usleep(50_000) }
    }

    private func note(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.serial += 1
        }
    }

    private func listen(_ backoff: inout Backoff) throws {
        guard let waker else { return pause(.seconds(1)) }
        var client = try MosquittoClient(BrokerAccess.console(context.run), waker: waker)
        _ = try client.connect()
        backoff.reset()
        var (subscribed, epoch) = (Set<String>(), Int64?.none)
        var reader = TapReader(topics: context.environment.topics)
        var intake = Intake()
        while true {
            let wanted = filters()
            guard !wanted.isEmpty else { return client.disconnect() }
            if wanted != subscribed {
                try client.unsubscribe(subscribed.subtracting(wanted).sorted())
                let options = SubscribeOptions(quality: .atMostOnce, retainHandling: .never)
                try client.subscribe(wanted.subtracting(subscribed).sorted(), options: options)
                subscribed = wanted
                note { $0.isListening = true }
            }
            try client.receive(upTo: Self.keptMax, linger: .milliseconds(5), wait: Self.patience, into: &intake)
            if !intake.deliveries.isEmpty { try renew(&reader, &epoch) }
            take(intake, reader)
            try client.flush()
        }
    }

    private func filters() -> Set<String> {
        let wanted = state.withLock(\.wanted)
        let root = context.environment.topics.root
        guard !wanted.contains(nil) else { return ["\(root)/#"] }
        let ends = wanted.compactMap(\.self).flatMap { did in
            ["device/\(did)/+", "user/+/device/\(did)/+", "system/presence/\(did)"]
        }
        guard !ends.isEmpty else { return [] }
        let all = ends + ends.map { "\(Shard.level)/+/\($0)" }
        return Set((all + ["system/refusal", "system/dead-letter"]).map { "\(root)/\($0)" })
    }

    /// If a product has changed, reads the list of write-only data points again.
    private func renew(_ reader: inout TapReader, _ epoch: inout Int64?) throws {
        try context.store.read { tx in
            let newest = try tx.meta.catalogEpoch()
            guard newest != epoch else { return }
            let points = try tx.products.all().flatMap(\.dataPoints)
            let names = points.filter { $0.access == .writeOnly }.map(\.name)
            (reader.mask, epoch) = (SecretMask(writeOnly: Set(names)), newest)
        }
    }

    private func take(_ intake: Intake, _ reader: TapReader) {
        let now = context.now
        let readings = intake.deliveries.map { delivery in
            reader.read(topic: intake.bytes[delivery.topic], payload: intake.bytes[delivery.payload], at: now)
        }
        state.withLock { state in
            let isNewSecond = state.rates.turn(to: now.milliseconds / 1_000)
            for reading in readings { state.take(reading) }
            let surplus = max(0, state.lines.count - Self.keptMax)
            state.lines.removeFirst(surplus)
            if isNewSecond || !readings.isEmpty { state.serial += 1 }
        }
    }
}

extension Tap.State {
    fileprivate mutating func take(_ reading: TapReader.Reading) {
        switch reading {
        case .nothing: break
        case .left(let count):
            left += count
            rates.note(left: count)
        case .line(var line):
            newest += 1
            line.number = newest
            rates.note(line)
            lines.append(line)
        }
    }
}
