package import Files
import Problems
package import ServiceSettings

extension TLSFiles {
    /// Returns the files that the settings name, otherwise those of `lamplighter tls init`, or nil if there are none.
    ///
    /// Without the files of a certificate, the service has no TLS listeners.
    ///
    /// - Throws: A `Problem` for a certificate or key without the other, or for an authority's missing file.
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
