/// The files of a server's certificate.
package struct TLSFiles: Sendable, Equatable {
    /// The certificate, and behind it those that lead to its authority (PEM).
    package let certificate: String
    /// Its key (PEM).
    package let key: String
    /// The authority of devices' certificates, and of the server's where that is of one's own (PEM).
    package let authority: String

    /// Names the files.
    package init(certificate: String, key: String, authority: String) {
        self.certificate = certificate
        self.key = key
        self.authority = authority
    }
}
