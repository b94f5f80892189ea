package import JSON

/// An order to a device and what became of it (PROTOCOL 2.4).
package struct Command: Sendable, Equatable {
    /// What is known of a command, and no more than that.
    package enum State: String, Sendable, CaseIterable {
        case queued, sent, done, failed, expired, superseded

        /// Whether nothing can follow.
        package var isFinal: Bool { self != .queued && self != .sent }
    }

    /// What a command asks for.
    package enum Kind: String, Sendable {
        case write, query
    }

    /// The device.
    package var did: DeviceID
    /// Grows strictly per device.
    package var cid: Int64
    /// The app's own number.
    package var sn: Int64
    /// What it asks for.
    package var kind: Kind
    /// What is known of it.
    package var state: State
    /// The values to set.
    package var data: JSONObject
    /// Bytes for the device, as base64 text.
    package var binary: String?
    /// Who asked.
    package var actor: Actor
    /// Through which app and terminal the outcome is told; nil when no terminal asked.
    package var app: AppID?
    /// When it was taken.
    package var createdAt: Instant
    /// When it loses its meaning.
    package var expiresAt: Instant
    /// When its state became final.
    package var doneAt: Instant?
    /// How the device says it went.
    package var code: Int64?
    /// What the device answered.
    package var result: JSONObject?
    /// Whether the device answered after the expiry.
    package var isLate = false

    /// Makes a command.
    package init(
        did: DeviceID,
        cid: Int64,
        sn: Int64,
        kind: Kind,
        state: State,
        data: JSONObject,
        binary: String? = nil,
        actor: Actor,
        app: AppID?,
        createdAt: Instant,
        expiresAt: Instant
    ) {
        self.did = did
        self.cid = cid
        self.sn = sn
        self.kind = kind
        self.state = state
        self.data = data
        self.binary = binary
        self.actor = actor
        self.app = app
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// How long a command lives unless its sender says otherwise, in seconds.
    package static let ttlDefault: Int64 = 30
    /// How long a command may live, in seconds: 7 days.
    package static let ttlMax: Int64 = 604_800
}

/// How a command's life goes on.
package enum CommandRules {
    /// Takes a device's answer; tells whether the state became final by it.
    ///
    /// A second answer changes nothing; one after the expiry is kept as late and the state stays.
    package static func answered(
        _ command: inout Command,
        code: Int64,
        data: JSONObject?,
        at now: Instant
    ) -> Bool {
        switch command.state {
        case .sent where now < command.expiresAt, .queued where now < command.expiresAt:
            command.state = code == 0 ? .done : .failed
            command.doneAt = now
            command.code = code
            command.result = data
            return true
        case .sent, .queued:
            _ = expired(&command, at: now)
            keepLate(&command, code: code, data: data)
            return true
        case .expired where !command.isLate:
            keepLate(&command, code: code, data: data)
            return false
        case .expired, .done, .failed, .superseded:
            return false
        }
    }

    /// Ends a command whose time is over; tells whether it changed.
    package static func expired(_ command: inout Command, at now: Instant) -> Bool {
        guard !command.state.isFinal, command.expiresAt <= now else { return false }
        command.state = .expired
        command.doneAt = now
        return true
    }

    private static func keepLate(_ command: inout Command, code: Int64, data: JSONObject?) {
        command.isLate = true
        command.code = code
        command.result = data
    }
}
