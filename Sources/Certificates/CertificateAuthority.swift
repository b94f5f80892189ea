import Crypto
package import Domain
import Foundation
import SwiftASN1
import X509

/// A private certificate authority, which signs the certificates of the server and of devices.
///
/// All keys use the curve P-256. Small devices can verify the signatures of such keys. Times are whole seconds.
package struct CertificateAuthority: Sendable {
    private let certificate: Certificate
    private let key: Certificate.PrivateKey

    /// The number of days for which an authority is valid.
    ///
    /// The period is longer than the life of the devices that trust the authority.
    private static let days = 3650

    /// Makes a new authority, whose name ends in four random hexadecimal digits to tell it apart from others.
    ///
    /// - Throws: An error of the cryptography library. No input can cause such an error.
    package init(at now: Instant) throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let digits = (0..<4).map { _ in Self.hexDigits.randomElement() ?? "0" }
        let name = try DistinguishedName {
            OrganizationName("Lamplighter")
            CommonName("Lamplighter authority \(String(digits))")
        }
        certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: key.publicKey,
            notValidBefore: now.date,
            notValidAfter: now.adding(seconds: Int64(Self.days) * 86_400).date,
            issuer: name,
            subject: name,
            extensions: Certificate.Extensions {
                // The length of the chain is unlimited, because this authority also signs later authorities (`link`).
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: key
        )
        self.key = key
    }

    /// Reads an authority's certificates and key (PEM), and uses the certificate that belongs to the key.
    ///
    /// - Throws: `CertificateFault`, such as `.keyMismatch`. `.notAuthority` means that the certificate is not allowed
    ///   to sign others.
    package init(pem: String, keyPEM: String) throws(CertificateFault) {
        let read = try CertificateFile(pem: pem)
        let key = try CertificateFile.key(keyPEM)
        guard let own = read.certificates.first(where: { $0.publicKey == key.publicKey }) else { throw .keyMismatch }
        guard CertificateFile.isAuthority(own) else { throw .notAuthority }
        certificate = own
        self.key = key
    }

    /// The facts of the authority's certificate.
    package var facts: CertificateFacts { CertificateFacts(certificate) }

    /// The authority's certificate (PEM), which devices, apps and browsers install as trusted.
    package var pem: String { get throws { try certificate.serializeAsPEM().pemString + "\n" } }

    /// The authority's key (PEM).
    package var keyPEM: String { get throws { try key.serializeAsPEM().pemString + "\n" } }

    /// Issues a server's certificate for the given names, and also for localhost, 127.0.0.1 and ::1.
    ///
    /// - Throws: `CertificateFault.authorityEnded`, or an error of the cryptography library. No input can cause the
    ///   library's error.
    package func issueServer(_ names: [ServerName], days: Int, at now: Instant) throws -> IssuedCertificate {
        var all: [ServerName] = []
        for name in names + ServerName.local where !all.contains(name) { all.append(name) }
        let subject = try DistinguishedName { CommonName(all[0].text) }
        return try issue(subject, for: .serverAuth, from: now, days: days, names: all)
    }

    /// Issues the certificate that a device presents when it connects.
    ///
    /// The gate refuses a certificate whose `begin` is before the device's last revocation (`--revoke`).
    /// - Throws: `CertificateFault.authorityEnded`, or an error of the cryptography library. No input can cause the
    ///   library's error.
    package func issueDevice(_ did: DeviceID, days: Int, from begin: Instant) throws -> IssuedCertificate {
        let subject = try DistinguishedName { CommonName("device/\(did.text)") }
        return try issue(subject, for: .clientAuth, from: begin, days: days, names: [])
    }

    /// Returns a certificate (PEM) of the authority `other`, signed by this authority.
    ///
    /// With this certificate, clients trust `other` if they trust this authority.
    ///
    /// The certificate is valid until one of the two authorities expires.
    ///
    /// - Throws: `CertificateFault.authorityEnded`, or an error of the cryptography library. No input can cause the
    ///   library's error.
    package func link(to other: CertificateAuthority, at now: Instant) throws -> String {
        guard now.date < certificate.notValidAfter else { throw CertificateFault.authorityEnded }
        let made = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: other.key.publicKey,
            notValidBefore: now.date,
            notValidAfter: min(certificate.notValidAfter, other.certificate.notValidAfter),
            issuer: certificate.subject,
            subject: other.certificate.subject,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: other.key.publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier)
            },
            issuerPrivateKey: key
        )
        return try made.serializeAsPEM().pemString + "\n"
    }

    private func issue(
        _ subject: DistinguishedName,
        for usage: ExtendedKeyUsage.Usage,
        from begin: Instant,
        days: Int,
        names: [ServerName]
    ) throws -> IssuedCertificate {
        guard begin.date < certificate.notValidAfter else { throw CertificateFault.authorityEnded }
        let own = Certificate.PrivateKey(P256.Signing.PrivateKey())
        // A certificate must not outlive its authority, because some libraries refuse a certificate that does.
        let end = min(begin.adding(seconds: Int64(days) * 86_400).date, certificate.notValidAfter)
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([usage])
            SubjectKeyIdentifier(hash: own.publicKey)
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier)
        }
        if !names.isEmpty {
            let list = SubjectAlternativeNames(names.map(\.general))
            try extensions.append(Certificate.Extension(list, critical: false))
        }
        let made = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: own.publicKey,
            notValidBefore: begin.date,
            notValidAfter: end,
            issuer: certificate.subject,
            subject: subject,
            extensions: extensions,
            issuerPrivateKey: key
        )
        return IssuedCertificate(
            pem: try made.serializeAsPEM().pemString + "\n",
            keyPEM: try own.serializeAsPEM().pemString + "\n",
            facts: CertificateFacts(made)
        )
    }

    private static let hexDigits = Array("0123456789abcdef")
}

/// A newly issued certificate with its key.
package struct IssuedCertificate: Sendable {
    /// The certificate (PEM).
    package let pem: String
    /// The certificate's key (PEM), of which no other copy exists.
    package let keyPEM: String
    /// The facts of the certificate.
    package let facts: CertificateFacts
}

extension Instant {
    /// The moment as a `Date`, without its milliseconds.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds / 1000)) }

    /// Creates a moment from a `Date`, rounded to a whole second.
    init(_ date: Date) { self.init(milliseconds: Int64(date.timeIntervalSince1970.rounded()) * 1000) }
}
