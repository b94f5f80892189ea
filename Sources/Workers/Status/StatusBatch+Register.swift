import Domain
import Sodium
import Storage
import Wire

extension StatusBatch {
    /// Carries out the batch's registrations, row by row: they are few.
    mutating func register(in tx: Transaction, ids: inout IDSource) throws {
        for (request, content, source) in registrations {
            try register(request, content: content, from: source, in: tx, ids: &ids)
        }
    }

    private mutating func register(
        _ request: RegistrationRequest,
        content: [UInt8],
        from source: String?,
        in tx: Transaction,
        ids: inout IDSource
    ) throws {
        guard let product = catalog.product(request.productKey) else {
            return refuse(
                request,
                Rejection(.resourceNotFound, "The product is unknown.")
            )
        }
        let device = try tx.devices.find(request.productKey, request.mac)
        let sender = "product:\(request.productKey.text):\(request.mac.text)"
        if let answer = try repeated(request, sender, content, device, in: tx) {
            return publishAnswer(request, answer)
        }
        let bound = try device.map { try tx.bindings.all(of: $0.did) } ?? []
        let tries = "register:\(request.productKey.text):\(request.mac.text)"
        let decision = RegistrationRules.decide(
            product: product,
            isListed: try tx.products.isListed(request.productKey, request.mac),
            known: try device.map { try known($0, bound, request, in: tx) },
            retryAfter: try tx.attempts.retryAfter(
                tries,
                max: RegistrationRules.triesMax,
                windowSeconds: RegistrationRules.triesWindowSeconds
            ),
            at: tx.now
        )
        let did: DeviceID
        switch decision {
        case .create:
            if let refusal = try countNew(request, source, in: tx) {
                return refuse(request, refusal)
            }
            did = DeviceID(trusted: ids.make("d", at: tx.now))
            try tx.devices.create(did, product: request.productKey, mac: request.mac)
        case .renew(let known):
            did = known
        case .reset(let known):
            did = known
            var work = beginWork(in: tx)
            try DeviceOwnership.end(known, because: .reset, by: .device(known), in: &work)
            effects.merge(work.effects)
            try tx.statuses.wipe(known, at: tx.now)
            try tx.attempts.clear(tries)
        case .refuse(let rejection, let asks):
            // A request without a proof is not a guess.
            if rejection.code == .forbidden, request.oldSecret != nil {
                try tx.attempts.add(tries, windowSeconds: RegistrationRules.triesWindowSeconds)
            }
            refuse(request, rejection)
            if let asks, try mayAsk(asks, in: tx) { ask(asks, bound, in: tx) }
            return
        }
        let answer = try grant(request, did, in: tx)
        try tx.requests.save(
            sender,
            request.id,
            content: content,
            answer: answer,
            isSecret: true
        )
    }

    /// Counts a new device of the source address and of the product, or returns the refusal if a limit is reached.
    private func countNew(
        _ request: RegistrationRequest,
        _ source: String?,
        in tx: Transaction
    ) throws -> Rejection? {
        let product = request.productKey.text
        let own = Quota.source(
            .registrationsPerSource,
            source,
            of: product,
            max: counts.registrationsPerSource,
            seconds: Quota.minute
        )
        let all = Quota(
            .registrationsPerProduct,
            product,
            max: counts.registrationsPerProduct,
            seconds: Quota.hour
        )
        do {
            try QuotaBook(tx: tx, front: quotas).take(own + [all])
            return nil
        } catch let rejection as Rejection {
            return rejection
        }
    }

    /// Whether the owners may be asked for a reset once more: a limited number of times in the window.
    private func mayAsk(_ did: DeviceID, in tx: Transaction) throws -> Bool {
        let subject = "resetRequested:\(did.text)"
        let window = RegistrationRules.triesWindowSeconds
        guard
            try tx.attempts.retryAfter(
                subject,
                max: RegistrationRules.triesMax,
                windowSeconds: window
            ) == nil
        else { return false }
        try tx.attempts.add(subject, windowSeconds: window)
        return true
    }

    /// Returns the earlier answer to the same message, if it is still valid.
    private func repeated(
        _ request: RegistrationRequest,
        _ sender: String,
        _ content: [UInt8],
        _ device: DeviceRecord?,
        in tx: Transaction
    ) throws -> [UInt8]? {
        guard let before = try tx.requests.find(sender, request.id), before.content == content,
            let registeredAt = device?.registeredAt, before.at >= registeredAt
        else { return nil }
        return before.answer
    }

    private func known(
        _ device: DeviceRecord,
        _ bound: [Binding],
        _ request: RegistrationRequest,
        in tx: Transaction
    ) throws -> KnownDevice {
        KnownDevice(
            did: device.did,
            isBound: !bound.isEmpty,
            hasRegistered: device.registeredAt != nil,
            isOnline: try tx.statuses.find(device.did)?.status.presence.isOnline ?? false,
            resetUntil: device.resetUntil,
            hasRightSecret: request.oldSecret.map { tx.devices.hasSecret(device, $0) }
        )
    }

    /// Gives the device a new secret.
    ///
    /// The credentials file has it before the answer is sent, and the gate closes connections with the old one by the
    /// file. A message that tells it to might arrive behind the device, which comes at once, and close the new one.
    private mutating func grant(
        _ request: RegistrationRequest,
        _ did: DeviceID,
        in tx: Transaction
    ) throws -> [UInt8] {
        let secret = Sodium.randomSecret()
        try tx.devices.setIdentity(
            did,
            secret: secret,
            passcode: request.passcode,
            hardware: request.hardware
        )
        let answer = RegistrationCodec.granted(
            request.id,
            did: did,
            secret: secret,
            endpoint: nil
        )
        publishAnswer(request, answer)
        return answer
    }

    private mutating func publishAnswer(_ request: RegistrationRequest, _ answer: [UInt8]) {
        effects.publish(
            OutboundMessage(topics.registered(request.productKey, request.mac), answer),
            isSecret: true
        )
    }

    private mutating func refuse(
        _ request: RegistrationRequest,
        _ rejection: Rejection
    ) {
        effects.count(rejection)
        effects.publish(
            OutboundMessage(
                topics.registered(request.productKey, request.mac),
                AnswerCodec.refusal(request.id, rejection)
            )
        )
    }

    /// Asks the special user and the owner whether they allow a reset of the device.
    private mutating func ask(_ did: DeviceID, _ bound: [Binding], in tx: Transaction) {
        let push = DevicePush(did, by: .device(did))
        var work = beginWork(in: tx)
        for binding in bound where binding.role.isPrincipal {
            push.notify(.resetRequested, binding.uid, in: &work)
        }
        effects.merge(work.effects)
    }
}
