package import JSON

/// A command to a device and its outcome.
///
/// The rules in words (reference: commands#life).
package struct Command: Sendable, Equatable {
    /// The state of a command, as far as it is known.
    package enum State: String, Sendable, CaseIterable {
        case queued, sent, done, failed, expired, superseded

        /// Whether no other state can follow.
        package var isFinal: Bool { self != .queued && self != .sent }
    }

    /// The handling of a command while the device is offline.
    package enum Mode: String, Sendable, CaseIterable {
        /// It is refused.
        case now
        /// It is queued, and sent with the other queued commands.
        case queue
    }

    /// A state of the command, with its time and its cause.
    package struct Step: Sendable, Equatable {
        /// The party that caused a state.
        package enum Cause: String, Sendable {
            case asker, device, system
        }

        /// The state.
        package var state: State
        /// The time at which it began.
        package var at: Instant
        /// The party that caused it.
        package var cause: Cause

        /// Makes a step.
        package init(_ state: State, at: Instant, by cause: Cause) {
            self.state = state
            self.at = at
            self.cause = cause
        }
    }

    /// The kind of a command.
    package enum Kind: String, Sendable {
        case write, query
    }

    /// The device.
    package var did: DeviceID
    /// The command's number, which grows strictly per device.
    package var cid: Int64
    /// The app's own number.
    package var sn: Int64
    /// Its kind.
    package var kind: Kind
    /// Its state.
    package private(set) var state: State
    /// Whether it may wait for the device.
    package var mode: Mode
    /// The values to set, as they may be shown.
    package var data: JSONObject
    /// The values for the device if `data` hides some; nil once the state is final.
    package var hidden: JSONObject?
    /// Bytes for the device, as base64 text.
    package var binary: String?
    /// The sender.
    package var actor: Actor
    /// The user for whom a server with an API key sent it; nil for other senders.
    package var beneficiary: UserID?
    /// The app whose terminal receives the outcome; nil if no terminal sent the command.
    package var app: AppID?
    /// The time at which it was accepted.
    package var createdAt: Instant
    /// The expiry time.
    package var expiresAt: Instant
    /// The time at which its state became final.
    package var doneAt: Instant?
    /// The states that it has had, in order.
    package var steps: [Step]
    /// The reason why the service gave it up, whether or not it was sent.
    package var refusal: ErrorCode?
    /// The device's result code.
    package var code: Int64?
    /// The data of the device's answer.
    package var result: JSONObject?
    /// The trace of the request that caused it.
    package var trace: TraceID?
    /// Whether the device answered after the expiry.
    package var isLate = false

    /// The user by whose rights it is sent, and its outcome shown; nil for schedules, operators and the service.
    package var user: UserID? { actor.kind == .user ? UserID(trusted: actor.id) : beneficiary }

    /// The number of values to set.
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

    /// Changes the state; a final state drops the hidden values.
    package mutating func turn(_ next: State, at now: Instant, by cause: Step.Cause) {
        state = next
        steps.append(Step(next, at: now, by: cause))
        guard next.isFinal else { return }
        doneAt = now
        hidden = nil
    }

    /// The time at which it was sent; nil before, and for commands of versions that kept no steps.
    package var sentAt: Instant? { steps.last { $0.state == .sent }?.at }

    /// Returns whether it is past its deadline.
    package func isOver(at now: Instant) -> Bool { expiresAt <= now }

    /// The default life of a command, in seconds.
    package static let ttlDefault: Int64 = 30
    /// The default life of a command that waits for its device, in seconds: 7 days.
    package static let queuedTTLDefault: Int64 = 604_800
    /// The longest life of a command, in seconds: 7 days.
    package static let ttlMax: Int64 = 604_800
}
