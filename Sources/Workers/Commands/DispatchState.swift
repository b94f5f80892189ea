import Domain
import Storage

/// A device's state when a command arrives: whether it listens, and which commands come first.
enum DispatchState {
    /// The device is listening.
    ///
    /// If a dispatch request is pending, the device's queued commands are sent before the new command.
    case front(DispatchRequest?)
    /// Other commands are sent before the new command, as soon as the device is listening.
    case behind
    /// The device might not be listening before `until`.
    ///
    /// `isNext` is true if no command is queued, and the number of unanswered commands is below the limit.
    case unheard(until: Instant, isNext: Bool)
    /// The device is offline.
    case away

    /// Determines the state of a device at the moment when a new command arrives.
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

    /// True if the device is listening and no command precedes the new one.
    var isFirst: Bool { if case .front(nil) = self { true } else { false } }
    /// Whether the device is offline.
    var isAway: Bool { if case .away = self { true } else { false } }
    /// The time until which the device might not be listening, or nil if the state isn't `unheard`.
    var listensFrom: Instant? {
        if case .unheard(let moment, _) = self { moment } else { nil }
    }
}
