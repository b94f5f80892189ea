import Domain
import Storage

/// The place of a new command: whether its device listens, and which commands precede it.
enum DispatchState {
    /// The device is connected; the commands of a pending dispatch request are sent just before it.
    case front(DispatchRequest?)
    /// Other commands are sent before it as soon as the device listens.
    case behind
    /// The connection is so new that the device may not listen before `until`; `isNext` is true if only commands that
    /// count as sent precede it.
    case unheard(until: Instant, isNext: Bool)
    /// The device is offline.
    case away

    /// Finds the place of a new command of a device.
    init(_ record: StatusRecord, in work: UnitOfWork) throws {
        let presence = record.status.presence
        if !presence.isOnline {
            self = .away
        } else if let moment = presence.unheard(at: work.now, within: work.limits.dispatchSeconds) {
            let isNext =
                try !work.tx.commands.hasWaiting(record.did)
                && work.tx.commands.sentCount(record.did) < work.limits.queuedPerDevice
            self = .unheard(until: moment, isNext: isNext)
        } else {
            let dispatch = try work.tx.commands.nextDispatch(of: record.did)
            self = dispatch?.isAhead(at: work.now) == true ? .behind : .front(dispatch)
        }
    }

    /// Whether the device listens and no command precedes the new one.
    var isFirst: Bool { if case .front(nil) = self { true } else { false } }
    /// Whether the device is offline.
    var isAway: Bool { if case .away = self { true } else { false } }
    /// The time before which the device may not listen; nil if it listens or is offline.
    var listensFrom: Instant? {
        if case .unheard(let moment, _) = self { moment } else { nil }
    }
}
