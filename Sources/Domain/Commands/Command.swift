package import JSON

/// A command to a device and its outcome.
///
/// The documentation describes the life of a command (reference: commands#life).
package struct Command: Sendable, Equatable {
    /// The state of a command, as far as the service knows.
    package enum State: String, Sendable, CaseIterable {
        case queued, sent, done, failed, expired, superseded

        /// True if no other state can follow.
        package var isFinal: Bool { self != .queued && self != .sent }
    }

    /// How a command is handled while its device is offline.
    package enum Mode: String, Sendable, CaseIterable {
        /// The command is refused.
        case now
        /// The command is queued, and sent together with the other queued commands when the device connects.
        case queue
    }

    /// A change of the command's state, with its time and its cause.
    package struct Step: Sendable, Equatable {
        /// The party that caused a change of state.
        package enum Cause: String, Sendable {
            case asker, device, system
        }

        /// The new state.
        package var state: State
        /// The time at which the state began.
        package var at: Instant
        /// The party that caused the state.
        package var cause: Cause

        /// Makes a step.
        package init(_ state: State, at: Instant, by cause: Cause) {
            (self.state, self.at, self.cause) = (state, at, cause)
        }
    }

    /// The kind of a command.
    package enum Kind: String, Sendable {
        case write, query
    }

    /// The device that the command is for.
    package var did: DeviceID
    /// The command's number, which is larger than the numbers of all earlier commands to the device.
    package var cid: Int64
    /// The app's own number for the command.
    package var sn: Int64
    /// The command's kind.
    package var kind: Kind
    /// The command's state.
    package private(set) var state: State
    /// The mode, which says whether the command may wait until the device is online.
    package var mode: Mode
    /// The values to set, with write-only values masked.
    package var data: JSONObject
    /// The unmasked values, if `data` masks some of them and the state isn't final.
    package var hidden: JSONObject?
    /// Bytes for the device, as base64 text.
    package var binary: String?
    /// The sender of the command.
    package var actor: Actor
    /// The user for whom a server sent the command, if any.
    package var beneficiary: UserID?
    /// The app whose terminal receives the outcome, if a terminal sent the command.
    package var app: AppID?
    /// The time at which the command was accepted.
    package var createdAt: Instant
    /// The time at which the command expires.
    package var expiresAt: Instant
    /// The time at which the command's state became final.
    package var doneAt: Instant?
    /// The states that the command has had, in order.
    package var steps: [Step]
    /// The reason why the service gave up on the command, before or after sending it.
    package var refusal: ErrorCode?
    /// The device's result code.
    package var code: Int64?
    /// The data in the device's answer.
    package var result: JSONObject?
    /// The trace id of the request that caused the command.
    package var trace: TraceID?
    /// Whether the device answered after the command had expired.
    package var isLate = false

    /// The user whose rights the command uses and who sees its outcome, or nil without such a user.
    package var user: UserID? { actor.kind == .user ? UserID(trusted: actor.id) : beneficiary }

    /// The number of values that the command sets.
    package var valueCount: Int { data.members.count }

    /// Makes a command.
    package init(
        did: DeviceID,
        cid: Int64,
        sn: Int64,
        kind: Kind,
        state: State,
        mode: Mode = .now,
        data: JSONObject,
        binary: String? = nil,
        actor: Actor,
        app: AppID?,
        createdAt: Instant,
        expiresAt: Instant,
        steps: [Step]? = nil
    ) {
        self.did = did
        self.cid = cid
        self.sn = sn
        self.kind = kind
        self.state = state
        self.mode = mode
        self.data = data
        self.binary = binary
        self.actor = actor
        self.app = app
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.steps = steps ?? [Step(state, at: createdAt, by: .asker)]
    }

    /// Changes the command's state; a final state removes the hidden values.
    package mutating func turn(_ next: State, at now: Instant, by cause: Step.Cause) {
        state = next
        steps.append(Step(next, at: now, by: cause))
        guard next.isFinal else { return }
        doneAt = now
        hidden = nil
    }

    /// The time at which the command was sent, or nil if it wasn't sent or the time is unknown.
    package var sentAt: Instant? { steps.last { $0.state == .sent }?.at }

    /// Returns whether the command has reached its expiry time.
    package func isOver(at now: Instant) -> Bool { expiresAt <= now }

    /// The default lifetime of a command of the mode `now`, in seconds.
    package static let ttlDefault: Int64 = 30
    /// The default lifetime of a command of the mode `queue`, in seconds: 7 days.
    package static let queuedTTLDefault: Int64 = 604_800
    /// The longest lifetime of a command, in seconds: 7 days.
    package static let ttlMax: Int64 = 604_800
}
