import Domain
import Storage
import Wire

/// An input that concerns a device.
///
/// Rare cases are indirect, so that inputs are small and cheap to copy.
enum StatusInput {
    case report(ReceivedReport)
    /// A presence signal and its message; the message is nil if the worker itself made the signal.
    indirect case presence(PresenceSignal, Inbound?)
    indirect case info(RegistrationCodec.Info, Inbound)
    /// A user whose retained status must be published again or cleared.
    case refresh(UserID)
    /// A user whose retained status must be checked.
    case retained(UserID)
}

/// An input, together with the id of the device that it concerns.
struct StatusItem {
    let did: DeviceID
    let input: StatusInput
    /// The device's index in the batch, set when the batch is loaded.
    var place = 0

    init(_ did: DeviceID, _ input: StatusInput) { (self.did, self.input) = (did, input) }
}

/// The data of one batch: its messages, their devices and their effects.
///
/// A batch is read, loaded, processed in memory, and saved. The number of SQL statements doesn't depend on the batch's
/// size.
struct StatusBatch {
    private var items: [StatusItem] = []
    /// The returned marks of a presence reconciliation.
    private var marks: [Instant] = []
    private var devices = DeviceEntries()
    private var history = HistoryAdditions()
    private var reports = ReportProcessor()
    private var presence = PresenceProcessor()

    // MARK: Read

    /// Adds an input about a device.
    mutating func add(_ input: StatusInput, of did: DeviceID) { items.append(StatusItem(did, input)) }

    /// Reads a message.
    ///
    /// An unreadable or misdirected message becomes a dead letter. The message is refused if its sender can be
    /// answered.
    mutating func read(_ message: Inbound, on topic: Topic, in work: inout UnitOfWork) {
        switch topic {
        case .report(let did):
            guard let report = Self.decode(message, of: did, in: &work, with: ReportCodec.decode) else {
                return work.effects.observed.count(.refused)
            }
            add(.report(ReceivedReport(report, in: message)), of: did)
        case .presence(let did):
            let decode = PresenceCodec.decode(device:)
            guard let signal = Self.decode(message, of: did, in: &work, with: decode) else { return }
            add(.presence(signal, message), of: did)
        case .gatePresence(let did):
            let decode = PresenceCodec.decode(gate:)
            guard let signal = Self.decode(message, of: did, in: &work, with: decode) else { return }
            add(.presence(signal, message), of: did)
        case .info(let did):
            let decode = RegistrationCodec.decode(info:)
            let info = Self.decode(message, of: did, isSecret: true, in: &work, with: decode)
            if let info { add(.info(info, message), of: did) }
        case .status(let uid, let did):
            // Only retained messages matter. All others are the worker's own messages, which the broker delivers back.
            if message.isRetained { add(.retained(uid), of: did) }
        case .workerState:
            guard let state = SystemCodec.decode(workerState: message.payload) else { return }
            marks.append(state.ts)
        case .malformed(let reason): work.effects.deadLetter(message, unknownTopic: reason)
        default:
            work.effects.deadLetter(message, unknownTopic: "the topic is not for this worker")
        }
    }

    /// Decodes a device's payload; if the payload is unreadable, refuses the message and returns nil.
    private static func decode<Value>(
        _ message: Inbound,
        of did: DeviceID,
        isSecret: Bool = false,
        in work: inout UnitOfWork,
        with decode: (ArraySlice<UInt8>) throws(WireError) -> Value
    ) -> Value? {
        do {
            return try decode(message.payload)
        } catch {
            work.refuse(message, of: did, unreadable: error, isSecret: isSecret)
            return nil
        }
    }

    /// Locks the devices of all inputs.
    ///
    /// A transaction that writes data of these devices before `carryOut` must call this method first.
    func lock(in tx: Transaction) throws { try tx.lock(devices: Array(Set(items.map(\.did)))) }

    // MARK: Load, decide, save

    /// Processes all inputs, and returns command outcomes, which must be published first.
    mutating func carryOut(
        reconciling reconciliation: inout PresenceReconciliation,
        in work: inout UnitOfWork
    ) throws -> Effects {
        try devices.load(&items, in: work)
        try reports.deduplication.load(items, of: devices, in: work)
        try reports.answers.load(items, in: work.tx)
        for item in items { try decide(item, reconciling: &reconciliation, in: &work) }
        // The order of marks and announcements in the batch doesn't matter, because devices are checked only after the
        // batch.
        for mark in marks { reconciliation.markReturned(mark) }
        return try save(in: &work)
    }

    /// Processes an item; items are processed in order of arrival.
    private mutating func decide(
        _ item: StatusItem,
        reconciling reconciliation: inout PresenceReconciliation,
        in work: inout UnitOfWork
    ) throws {
        let place = item.place
        switch item.input {
        case .report(let received):
            try reports.decide(received, of: &devices.entries[place], history: &history, in: &work)
        case .presence(let signal, let message):
            reconciliation.recordPresence(signal, of: item.did)
            presence.decide(signal, message: message, of: &devices.entries[place], history: &history, in: &work)
        case .info(let info, let message): try devices.entries[place].update(info, message: message, in: &work)
        case .refresh(let uid): devices.entries[place].refreshStatus(of: uid, in: &work)
        case .retained(let uid):
            if devices.entries[place].subscriberSet.contains(uid) { return }
            devices.entries[place].clearStatus(of: uid, in: &work)
        }
    }

    /// Writes the results of a batch; returns the outcomes of commands.
    private func save(in work: inout UnitOfWork) throws -> Effects {
        try work.tx.statuses.save(reported: devices.records(.reported), moved: devices.records(.presence))
        devices.logStatuses(in: &work)
        try work.tx.history.append(history.records)
        try work.tx.events.append(history.events)
        for (did, event) in history.events { work.log(event, of: did, product: devices.productKey(of: did)) }
        try work.tx.inbox.add(reports.deduplication.claims)
        let outcomes = try reports.answers.save(of: devices, in: &work)
        try presence.save(in: &work)
        return outcomes
    }
}
