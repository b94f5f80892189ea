import Load

/// A device that sends reports or answers commands in a benchmark.
struct LoadDevice: Sendable {
    var did: String
    var secret: String

    /// The fields of the CONNECT packet with which the device connects.
    var login: MQTTWriter.Login { .init(clientID: did, username: "device:\(did)", password: secret) }
}
