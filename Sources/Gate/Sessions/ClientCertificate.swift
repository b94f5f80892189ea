/// The fields of a client's certificate that the gate reads.
struct ClientCertificate: Equatable, Sendable {
    /// The common name, which must be the whole subject: `device/{did}`.
    var name: String
    /// When it begins, in milliseconds since the Unix epoch.
    var begin: Int64

    /// The maximum number of bytes of a name with its closing zero: more than any device's has.
    static let nameMax = 128

    /// Whether it is the certificate of a device.
    func isOf(_ did: String) -> Bool { name == "device/\(did)" }
}
