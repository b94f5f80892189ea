package import Files
import Problems
package import ServiceSettings

extension TLSFiles {
    /// Returns the files of the server's certificate, or nil if there is no certificate.
    ///
    /// The files are those that the settings name. If the settings name none, the files are those that
    /// `lamplighter tls init` created. Without the files of a certificate, the service has no TLS listeners.
    ///
    /// - Throws: A `Problem` if the settings name a certificate but no key, or a key but no certificate. A `Problem` is
    ///   also thrown if the settings name an authority's file that doesn't exist.
    package static func find(_ settings: Settings, in directory: DataDirectory) throws -> TLSFiles? {
        let own = directory.ownTLS
        let authority = settings.tlsAuthority.map(AbsolutePath.of) ?? own.authority
        let authorityMaker = authority == own.authority ? directory.path : nil
        if settings.tlsAuthority != nil, !TextFile.exists(authority) {
            throw Problem.authorityUnreadable(path: authority, why: TextFile.unreadable(authority))
        }
        switch (settings.tlsCertificate, settings.tlsKey) {
        case (let certificate?, let key?):
            return TLSFiles(
                certificate: AbsolutePath.of(certificate),
                key: AbsolutePath.of(key),
                authority: authority,
                authorityMaker: authorityMaker
            )
        case (nil, nil):
            guard TextFile.exists(own.certificate) else { return nil }
            return TLSFiles(
                certificate: own.certificate,
                key: own.key,
                authority: authority,
                certificateMaker: directory.path,
                authorityMaker: authorityMaker
            )
        default:
            let missing = settings.tlsKey == nil ? "tls.key" : "tls.certificate"
            throw Problem.halfOfPairMissing(key: missing)
        }
    }
}
