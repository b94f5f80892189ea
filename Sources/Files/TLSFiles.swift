/// The files of a server's certificate.
package struct TLSFiles: Sendable, Equatable {
    /// The certificate, and behind it those that lead to its authority (PEM).
    package let certificate: String
    /// Its key (PEM).
    package let key: String
    /// The authorities of devices' certificates, the newest first, and of the server's where that is of one's own (PEM).
    package let authority: String
    /// The data directory in which `lamplighter tls init` makes the certificate; nil for a given one.
    package let certificateMaker: String?
    /// The data directory in which `lamplighter tls init` makes the authority; nil for a given one.
    package let authorityMaker: String?

    /// Names the files.
    package init(
        certificate: String,
        key: String,
        authority: String,
        certificateMaker: String? = nil,
        authorityMaker: String? = nil
    ) {
        self.certificate = certificate
        self.key = key
        self.authority = authority
        self.certificateMaker = certificateMaker
        self.authorityMaker = authorityMaker
    }

    /// The authority that must have signed the certificate; nil for a given one.
    package var signer: String? { certificateMaker.map { TLSFiles.own(in: $0).authority } }

    /// Names the files that `lamplighter tls init` makes in a data directory.
    static func own(in directory: String) -> TLSFiles {
        TLSFiles(
            certificate: directory + "/tls/server.pem",
            key: directory + "/tls/server.key",
            authority: directory + "/tls/authority.pem",
            certificateMaker: directory,
            authorityMaker: directory
        )
    }
}
