import Domain
import Storage

/// Where a new command stands, at the device and among the others.
enum CommandPlace {
    /// The device is there; what is called for goes out just before it.
    case front(CommandCall?)
    /// Others go out before it as soon as the device listens.
    case behind
    /// The connection is so new that nobody may hear it before that moment; whether only such go out
    /// before it as count as sent.
    case unheard(until: Instant, isNext: Bool)
    /// The device is not there.
    case away

    /// Finds the place of a new command of a device.
    init(_ record: StatusRecord, _ limits: Limits, in tx: Transaction) throws {
        let presence = record.status.presence
        if !presence.isOnline {
            self = .away
        } else if let moment = presence.unheard(at: tx.now, within: limits.callSeconds) {
            let isNext =
                try !tx.commands.hasWaiting(record.did)
                && tx.commands.sentCount(record.did) < limits.queuedPerDevice
            self = .unheard(until: moment, isNext: isNext)
        } else {
            let call = try tx.commands.nextCall(of: record.did)
            self = call?.isAhead(at: tx.now) == true ? .behind : .front(call)
        }
    }

    /// Whether it goes out with nothing before it.
    var isFirst: Bool { if case .front(nil) = self { true } else { false } }
    /// Whether the device is not there.
    var isAway: Bool { if case .away = self { true } else { false } }
    /// Until when nobody may hear it; nil where the device listens or is away.
    var listensFrom: Instant? {
        if case .unheard(let moment, _) = self { moment } else { nil }
    }
}
