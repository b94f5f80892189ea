import Certificates
package import Domain
import Files

/// A fault in the certificates in use, which an operator should fix.
package struct CertificateConcern: Sendable, Equatable {
    /// The path of the file.
    package let path: String
    /// The description of the fault.
    package let text: FindingText
    /// Whether connections fail because of the fault, or will fail within days.
    package let isUrgent: Bool
    /// What the operator can do about the fault.
    package let cure: FindingText
    /// The command that does what `cure` says, or nil if there is no such command.
    package let command: String?
}

extension TLSMaterial {
    /// Returns the concerns about the certificates at a moment, the urgent ones first.
    package func concerns(at now: Instant) -> [CertificateConcern] {
        let ofAuthority = authority.flatMap { age(of: $0, files.authority, at: now, cure: authorityCure) }
        let found = [
            age(
                of: certificate,
                files.certificate,
                at: now,
                cure: serverCure(ofAuthority != nil)
            ),
            isForeign ? foreign : nil, ofAuthority,
        ].compactMap(\.self)
        return found.filter(\.isUrgent) + found.filter { !$0.isUrgent }
    }

    private typealias Cure = (text: FindingText, command: String?)

    private func age(of facts: CertificateFacts, _ path: String, at now: Instant, cure: Cure) -> CertificateConcern? {
        guard let text = CertificateText.warning(facts, at: now) else { return nil }
        return CertificateConcern(
            path: path,
            text: text,
            isUrgent: CertificateAge(facts, at: now) != .soon,
            cure: cure.text,
            command: cure.command
        )
    }

    private var foreign: CertificateConcern {
        let cure = serverCure(false)
        return CertificateConcern(
            path: files.certificate,
            text: "\(files.signer ?? "the authority") has not signed it, so clients of that authority refuse it",
            isUrgent: true,
            cure: "make a certificate with that authority, or restore the authority.pem of the other",
            command: cure.command
        )
    }

    /// Returns the cure for a fault in the server's certificate.
    ///
    /// If the authority expires soon, renewing only the certificate doesn't help. A certificate never outlasts its
    /// authority.
    private func serverCure(_ isAuthorityEnding: Bool) -> Cure {
        guard let maker = files.certificateMaker else {
            return ("renew the certificate where it came from; the running service loads it", nil)
        }
        if isAuthorityEnding, files.authorityMaker != nil { return authorityCure }
        return ("renew the certificate; the running service loads it", "lamplighter tls init --data '\(maker)'")
    }

    private var authorityCure: Cure {
        guard let maker = files.authorityMaker else {
            return ("renew the authority where it came from, and restart the service", nil)
        }
        return (
            "make another authority, give authority.pem to all clients of this one, and restart the service",
            "lamplighter tls init --renew-authority --data '\(maker)'"
        )
    }
}
