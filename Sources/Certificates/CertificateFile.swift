package import Domain
import Glibc
import SwiftASN1
import X509

/// A fault of a certificate file or key file, described without any of the file's content.
package enum CertificateFault: Error, Sendable, Equatable {
    /// The file contains no certificate in PEM form, or contains an unreadable certificate.
    case noCertificate
    /// The file contains no key in PEM form, or a key of an unknown kind.
    case noKey
    /// The key is encrypted with a passphrase.
    ///
    /// The service starts without an operator who could enter the passphrase.
    case keyEncrypted
    /// The key belongs to another certificate.
    case keyMismatch
    /// The certificate is not allowed to sign others.
    case notAuthority
    /// The authority has expired.
    case authorityEnded

    /// The fault in words, for the text of a `Problem`.
    package var text: String {
        switch self {
        case .noCertificate: "it contains no certificate in PEM format, which starts with -----BEGIN CERTIFICATE-----"
        case .noKey: "it contains no RSA, P-256, P-384, P-521 or Ed25519 private key in PEM format"
        case .keyEncrypted: "the key is encrypted with a passphrase"
        case .keyMismatch: "the key belongs to another certificate"
        case .authorityEnded: "the authority has expired: certificates that it signs now are not valid"
        case .notAuthority: "the certificate is not an authority's: it can't sign others"
        }
    }
}

/// The certificates of one PEM file: first a server's or an authority's, then those of its signers.
package struct CertificateFile: Sendable {
    let certificates: [Certificate]
    let first: Certificate

    /// Reads the certificates of a text, and skips other blocks, such as a key.
    ///
    /// - Throws: `CertificateFault.noCertificate`.
    package init(pem: String) throws(CertificateFault) {
        let blocks = (try? PEMDocument.parseMultiple(pemString: pem)) ?? []
        var certificates: [Certificate] = []
        for block in blocks where block.discriminator == Certificate.defaultPEMDiscriminator {
            guard let read = try? Certificate(derEncoded: block.derBytes) else { throw .noCertificate }
            certificates.append(read)
        }
        guard let first = certificates.first else { throw .noCertificate }
        self.certificates = certificates
        self.first = first
    }

    /// Reads one certificate in DER form, which servers use when they present a certificate to clients.
    ///
    /// - Throws: `CertificateFault.noCertificate`.
    package init(der: [UInt8]) throws(CertificateFault) {
        guard let read = try? Certificate(derEncoded: der) else { throw .noCertificate }
        (certificates, first) = ([read], read)
    }

    /// Whether both files begin with the same certificate.
    package func isSame(as other: CertificateFile) -> Bool { first == other.first }

    /// The facts of the first certificate.
    package var facts: CertificateFacts { CertificateFacts(first) }

    /// The facts of each certificate.
    package var allFacts: [CertificateFacts] { certificates.map { CertificateFacts($0) } }

    /// Whether the first certificate is allowed to sign others.
    package var isAuthority: Bool { Self.isAuthority(first) }

    static func isAuthority(_ certificate: Certificate) -> Bool {
        if case .isCertificateAuthority? = try? certificate.extensions.basicConstraints { true } else { false }
    }

    /// Returns the certificates that have not expired (PEM).
    ///
    /// - Throws: An error of the certificate library. Certificates that the library itself has read can't cause such an
    ///   error.
    package func pem(endingAfter now: Instant) throws -> String {
        try certificates.filter { now.date < $0.notValidAfter }
            .map { try $0.serializeAsPEM().pemString + "\n" }.joined()
    }

    /// Checks that a key (PEM) belongs to the first certificate.
    package func check(keyPEM: String) throws(CertificateFault) {
        guard try Self.key(keyPEM).publicKey == first.publicKey else { throw .keyMismatch }
    }

    /// Returns whether `authority` contains one of this file's certificates, or a certificate that signed one of them.
    package func isSigned(by authority: CertificateFile) -> Bool {
        certificates.contains { certificate in
            authority.certificates.contains { signer in
                certificate == signer
                    || certificate.issuer == signer.subject
                        && signer.publicKey.isValidSignature(certificate.signature, for: certificate)
            }
        }
    }

    /// Reads the first key of a text.
    static func key(_ pem: String) throws(CertificateFault) -> Certificate.PrivateKey {
        let blocks = (try? PEMDocument.parseMultiple(pemString: pem)) ?? []
        guard let block = blocks.first(where: { $0.discriminator.hasSuffix("PRIVATE KEY") }) else { throw .noKey }
        // In the older form of an encrypted key, the PEM block contains headers such as `Proc-Type`. The parser rejects
        // these headers, so such a key counts as `.noKey`.
        if block.discriminator.hasPrefix("ENCRYPTED") { throw .keyEncrypted }
        guard let key = try? Certificate.PrivateKey(pemDocument: block) else { throw .noKey }
        return key
    }
}

/// The facts of a certificate, for display and checks.
package struct CertificateFacts: Sendable, Equatable {
    /// The name of the certificate's owner.
    package let subject: String
    /// The name of the certificate's signer.
    package let issuer: String
    /// The names and addresses in a server's certificate, empty for other certificates.
    package let names: [String]
    /// The beginning of the certificate's validity.
    package let begin: Instant
    /// The end of the certificate's validity.
    package let end: Instant

    /// The length of the certificate's validity, in seconds.
    package var seconds: Int64 { (end.milliseconds - begin.milliseconds) / 1000 }

    init(_ certificate: Certificate) {
        subject = "\(certificate.subject)"
        issuer = "\(certificate.issuer)"
        names = (try? certificate.extensions.subjectAlternativeNames)?.compactMap(Self.text) ?? []
        begin = Instant(certificate.notValidBefore)
        end = Instant(certificate.notValidAfter)
    }

    private static func text(_ name: GeneralName) -> String? {
        switch name {
        case .dnsName(let text): return text
        case .ipAddress(let bytes): return address(Array(bytes.bytes))
        default: return nil
        }
    }

    /// Returns an IP address in its usual form, such as `::1`.
    private static func address(_ bytes: [UInt8]) -> String? {
        guard [4, 16].contains(bytes.count) else { return nil }
        var out = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        return inet_ntop(family, bytes, &out, socklen_t(out.count)).map { String(cString: $0) }
    }
}
