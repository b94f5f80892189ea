import Domain
import Storage

/// The processor of presence signals: a device has connected, has disconnected, or is listening for commands.
struct PresenceProcessor {
    /// The devices that have come online in the batch.
    private var arrived: Set<DeviceID> = []
    /// The devices that have a new connection.
    private var connected: Set<DeviceID> = []
    /// The devices that have begun to listen for commands.
    private var listening: Set<DeviceID> = []

    /// Processes a presence signal; `message` is nil if the worker itself made the signal.
    mutating func decide(
        _ signal: PresenceSignal,
        message: Inbound?,
        of device: inout DeviceEntry,
        history: inout HistoryAdditions,
        in work: inout UnitOfWork
    ) {
        guard let before = device.record?.status else {
            if let message { work.refuseUnknown(device.did, message) }
            return
        }
        var status = before
        let silence = work.limits.dispatchSeconds
        let change = PresenceRules.decide(signal, presence: &status.presence, silence: silence, at: work.now)
        note(signal, of: device.did, from: before.presence, to: status.presence)
        if change != nil { status.ts = work.now }
        guard status != before else { return }
        device.change(.presence, to: status)
        guard let change else { return }
        let event = Event(
            id: work.makeID("e"),
            type: change.isOnline ? "online" : "offline",
            reason: change.reason,
            ts: work.now,
            actor: .device(device.did)
        )
        history.add(event, of: device.did)
        device.publishStatus(in: &work)
        device.publish(event, in: &work)
        if change.isOnline { arrived.insert(device.did) }
    }

    private mutating func note(_ signal: PresenceSignal, of did: DeviceID, from before: Presence, to presence: Presence)
    {
        if presence.connection > before.connection, presence.isAlive { connected.insert(did) }
        if case .listening(presence.connection) = signal, presence.isOnline { listening.insert(did) }
    }

    /// Asks the control worker to send queued and missed commands to the devices recorded in this batch.
    ///
    /// These devices have come online, have a new connection, or have begun to listen for commands.
    func save(in work: inout UnitOfWork) throws {
        let called = arrived.union(connected).union(listening).sorted()
        guard !called.isEmpty else { return }
        let now = work.now
        let later = now.adding(seconds: work.limits.dispatchSeconds)
        try work.tx.commands.requestDispatches(
            called.map { did in
                DispatchRequest(
                    did: did,
                    at: listening.contains(did) ? now : later,
                    sentBefore: connected.contains(did) || listening.contains(did) ? now : nil
                )
            }
        )
        for did in called { work.effects.wake(.control, of: did) }
    }
}
