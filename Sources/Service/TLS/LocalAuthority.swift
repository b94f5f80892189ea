package import Certificates
package import Domain
package import Files
import Glibc
import Problems

/// The local certificate authority that `lamplighter tls init` creates in the data directory.
package struct LocalAuthority {
    private let directory: DataDirectory
    private let authority: CertificateAuthority
    /// The certificates, in PEM, of this authority and of earlier authorities that have not expired.
    package let pem: String
    /// Whether the authority has just been created.
    ///
    /// Clients that trust only an older authority must then install the new authority's certificate. If `linkedUntil`
    /// is set, clients of the previous authority have until then.
    package let isNew: Bool
    /// The time until which the server's next certificate works for clients that trust only the previous authority.
    ///
    /// Only `renew` sets this time, and only if the previous authority signed the new authority's key.
    package let linkedUntil: Instant?

    /// The default validity of a server's certificate, in days: short enough that browsers accept the certificate.
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

    /// Creates an authority for all later certificates, and keeps the unexpired earlier authorities.
    ///
    /// If the previous authority has not expired, it signs the new authority's key. The previous authority's key must
    /// exist for this. Clients that trust only the previous authority will then accept the server's next certificate.
    /// The files are written in such an order that they stay usable if the process stops between two writes.
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
        let until = link == nil ? nil : old?.facts.end
        return LocalAuthority(directory: directory, authority: made, pem: pem, isNew: true, linkedUntil: until)
    }

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
            throw Problem.noAuthority(directory: directory.path, certificate: certificate)
        }
        do {
            let read = try CertificateAuthority(pem: pem, keyPEM: key)
            return LocalAuthority(directory: directory, authority: read, pem: pem, isNew: false, linkedUntil: nil)
        } catch {
            throw Problem.authorityUnusable(path: certificate, why: error.text, directory: directory.path)
        }
    }

    /// Creates a certificate for the server, replacing the previous one.
    ///
    /// - Throws: A `Problem` if the files can't be written.
    package func renewServer(_ names: [ServerName], days: Int, at now: Instant) throws -> CertificateFacts {
        let issued = try issuing { try authority.issueServer(names, days: days, at: now) }
        // The service loads the new files only when the certificate and key belong together.
        try Self.write(issued.keyPEM, to: directory.ownTLS.key)
        try Self.write(issued.pem + Self.remaining(directory.authorityLinks, at: now), to: directory.ownTLS.certificate)
        return issued.facts
    }

    /// Creates a certificate for a device, and keeps no copy of the certificate.
    ///
    /// - Throws: A `Problem` if the authority has expired.
    package func issue(_ did: DeviceID, days: Int, from begin: Instant) throws -> IssuedCertificate {
        try issuing { try authority.issueDevice(did, days: days, from: begin) }
    }

    private func issuing(_ body: () throws -> IssuedCertificate) throws -> IssuedCertificate {
        do {
            return try body()
        } catch let fault as CertificateFault {
            let certificate = directory.ownTLS.authority
            throw Problem.authorityCannotSign(directory: directory.path, certificate: certificate, why: fault.text)
        }
    }

    private static func write(_ text: String, to path: String) throws {
        do {
            try TextFile.makeFolders(of: path)
            try TextFile.write(text, to: path)
        } catch {
            throw Problem.tlsFileUnwritable(path: path, error: "\(error)")
        }
    }
}
