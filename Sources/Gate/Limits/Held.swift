import Metering

/// The record of how much memory the broker uses for one client.
///
/// Any client except a service can have a record. If the client has no connection, the record is kept until the
/// client's session ends.
final class Held {
    let clientId: String
    let limit: HeldLimit
    /// The connected client; nil for a session without a connection.
    weak var client: Client? { didSet { takenAt = Clock.coarse() } }
    /// The number of bytes in use, including `PrivateStructure.bytesPerMessage` for each message.
    private(set) var bytes = 0
    private(set) var messages = 0
    /// The statuses that the client has missed and that must be published again.
    var missed = MissedStatuses()
    /// The time when the gate last reported that it refused a delivery to the client.
    var report = ReportTime()
    private var readAt: Int64 = .min / 2
    private var readMessages = 0
    /// Whether the last reading found room for another message, and for another status.
    ///
    /// If there was room, the memory is read again whenever the room is used up. This can happen many times a second.
    private var hadRoom = (message: false, status: false)
    /// The time of the last estimate or of the last change of `client`, whichever is later.
    private var takenAt = Clock.coarse()
    /// The memory address of the oldest message that the client hasn't acknowledged.
    ///
    /// The value is 0 while the client isn't blocked: the limit leaves room for another message, and the broker can
    /// send that message without waiting for an acknowledgement. The value is 1 if the client is blocked but the
    /// address is unknown.
    private var oldest: UInt = 0
    /// The time at which `oldest` last changed, or `Int64.max` while `oldest` is 0.
    private(set) var stuckSince: Int64 = .max
    /// The time at which a session without a connection expires.
    var lapsesAt: Int64 = .max

    init(_ clientId: String, limit: HeldLimit) {
        (self.clientId, self.limit) = (clientId, limit)
    }

    /// Returns whether a delivery fits within the limit.
    ///
    /// Statuses may use only three quarters of the limit.
    func hasRoom(bytes size: Int, isStatus: Bool) -> Bool {
        let (bytesMax, messagesMax) = isStatus ? limit.forStatuses : (limit.bytes, limit.messages)
        return (bytesMax == 0 || bytes &+ size <= bytesMax) && (messagesMax == 0 || messages < messagesMax)
    }

    /// Whether memory use is low enough to send the missed statuses.
    var isDrained: Bool { isWithin(oneIn: 4) }

    private func isWithin(oneIn parts: Int) -> Bool {
        (limit.bytes == 0 || bytes <= limit.bytes / parts)
            && (limit.messages == 0 || messages <= limit.messages / parts)
    }

    /// Counts a delivery.
    func add(bytes size: Int) {
        bytes &+= size
        messages &+= 1
    }

    /// Reads from the broker how much memory the broker uses for the client.
    ///
    /// The memory is read if the call is forced. It is also read if the last reading found room or is at least 0.1 s
    /// old. It is also read if the number of waiting messages has fallen, since the last reading, by at least an eighth
    /// of the allowed number.
    ///
    /// If the broker's memory can't be read, the amount is estimated. The estimate assumes that the connection accepts
    /// data at a fixed rate (`HeldLimit.takenBytesPerSecond`). If `isAccepting` is false, the estimate assumes that the
    /// connection accepts no data.
    func read(
        _ pointer: OpaquePointer?,
        isConnected: Bool,
        at now: Int64,
        isForced: Bool = false,
        isStatus: Bool = false,
        isAccepting: Bool
    ) {
        let mayHaveRoom = isStatus ? hadRoom.status : hadRoom.message
        guard isForced || mayHaveRoom || now &- readAt >= 100 || hasAcknowledged(pointer) else { return }
        readAt = now
        guard let pointer else { return }
        guard let holding = PrivateStructure.holding(of: pointer) else {
            return isConnected ? estimate(at: now, isAccepting: isAccepting) : ()
        }
        (messages, readMessages) = (holding.messages, holding.messages)
        bytes = holding.bytes &+ messages &* PrivateStructure.bytesPerMessage
        let least = PrivateStructure.bytesPerMessage
        hadRoom = (hasRoom(bytes: least, isStatus: false), hasRoom(bytes: least, isStatus: true))
        let isFull = holding.isWindowFull || !hadRoom.message
        noteOldest(isFull && isConnected ? max(1, holding.oldest) : 0, at: now)
    }

    private func hasAcknowledged(_ pointer: OpaquePointer?) -> Bool {
        guard limit.messages > 0, let waiting = pointer.flatMap(PrivateStructure.messages) else { return false }
        return waiting <= readMessages &- limit.messages / 8
    }

    /// Lowers the counts by the deliveries that the connection may have accepted since the last estimate.
    func estimate(at now: Int64, isAccepting: Bool) {
        let elapsed = isAccepting ? Int(min(now &- takenAt, 3_600_000)) : 0
        takenAt = now
        bytes = max(0, bytes &- elapsed &* HeldLimit.takenBytesPerSecond / 1_000)
        messages = max(0, messages &- elapsed &* HeldLimit.takenMessagesPerSecond / 1_000)
        let isFull = !hasRoom(bytes: PrivateStructure.bytesPerMessage, isStatus: false)
        noteOldest(isFull ? 1 : 0, at: now)
    }

    private func noteOldest(_ message: UInt, at now: Int64) {
        guard message != oldest else { return }
        oldest = message
        stuckSince = message == 0 ? .max : now
    }

    /// Empties the record after the session has ended.
    func clear() {
        (bytes, messages, missed) = (0, 0, MissedStatuses())
        noteOldest(0, at: 0)
    }
}

/// The limit on the messages that may wait for one client.
struct HeldLimit: Equatable {
    /// The maximum number of bytes; 0 for no limit.
    var bytes: Int
    /// The maximum number of messages; 0 for no limit.
    var messages: Int

    /// The assumed rate of a connection if the broker's memory can't be read.
    ///
    /// The number of bytes per second equals the default of `limits.answerBytes`, which limits the answers to a
    /// terminal.
    static let takenBytesPerSecond = 512 << 10
    static let takenMessagesPerSecond = 200

    /// Three quarters of the limit, so that statuses are refused before other messages.
    fileprivate var forStatuses: (bytes: Int, messages: Int) { (bytes / 4 &* 3, messages / 4 &* 3) }
}

/// The statuses that a terminal missed because too many messages were waiting.
struct MissedStatuses {
    /// The user to whom the statuses were published.
    private(set) var uid = ""
    /// The devices whose statuses were missed, or the first `didsMax` of them.
    private(set) var dids: Set<String> = []
    /// Whether the statuses of more than `didsMax` devices were missed.
    ///
    /// If this value is true, the statuses of all the user's devices count as missed.
    private(set) var isAll = false

    static let didsMax = 200

    var isEmpty: Bool { dids.isEmpty && !isAll }

    /// Records a missed status by its topic, which has the form `user/{uid}/device/{did}/status` below the root.
    mutating func note(_ topic: Bytes, rootLevels: Int) {
        let levels = String(decoding: topic, as: UTF8.self).split(separator: "/").dropFirst(rootLevels)
        guard levels.count == 5, let user = levels.dropFirst().first, let did = levels.dropFirst(3).first else {
            return
        }
        if uid != user { (uid, dids, isAll) = (String(user), [], false) }
        guard dids.count < Self.didsMax || dids.contains(String(did)) else { return isAll = true }
        dids.insert(String(did))
    }
}
