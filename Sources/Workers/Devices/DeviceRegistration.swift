import Domain
import Sodium
import Storage
import Wire

/// A device's request for an id and a secret.
struct DeviceRegistration {
    let request: RegistrationRequest
    /// The SHA-256 hash of the message, by which a repeated message is recognised.
    let content: [UInt8]
    /// The source address that the gate reports, or nil if it is unknown or exempt from limits.
    let source: String?
    /// The topic on which the request was received.
    let topic: String
    /// The trace that the device names, or a new trace.
    let trace: TraceID

    private var device: String { "\(request.productKey.text):\(request.mac.text)" }
    private var sender: String { "product:\(device)" }
    /// The subject under which wrong secrets are counted.
    private var tries: String { "register:\(device)" }

    /// Gives the device an id and a new secret, or refuses the request.
    func carryOut(counting quotas: QuotaFront, in work: inout UnitOfWork) throws {
        guard let product = try work.product(request.productKey) else {
            return refuse(Rejection(.resourceNotFound, "The product is unknown."), in: &work)
        }
        // The devices that existed when the batch began are already locked. This lock is for a device that was created
        // later.
        let known = try work.tx.lock(\.did) { try work.tx.devices.find(request.productKey, request.mac) }
        if let answer = try earlierAnswer(to: known, in: work.tx) { return publish(answer, in: &work) }
        let bindings = try known.map { try work.tx.bindings.all(of: $0.did) } ?? []
        let decision = try decide(product, known, bindings: bindings, in: work.tx)
        let did: DeviceID
        switch decision {
        case .create:
            if let refusal = try countNew(with: quotas, in: work) { return refuse(refusal, in: &work) }
            did = work.makeDeviceID(request.mac)
            try work.tx.devices.create(did, product: request.productKey, mac: request.mac)
        case .renew(let known):
            did = known
        case .reset(let known):
            did = known
            try reset(known, in: &work)
        case .refuse(let rejection, let asks): return try refuse(rejection, asking: asks, bindings: bindings, in: &work)
        }
        let answer = try grant(did, in: &work)
        try work.log(
            .deviceRegistered,
            of: did,
            product: request.productKey,
            actor: .device(did),
            data: LoggedEventCodec.registered(request.mac, state: decision.word)
        )
        try work.tx.requests.save(sender, request.id, content: content, answer: answer, isSecret: true)
    }

    // MARK: The decision

    /// Returns the earlier answer to the same message, if that answer is still valid.
    private func earlierAnswer(to known: DeviceRecord?, in tx: Transaction) throws -> [UInt8]? {
        guard let before = try tx.requests.find(sender, request.id), before.content == content,
            let registeredAt = known?.registeredAt, before.at >= registeredAt
        else { return nil }
        return before.answer
    }

    private func decide(
        _ product: Product,
        _ known: DeviceRecord?,
        bindings: [Binding],
        in tx: Transaction
    ) throws -> RegistrationRules.Decision {
        let (max, seconds) = (RegistrationRules.triesMax, RegistrationRules.triesWindowSeconds)
        return RegistrationRules.decide(
            product: product,
            isListed: try tx.products.isListed(request.productKey, request.mac),
            known: try known.map { try facts(of: $0, isBound: !bindings.isEmpty, in: tx) },
            retryAfter: try tx.attempts.retryAfter(tries, max: max, windowSeconds: seconds),
            at: tx.now
        )
    }

    private func facts(of device: DeviceRecord, isBound: Bool, in tx: Transaction) throws -> KnownDevice {
        KnownDevice(
            did: device.did,
            isBound: isBound,
            hasRegistered: device.registeredAt != nil,
            isOnline: try tx.statuses.find(device.did)?.status.presence.isOnline ?? false,
            resetUntil: device.resetUntil,
            hasRightSecret: request.oldSecret.map { tx.devices.hasSecret(device, $0) }
        )
    }

    /// Counts a new device by source address and product, or returns a refusal if a limit is reached.
    private func countNew(with quotas: QuotaFront, in work: UnitOfWork) throws -> Rejection? {
        let product = request.productKey.text
        let (perSource, most) = (work.limits.counts.registrationsPerSource, work.limits.counts.registrationsPerProduct)
        let own = Quota.source(.registrationsPerSource, source, of: product, max: perSource, seconds: Quota.minute)
        let all = Quota(.registrationsPerProduct, product, max: most, seconds: Quota.hour)
        do {
            try QuotaBook(tx: work.tx, front: quotas).take(own + [all])
            return nil
        } catch let rejection as Rejection {
            return rejection
        }
    }

    // MARK: Granting

    private func reset(_ did: DeviceID, in work: inout UnitOfWork) throws {
        try DeviceOwnership.end(did, because: .reset, by: .device(did), in: &work)
        try work.wipeStatus(of: did)
        try work.tx.attempts.clear(tries)
    }

    /// Gives the device a new secret.
    ///
    /// The new secret is in the credentials file before the answer is sent. The gate reads that file, and closes
    /// connections that used the old secret. No message asks the gate to close the old connections, because such a
    /// message could arrive too late, and the gate would then close the device's new connection.
    private func grant(_ did: DeviceID, in work: inout UnitOfWork) throws -> [UInt8] {
        let secret = Sodium.randomSecret()
        try work.tx.devices.setIdentity(did, secret: secret, passcode: request.passcode, hardware: request.hardware)
        let answer = RegistrationCodec.granted(request.id, did: did, secret: secret)
        publish(answer, in: &work)
        return answer
    }

    private func publish(_ answer: [UInt8], in work: inout UnitOfWork) {
        let topic = work.topics.registered(request.productKey, request.mac)
        work.effects.publish(OutboundMessage(topic, answer), isSecret: true)
    }

    // MARK: Refusing

    private func refuse(_ rejection: Rejection, in work: inout UnitOfWork) {
        work.effects.count(rejection)
        work.effects.observed.add(RefusedMessage(topic: topic, code: rejection.code.rawValue, trace: trace))
        let answer = AnswerCodec.refusal(request.id, rejection)
        let destination = work.topics.registered(request.productKey, request.mac)
        work.effects.publish(OutboundMessage(destination, answer))
    }

    /// Refuses a registration.
    ///
    /// If `asks` names a device, the device's special user and owner are notified, because they can allow a reset.
    private func refuse(
        _ rejection: Rejection,
        asking asks: DeviceID?,
        bindings: [Binding],
        in work: inout UnitOfWork
    ) throws {
        // A request without an old secret doesn't count as a guess.
        if rejection.code == .forbidden, request.oldSecret != nil {
            try work.tx.attempts.add(tries, windowSeconds: RegistrationRules.triesWindowSeconds)
        }
        refuse(rejection, in: &work)
        guard let asks, try mayAsk(asks, in: work.tx) else { return }
        let push = DevicePush(asks, by: .device(asks))
        for binding in bindings where binding.role.isPrincipal {
            try push.notify(.resetRequested, binding.uid, in: &work)
        }
    }

    /// Counts a message that asks a device's owners to allow a reset, or returns false at the limit.
    private func mayAsk(_ did: DeviceID, in tx: Transaction) throws -> Bool {
        let (max, seconds) = (RegistrationRules.triesMax, RegistrationRules.triesWindowSeconds)
        let limit = AttemptTable.Limit("resetRequested:\(did.text)", max: max, windowSeconds: seconds)
        return try tx.attempts.take([limit]) == nil
    }
}
