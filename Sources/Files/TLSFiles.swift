/// The files of a server's certificate.
package struct TLSFiles: Sendable, Equatable {
    /// The certificate, followed by the chain to its authority (PEM).
    package let certificate: String
    /// Its key (PEM).
    package let key: String
    /// The authorities of devices, newest first, and the server's if it is private (PEM).
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

    /// Returns the files that `lamplighter tls init` makes in a data directory.
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
