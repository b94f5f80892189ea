package import Certificates
package import Domain
package import Files
import Glibc
import Problems

/// The local certificate authority that `lamplighter tls init` creates in the data directory.
package struct LocalAuthority {
    private let directory: DataDirectory
    private let authority: CertificateAuthority
    /// The certificates of the trusted authorities in PEM: this one, and earlier ones that have not expired.
    package let pem: String
    /// Whether the authority is new, so that all clients that trust an older authority must be given this one.
    package let isNew: Bool
    /// The time until which clients that trust only the previous authority accept the server's certificate; nil if they
    /// don't accept it.
    package let linkedUntil: Instant?

    /// The default validity of a server's certificate, in days, which is short enough for browsers to accept it.
    package static let serverDays = 397
    /// The default validity of a device's certificate, in days.
    package static let deviceDays = 3650

    /// The facts in the authority's certificate.
    package var facts: CertificateFacts { authority.facts }

    /// Reads the authority, or creates one if there is none.
    ///
    /// - Throws: A `Problem` if the authority's files can't be read or written.
    package static func readOrMake(in directory: DataDirectory, at now: Instant) throws -> LocalAuthority {
        let files = [directory.ownTLS.authority, directory.authorityKey]
        if files.contains(where: TextFile.exists) { return try read(in: directory) }
        let made = try CertificateAuthority(at: now)
        try write(try made.keyPEM, to: directory.authorityKey)
        try write(try made.pem, to: directory.ownTLS.authority)
        return LocalAuthority(directory: directory, authority: made, pem: try made.pem, isNew: true, linkedUntil: nil)
    }

    /// Creates a new authority, which signs certificates from then on, and keeps the previous authority's certificate.
    ///
    /// Unless the previous authority has expired or its key is lost, it signs the new authority. Clients that trust
    /// either authority then accept the server's next certificate. The files are written in an order in which every
    /// intermediate state is usable.
    /// - Throws: A `Problem` if the files can't be written.
    package static func renew(
        in directory: DataDirectory,
        at now: Instant
    ) throws -> LocalAuthority {
        let old = try? read(in: directory)
        let made = try CertificateAuthority(at: now)
        let link = try? old?.authority.link(to: made, at: now)
        let pem = try made.pem + remaining(directory.ownTLS.authority, at: now)
        try write(pem, to: directory.ownTLS.authority)
        let links = (link ?? "") + remaining(directory.authorityLinks, at: now)
        if links.isEmpty { unlink(directory.authorityLinks) } else { try write(links, to: directory.authorityLinks) }
        try write(try made.keyPEM, to: directory.authorityKey)
        return LocalAuthority(
            directory: directory,
            authority: made,
            pem: pem,
            isNew: true,
            linkedUntil: link == nil ? nil : old?.facts.end
        )
    }

    /// Returns the certificates of a file that have not expired, in PEM; empty if there are none.
    private static func remaining(_ path: String, at now: Instant) -> String {
        let file = TextFile.read(path).flatMap { try? CertificateFile(pem: $0) }
        return (try? file?.pem(endingAfter: now)) ?? ""
    }

    /// Reads the authority.
    ///
    /// - Throws: A `Problem` if the files are missing or can't be read.
    package static func read(in directory: DataDirectory) throws -> LocalAuthority {
        let certificate = directory.ownTLS.authority
        guard let pem = TextFile.read(certificate), let key = TextFile.read(directory.authorityKey) else {
            throw Problem(
                .certificateUnusable,
                "there is no certificate authority in \(directory.path)",
                at: certificate,
                why: "tls/authority.pem or tls/authority.key is missing, or this user may not read it",
                cures: [
                    .init(
                        "lamplighter restore FILE --data DIR",
                        "if one of the two is lost: a backup has both, in its folder tls"
                    ),
                    .init(
                        "lamplighter tls init --data '\(directory.path)'",
                        "if neither exists: make an authority"
                    ),
                    renewal(directory, "if no backup has them: make another authority"),
                ]
            )
        }
        do {
            return LocalAuthority(
                directory: directory,
                authority: try CertificateAuthority(pem: pem, keyPEM: key),
                pem: pem,
                isNew: false,
                linkedUntil: nil
            )
        } catch {
            throw TLSMaterial.problem(
                certificate,
                "together with tls/authority.key: \(error.text)",
                cures: [
                    .init("lamplighter restore FILE --data DIR", "take both from a backup"),
                    renewal(directory, "make another authority"),
                ]
            )
        }
    }

    private static func renewal(_ directory: DataDirectory, _ words: String) -> Problem.Cure {
        .init(
            "lamplighter tls init --renew-authority --data '\(directory.path)'",
            words + ", and give its file to all clients that trust the old one"
        )
    }

    /// Creates a certificate for the server, which replaces the previous one.
    ///
    /// - Throws: A `Problem` if the files can't be written.
    package func renewServer(_ names: [ServerName], days: Int, at now: Instant) throws -> CertificateFacts {
        let issued = try issuing { try authority.issueServer(names, days: days, at: now) }
        // The service loads the new key and certificate only when both are written and belong together; until then it
        // keeps the previous pair.
        try Self.write(issued.keyPEM, to: directory.ownTLS.key)
        try Self.write(issued.pem + Self.remaining(directory.authorityLinks, at: now), to: directory.ownTLS.certificate)
        return issued.facts
    }

    /// Creates a certificate for a device; no copy of the certificate is kept.
    ///
    /// - Throws: A `Problem` if the authority has expired.
    package func issue(_ did: DeviceID, days: Int, from begin: Instant) throws -> IssuedCertificate {
        try issuing { try authority.issueDevice(did, days: days, from: begin) }
    }

    private func issuing(_ body: () throws -> IssuedCertificate) throws -> IssuedCertificate {
        do {
            return try body()
        } catch let fault as CertificateFault {
            throw Problem(
                .certificateUnusable,
                "the authority in \(directory.path)/tls can't sign any more",
                at: directory.ownTLS.authority,
                why: fault.text,
                cures: [Self.renewal(directory, "make another")]
            )
        }
    }

    private static func write(_ text: String, to path: String) throws {
        do {
            try TextFile.makeFolders(of: path)
            try TextFile.write(text, to: path)
        } catch {
            throw TLSMaterial.problem(
                path,
                "it cannot be written: \(error)",
                cures: [.init("df -h '\(path)'", "see whether the disk is full")]
            )
        }
    }
}
