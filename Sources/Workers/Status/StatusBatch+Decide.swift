import Domain
import JSON
import Storage
import Wire

extension StatusBatch {
    /// Decides message after message, in the order in which they came.
    mutating func decide(
        in tx: Transaction,
        ids: inout IDSource,
        reconciliation: inout PresenceReconciliation
    ) throws {
        for item in items {
            switch item.input {
            case .report(let report, let key):
                decide(report, key: key, item, at: tx.now, ids: &ids)
            case .presence(let signal):
                reconciliation.note(signal, of: dids[item.device])
                decide(signal, item, at: tx.now, ids: &ids)
            case .info(let info): try decide(info, item, in: tx)
            case .refresh(let uid): refresh(uid, item.device)
            case .kept(let uid):
                if !subscribers[item.device].contains(uid) { clear(uid, item.device) }
            case .mark(let ts): reconciliation.markReturned(ts)
            }
        }
    }

    // MARK: Reports

    private mutating func decide(
        _ report: Report,
        key: Int?,
        _ item: Item,
        at now: Instant,
        ids: inout IDSource
    ) {
        guard let product = product(of: item.device), var status = records[item.device]?.status
        else { return deadLetterUnknown(item) }
        let did = dids[item.device]
        if let version = key.flatMap({ versions[$0] }) {
            return answer(report, did, version: version, .repeat, at: now)
        }
        let ts = key == nil ? Repeats.time(of: report, at: now) : nil
        let json = ts.flatMap { _ in report.points.first?.data.encoded() }
        if let ts, let json, isRepeat(json, ts, item.device, &status) { return }
        switch StatusRules.decide(
            report,
            of: did,
            product: product,
            status: &status,
            at: now,
            ids: &ids
        )
        {
        case .failure(let rejection): refuse(report, item, rejection)
        case .success(let outcome):
            let isKept = keep(
                report,
                outcome,
                item.device,
                &status,
                json: json,
                at: now,
                ids: &ids
            )
            change(item.device, status)
            publishOutcome(report, outcome, status, product, item.device)
            note(report, at: now, did: did)
            if let key { claim(key, version: status.version) }
            let stored = isKept || outcome.stored == .state ? outcome.stored : nil
            answer(report, did, version: status.version, stored, at: now)
        }
    }

    private mutating func publishOutcome(
        _ report: Report,
        _ outcome: StatusRules.Outcome,
        _ status: Status,
        _ product: Product,
        _ device: Int
    ) {
        let users = subscribers[device]
        guard !users.isEmpty else { return }
        if outcome.isVisible {
            let actor = actor(of: report, device)
            publishStatus(status, changed: outcome.changed, product, device, actor: actor)
        }
        // Events of an earlier life are stored, but shown to no user.
        if let since = ownershipSince[device], outcome.ts < since { return }
        for event in outcome.events { publishEvent(event, device) }
        guard let binary = report.binary else { return }
        let did = dids[device]
        let payload = StatusCodec.binary(binary, of: did, ts: outcome.ts, cid: report.cid)
        for uid in users {
            effects.publish(OutboundMessage(topics.user(uid, device: did, "binary"), payload))
        }
    }

    /// Returns the sender of the command that a report answers.
    ///
    /// It is nil without a command, and for a user who isn't subscribed to the device: a former user of the device must
    /// not be shown to the present ones.
    private func actor(of report: Report, _ device: Int) -> Actor? {
        guard let cid = report.cid,
            let actor = commands[CommandKey(did: dids[device], cid: cid)]?.actor
        else { return nil }
        guard actor.kind == .user else { return actor }
        return subscribers[device].contains(UserID(trusted: actor.id)) ? actor : nil
    }

    private mutating func publishStatus(
        _ status: Status,
        changed: [String] = [],
        _ product: Product?,
        _ device: Int,
        actor: Actor? = nil
    ) {
        let did = dids[device]
        func payload(for reader: UserID?) -> [UInt8] {
            StatusCodec.encode(
                status,
                of: did,
                changed: changed,
                product: product,
                actor: actor,
                for: reader
            )
        }
        let common = payload(for: nil)
        let user = actor.flatMap { $0.kind == .user ? UserID($0.id) : nil }
        for uid in subscribers[device] {
            effects.publish(
                OutboundMessage(
                    topics.user(uid, device: did, "status"),
                    uid == user ? payload(for: uid) : common,
                    isRetained: true
                )
            )
        }
    }

    /// Tells a device's users of an event.
    mutating func publishEvent(_ event: Event, _ device: Int) {
        let did = dids[device]
        let payload = EventCodec.encode(event)
        for uid in subscribers[device] {
            effects.publish(OutboundMessage(topics.user(uid, device: did, "event"), payload))
        }
    }

    private mutating func answer(
        _ report: Report,
        _ did: DeviceID,
        version: Int64,
        _ stored: Report.Stored?,
        at now: Instant
    ) {
        guard let id = report.id else { return }
        let answer = ReportCodec.accepted(id, version: version, stored: stored, at: now)
        effects.publish(OutboundMessage(topics.response(did), answer))
    }

    private mutating func refuse(_ report: Report, _ item: Item, _ rejection: Rejection) {
        effects.count(rejection)
        if let source = item.source {
            let product = product(of: item.device)
            let isSecret = report.points.contains { product?.hides($0.data) == true }
            deadLetter(source, .refused, rejection.message, isSecret: isSecret)
        }
        guard let id = report.id else { return }
        effects.publish(
            OutboundMessage(
                topics.response(dids[item.device]),
                AnswerCodec.refusal(id, rejection)
            )
        )
    }

    private mutating func deadLetterUnknown(_ item: Item) {
        guard let source = item.source else { return }
        var id: MessageID?
        var isSecret = false
        switch item.input {
        case .report(let report, _): id = report.id
        case .info(let info): (id, isSecret) = (info.id, true)
        default: break
        }
        deadLetter(source, .unknownDevice, "the device is unknown", isSecret: isSecret)
        guard let id else { return }
        let rejection = Rejection(.resourceNotFound, "The device is unknown; register it again.")
        effects.count(rejection)
        effects.publish(
            OutboundMessage(
                topics.response(dids[item.device]),
                AnswerCodec.refusal(id, rejection)
            )
        )
    }

    // MARK: Presence

    private mutating func decide(
        _ signal: PresenceSignal,
        _ item: Item,
        at now: Instant,
        ids: inout IDSource
    ) {
        guard let record = records[item.device] else { return deadLetterUnknown(item) }
        var status = record.status
        let change = PresenceRules.decide(
            signal,
            presence: &status.presence,
            silence: dispatchSeconds,
            at: now
        )
        if status.presence.connection > record.status.presence.connection, status.presence.isAlive {
            connected.insert(record.did)
        }
        if case .listening(status.presence.connection) = signal, status.presence.isOnline {
            listening.insert(record.did)
        }
        if change != nil { status.ts = now }
        guard status != record.status else { return }
        move(item.device, status)
        guard let change else { return }
        let event = Event(
            id: ids.make("e", at: now),
            type: change.isOnline ? "online" : "offline",
            reason: change.reason,
            ts: now,
            actor: .device(record.did)
        )
        events.append((record.did, event))
        publishStatus(status, product(of: item.device), item.device)
        publishEvent(event, item.device)
        // The control worker then sends the commands queued meanwhile.
        if change.isOnline { arrived.insert(record.did) }
    }

    // MARK: The rest

    private mutating func decide(
        _ info: RegistrationCodec.Info,
        _ item: Item,
        in tx: Transaction
    ) throws {
        guard let did = records[item.device]?.did else { return deadLetterUnknown(item) }
        var hardware: JSONObject?
        if let changed = info.hardware {
            var merged = try tx.devices.find(did)?.hardware ?? [:]
            for member in changed.members { merged[member.key] = member.value }
            hardware = merged
        }
        try tx.devices.update(did, passcode: info.passcode, hardware: hardware)
        guard let id = info.id else { return }
        effects.publish(OutboundMessage(topics.response(did), AnswerCodec.accepted(id)))
    }

    /// Publishes the current status to a subscribed user, and clears it for others.
    private mutating func refresh(_ uid: UserID, _ device: Int) {
        guard let record = records[device], subscribers[device].contains(uid) else {
            return clear(uid, device)
        }
        let payload = StatusCodec.encode(
            record.status,
            of: record.did,
            product: product(of: device)
        )
        effects.publish(
            OutboundMessage(
                topics.user(uid, device: record.did, "status"),
                payload,
                isRetained: true
            )
        )
    }

    private mutating func clear(_ uid: UserID, _ device: Int) {
        effects.publish(
            OutboundMessage(topics.user(uid, device: dids[device], "status"), [], isRetained: true)
        )
    }
}

extension PresenceReconciliation {
    /// Notes the gate's presence message about a device.
    mutating func note(_ signal: PresenceSignal, of did: DeviceID) {
        switch signal {
        case .connected, .listening: note(did, isOnline: true)
        case .disconnected: note(did, isOnline: false)
        default: break
        }
    }
}
