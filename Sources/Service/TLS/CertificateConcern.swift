import Certificates
package import Domain
import Files

/// Something about the certificates in force that an operator should mend.
package struct CertificateConcern: Sendable, Equatable {
    /// The file.
    package let path: String
    /// What is wrong, in words.
    package let text: FindingText
    /// Whether connections fail, or will within days.
    package let isUrgent: Bool
    /// What to do.
    package let cure: FindingText
    /// The command that does it; nil where it is not a matter of this program.
    package let command: String?
}

extension TLSMaterial {
    /// Returns what is wrong with the certificates at a moment, the urgent first.
    package func concerns(at now: Instant) -> [CertificateConcern] {
        let ofAuthority = authority.flatMap {
            age(of: $0, files.authority, at: now, cure: authorityCure)
        }
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

    private func age(
        of facts: CertificateFacts,
        _ path: String,
        at now: Instant,
        cure: Cure
    ) -> CertificateConcern? {
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
            text:
                "\(files.signer ?? "the authority") has not signed it: clients that trust that refuse it",
            isUrgent: true,
            cure: "make a certificate by that authority, or bring back the other's authority.pem",
            command: cure.command
        )
    }

    /// A certificate never holds for longer than its authority, so that it is of no use to renew it alone then.
    private func serverCure(_ isAuthorityEnding: Bool) -> Cure {
        guard let maker = files.certificateMaker else {
            return ("renew it where it came from; the running service takes it", nil)
        }
        if isAuthorityEnding, files.authorityMaker != nil { return authorityCure }
        return (
            "renew it; the running service takes it", "lamplighter tls init --data '\(maker)'"
        )
    }

    private var authorityCure: Cure {
        guard let maker = files.authorityMaker else {
            return ("renew it where it came from, and start the service again", nil)
        }
        return (
            "make another, give authority.pem to all that trust this one, and start the service again",
            "lamplighter tls init --renew-authority --data '\(maker)'"
        )
    }
}
