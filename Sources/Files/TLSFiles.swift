/// The files of a server's certificate.
package struct TLSFiles: Sendable, Equatable {
    /// The certificate, followed by the chain to its authority (PEM).
    package let certificate: String
    /// The key of the certificate (PEM).
    package let key: String
    /// The authorities that sign devices' certificates, newest first, and the server's private authority, if any (PEM).
    package let authority: String
    /// The data directory in which `lamplighter tls init` makes the certificate, or nil if the operator provides it.
    package let certificateMaker: String?
    /// The data directory in which `lamplighter tls init` makes the authority, or nil if the operator provides it.
    package let authorityMaker: String?

    /// Creates the set of files from their paths.
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

    /// The file of the authority that signs the server's certificate, or nil if the operator provides the certificate.
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
