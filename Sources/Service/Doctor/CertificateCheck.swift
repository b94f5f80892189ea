import Certificates
import Domain
import Files
import Problems
import ServiceSettings

/// The check that the certificates are usable, don't expire soon, and are the ones that the running service uses.
struct CertificateCheck {
    let directory: DataDirectory
    let settings: Settings

    private static let check = Check(.doctorCertificates, "the certificates are valid")

    func run(at now: Instant) async -> Finding {
        do {
            guard let files = try TLSFiles.find(settings, in: directory) else {
                return Self.check(
                    .skip,
                    directory.path,
                    evidence: "there are no certificates; no listener uses TLS",
                    command: "lamplighter tls init --data '\(directory.path)'"
                )
            }
            return await finding(try TLSMaterial(files), at: now)
        } catch {
            let problem = error as? Problem
            return Self.check(
                .fail,
                problem?.place ?? directory.path,
                evidence: FindingText(verbatim: problem?.why ?? "\(error)"),
                cure: "see which files are read, and what to do",
                command: "lamplighter tls show --data '\(directory.path)'"
            )
        }
    }

    private func finding(_ material: TLSMaterial, at now: Instant) async -> Finding {
        let served = ServedCertificates(directory, settings)
        var concerns = material.concerns(at: now)
        if let file = try? CertificateFile(pem: material.certificatePEM) {
            concerns += await served.concerns(file, at: now)
        }
        // Urgent concerns are listed first, and the cure for the first of them is shown.
        concerns = concerns.filter(\.isUrgent) + concerns.filter { !$0.isUrgent }
        guard let first = concerns.first else {
            return Self.check(
                .pass,
                material.files.certificate,
                evidence: "until \(CertificateText.date(material.certificate.end))"
            )
        }
        return Self.check(
            first.isUrgent ? .fail : .warn,
            first.path,
            evidence: FindingText(joining: concerns.map(\.text), by: "; "),
            cure: first.cure,
            command: first.command
        )
    }
}
