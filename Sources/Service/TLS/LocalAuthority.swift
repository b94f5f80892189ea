package import Certificates
package import Domain
package import Files
import Glibc
import Problems

/// The authority of one's own that `lamplighter tls init` makes in the data directory.
package struct LocalAuthority {
    private let directory: DataDirectory
    private let authority: CertificateAuthority
    /// Whether it was just made: everything that trusted an older one has to be given it.
    package let isNew: Bool

    /// Days that a server's certificate holds, unless told: browsers refuse longer ones.
    package static let serverDays = 397
    /// Days that a device's certificate holds, unless told.
    package static let deviceDays = 3650

    /// Opens the authority, or makes one where there is none.
    ///
    /// - Throws: A `Problem` where its files cannot be read or written.
    package static func readOrMake(
        in directory: DataDirectory,
        at now: Instant
    ) throws -> LocalAuthority {
        let files = [directory.ownTLS.authority, directory.authorityKey]
        if files.contains(where: TextFile.exists) { return try read(in: directory) }
        let made = try CertificateAuthority(at: now)
        try write(try made.keyPEM, to: directory.authorityKey)
        try write(try made.pem, to: directory.ownTLS.authority)
        return LocalAuthority(directory: directory, authority: made, isNew: true)
    }

    /// Opens the authority.
    ///
    /// - Throws: A `Problem` where there is none, or its files cannot be read.
    package static func read(in directory: DataDirectory) throws -> LocalAuthority {
        let certificate = directory.ownTLS.authority
        guard let pem = TextFile.read(certificate), let key = TextFile.read(directory.authorityKey)
        else {
            throw Problem(
                .certificateUnusable,
                "there is no authority of one's own in \(directory.path)",
                at: certificate,
                why:
                    "tls/authority.pem or tls/authority.key is missing, or this user may not read it",
                cures: [
                    .init(
                        "lamplighter restore FILE",
                        "where one of the two is lost: a backup has both, in its folder tls"
                    ),
                    .init(
                        "lamplighter tls init --data '\(directory.path)'",
                        "where there is neither: make one"
                    ),
                ]
            )
        }
        do {
            let authority = try CertificateAuthority(pem: pem, keyPEM: key)
            return LocalAuthority(directory: directory, authority: authority, isNew: false)
        } catch {
            throw TLSMaterial.problem(certificate, error.text)
        }
    }

    /// Makes a certificate for the server, in the place of the one before.
    ///
    /// - Throws: A `Problem` where the files cannot be written.
    package func renewServer(
        _ names: [ServerName],
        days: Int,
        at now: Instant
    ) throws -> CertificateFacts {
        let issued = try issuing { try authority.issueServer(names, days: days, at: now) }
        // The service takes the pair once both fit; between the two it keeps what it has.
        try Self.write(issued.keyPEM, to: directory.ownTLS.key)
        try Self.write(issued.pem, to: directory.ownTLS.certificate)
        return issued.facts
    }

    /// Makes a certificate for a device; nothing of it is kept here.
    ///
    /// - Throws: A `Problem` where the authority's time is over.
    package func issue(_ did: DeviceID, days: Int, from begin: Instant) throws -> IssuedCertificate
    {
        try issuing { try authority.issueDevice(did, days: days, from: begin) }
    }

    private func issuing(_ body: () throws -> IssuedCertificate) throws -> IssuedCertificate {
        do {
            return try body()
        } catch let fault as CertificateFault {
            let folder = "\(directory.path)/tls"
            throw Problem(
                .certificateUnusable,
                "the authority in \(folder) can sign nothing more",
                at: directory.ownTLS.authority,
                why: fault.text,
                cures: [
                    .init("mv '\(folder)' '\(folder).ended'", "keep the old one aside"),
                    .init(
                        "lamplighter tls init --data '\(directory.path)'",
                        "make another, and give its file to all that trusted the old one"
                    ),
                ]
            )
        }
    }

    /// The authority's certificate (PEM).
    package var pem: String { get throws { try authority.pem } }

    private static func write(_ text: String, to path: String) throws {
        do {
            try TextFile.makeFolders(of: path)
            try TextFile.write(text, to: path)
        } catch {
            throw TLSMaterial.problem(path, "it cannot be written: \(error)")
        }
    }
}
