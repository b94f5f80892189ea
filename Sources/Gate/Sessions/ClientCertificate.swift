/// The fields of a client's certificate that the gate reads.
struct ClientCertificate: Equatable, Sendable {
    /// The common name, which has the form `device/{did}` and must be the whole subject.
    var name: String
    /// The moment from which the certificate is valid, in milliseconds since the Unix epoch.
    var begin: Int64

    /// The maximum number of bytes of a name, including the terminating zero.
    static let nameMax = 128

    /// Returns whether the certificate belongs to a device.
    func isOf(_ did: String) -> Bool { name == "device/\(did)" }
}
