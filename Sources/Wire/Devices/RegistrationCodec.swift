package import Domain
package import JSON

/// A codec for registrations and their answers (`schemas/messages/device.schema.json`).
package enum RegistrationCodec {
    /// Parses a registration request; `productKey` and `mac` come from the topic.
    package static func decode(
        _ bytes: ArraySlice<UInt8>,
        productKey: ProductKey,
        mac: MAC
    ) throws(WireError) -> RegistrationRequest {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let id = try fields.requiredID("id", as: MessageID.self)
            guard try fields.requiredID("mac", as: MAC.self) == mac else {
                throw .invalid("mac", "mac differs from the MAC in the topic.")
            }
            return RegistrationRequest(
                id: id,
                productKey: productKey,
                mac: mac,
                passcode: try fields.requiredText("passcode", length: RegistrationRequest.passcodeLength),
                oldSecret: try fields.text("oldSecret", length: 1...128),
                hardware: try hardware(fields) ?? [:]
            )
        }
    }

    /// An `info` message, which changes a device's passcode or hardware fields.
    package struct Info: Sendable, Equatable {
        /// The message's id; nil if the device wants no answer.
        package var id: MessageID?
        /// The new passcode.
        package var passcode: String?
        /// The hardware fields that change.
        package var hardware: JSONObject?
    }

    /// Parses an `info` message.
    package static func decode(info bytes: ArraySlice<UInt8>) throws(WireError) -> Info {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let info = Info(
                id: try fields.id("id", as: MessageID.self),
                passcode: try fields.text(
                    "passcode",
                    length: RegistrationRequest.passcodeLength
                ),
                hardware: try hardware(fields)
            )
            guard info.passcode != nil || info.hardware != nil else {
                throw .invalid("hardware", "An info must contain passcode or hardware.")
            }
            return info
        }
    }

    private static func hardware(_ fields: Fields) throws(Rejection) -> JSONObject? {
        guard let object = try fields.object("hardware") else { return nil }
        let hardware = Fields(object, path: "hardware.")
        var kept = JSONObject()
        for name in RegistrationRequest.hardwareFields {
            guard let text = try hardware.text(name, length: 0...128) else { continue }
            if name == "link", !RegistrationRequest.links.contains(text) {
                let links = RegistrationRequest.links.joined(separator: ", ")
                throw .invalid("hardware.link", "hardware.link must be one of \(links).")
            }
            kept[name] = .string(text)
        }
        return kept
    }

    /// Returns the answer to a granted registration.
    package static func granted(_ id: MessageID, did: DeviceID, secret: String) -> [UInt8] {
        AnswerCodec.success(id, result: ["did": .string(did.text), "secret": .string(secret)])
    }
}
