import Domain
import Wire

/// Answers to devices, and dead letters for messages that are unreadable or come from unknown devices.
extension UnitOfWork {
    /// Decodes a message that needs no answer; an unreadable message becomes a dead letter.
    mutating func decode<Value>(
        _ message: Inbound,
        with decode: (ArraySlice<UInt8>) throws(WireError) -> Value
    ) -> Value? {
        do {
            return try decode(message.payload)
        } catch {
            effects.deadLetter(message, unreadable: error)
            return nil
        }
    }

    /// Publishes an answer to a device.
    mutating func answer(_ did: DeviceID, with payload: [UInt8]) {
        effects.publish(OutboundMessage(topics.response(did), payload))
    }

    /// Counts a refusal, and sends it if the device's message has an id.
    mutating func refuse(_ id: MessageID?, of did: DeviceID, because rejection: Rejection) {
        effects.count(rejection)
        guard let id else { return }
        answer(did, with: AnswerCodec.refusal(id, rejection))
    }

    /// Refuses an unreadable message, and keeps it as a dead letter without secrets.
    mutating func refuse(_ message: Inbound, of did: DeviceID, unreadable error: WireError, isSecret: Bool) {
        effects.deadLetter(message, .malformed, because: error.reason, isSecret: isSecret)
        refuse(error.id, of: did, because: error.rejection)
    }

    /// Refuses an unknown device's message, and makes it a dead letter (without values if `isSecret` is true).
    mutating func refuseUnknown(_ did: DeviceID, _ message: Inbound, id: MessageID? = nil, isSecret: Bool = false) {
        effects.deadLetter(message, .unknownDevice, because: "the device is unknown", isSecret: isSecret)
        guard let id else { return }
        let rejection = Rejection(.resourceNotFound, "The device is unknown; register it again.")
        refuse(id, of: did, because: rejection)
    }
}
