import Load

/// One of the devices that a benchmark lets report or obey.
struct LoadDevice: Sendable {
    var did: String
    var secret: String
}

extension LoadDevice {
    /// How it connects.
    var login: MQTTWriter.Login {
        .init(
            clientID: did,
            username: "device:\(did)",
            password: secret,
            keepAliveSeconds: LoadConnections.keepAliveSeconds
        )
    }
}
