import Load

/// A device that reports or obeys in a benchmark.
struct LoadDevice: Sendable {
    var did: String
    var secret: String

    /// The device's login.
    var login: MQTTWriter.Login {
        .init(
            clientID: did,
            username: "device:\(did)",
            password: secret,
            keepAliveSeconds: LoadConnections.keepAliveSeconds
        )
    }
}
