/// What the gate reads in the certificate that a client has shown.
struct ClientCertificate: Equatable, Sendable {
    /// The common name, where the subject is that alone: `device/{did}`.
    var name: String
    /// When it begins, in milliseconds since the Unix epoch.
    var begin: Int64

    /// Bytes of a name at most, with a zero behind it: more than any device's.
    static let nameMax = 128

    /// Whether it is that of a device.
    func isOf(_ did: String) -> Bool { name == "device/\(did)" }
}
