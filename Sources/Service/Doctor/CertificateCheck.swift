import Certificates
import Domain
import Files
import Problems
import ServiceSettings

/// Whether the certificates can be used, hold for a while, and are those that the running service shows.
struct CertificateCheck {
    let directory: DataDirectory
    let settings: Settings

    private static let title: FindingText = "the certificates hold"

    func run(at now: Instant) async -> Finding {
        do {
            guard let files = try TLSFiles.find(settings, in: directory) else {
                return Finding(
                    .doctorCertificates,
                    Self.title,
                    .skip,
                    directory.path,
                    "there are none; nothing listens with TLS",
                    command: "lamplighter tls init --data '\(directory.path)'"
                )
            }
            return await finding(try TLSMaterial(files), at: now)
        } catch {
            let problem = error as? Problem
            return Finding(
                .doctorCertificates,
                Self.title,
                .fail,
                problem?.place ?? directory.path,
                FindingText(verbatim: problem?.why ?? "\(error)"),
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
        // What makes connections fail comes first, and its cure is shown.
        concerns = concerns.filter(\.isUrgent) + concerns.filter { !$0.isUrgent }
        guard let first = concerns.first else {
            return Finding(
                .doctorCertificates,
                Self.title,
                .pass,
                material.files.certificate,
                "until \(CertificateText.date(material.certificate.end))"
            )
        }
        return Finding(
            .doctorCertificates,
            Self.title,
            first.isUrgent ? .fail : .warn,
            first.path,
            FindingText(joining: concerns.map(\.text), by: "; "),
            cure: first.cure,
            command: first.command
        )
    }
}
