package import JSON

/// A request for a command, before the command has a number and a state.
package struct CommandRequest: Sendable {
    /// The device that the command is for.
    package var did: DeviceID
    /// The kind of command.
    package var kind: Command.Kind
    /// The values to set, which are checked against the product's writable data points.
    package var data: JSONObject
    /// Bytes for the device instead of values, as base64 text.
    package var binary: String?
    /// The sender's own number for the command.
    package var sn: Int64
    /// How the command is handled while the device is offline.
    package var mode: Command.Mode
    /// The command's lifetime in seconds; if nil, the default of the command's mode applies.
    package var ttl: Int64?
    /// The sender of the command.
    package var actor: Actor
    /// The user for whom a server sends the command, if any.
    package var beneficiary: UserID?
    /// The app whose terminal receives the outcome, if the request came from a terminal.
    package var app: AppID?
    /// The trace id of the request.
    package var trace: TraceID

    /// Makes a request.
    package init(
        did: DeviceID,
        kind: Command.Kind = .write,
        data: JSONObject = [:],
        binary: String? = nil,
        sn: Int64 = 0,
        mode: Command.Mode = .now,
        ttl: Int64? = nil,
        actor: Actor,
        beneficiary: UserID? = nil,
        app: AppID? = nil,
        trace: TraceID = .make()
    ) {
        self.did = did
        self.kind = kind
        self.data = data
        self.binary = binary
        self.sn = sn
        self.mode = mode
        self.ttl = ttl
        self.actor = actor
        self.beneficiary = beneficiary
        self.app = app
        self.trace = trace
    }

    /// The command's lifetime, in seconds.
    package var lifetime: Int64 { ttl ?? (mode == .queue ? Command.queuedTTLDefault : Command.ttlDefault) }

    /// Returns the requested command in the state `queued`, with write-only data points masked in `data`.
    package func command(cid: Int64, product: Product, at now: Instant) -> Command {
        let shown = ProductRules.masked(data, product: product)
        var command = Command(
            did: did,
            cid: cid,
            sn: sn,
            kind: kind,
            state: .queued,
            mode: mode,
            data: shown,
            binary: binary,
            actor: actor,
            app: app,
            createdAt: now,
            expiresAt: now.adding(seconds: lifetime)
        )
        command.hidden = shown == data ? nil : data
        command.beneficiary = beneficiary
        command.trace = trace
        return command
    }
}
