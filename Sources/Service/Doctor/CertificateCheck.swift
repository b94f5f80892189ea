import Certificates
import Domain
import Files
import Problems
import ServiceSettings

/// Whether the certificates can be used, and hold for a while.
struct CertificateCheck {
    let directory: DataDirectory
    let settings: Settings

    func run(at now: Instant) -> Finding {
        let title = "the certificates hold"
        do {
            guard let files = try TLSFiles.find(settings, in: directory) else {
                return Finding(
                    .doctorCertificates,
                    title,
                    .skip,
                    directory.path,
                    "there are none; nothing listens with TLS",
                    command: "lamplighter tls init --data '\(directory.path)'"
                )
            }
            return finding(title, try TLSMaterial(files), at: now)
        } catch {
            let problem = error as? Problem
            return Finding(
                .doctorCertificates,
                title,
                .fail,
                problem?.place ?? directory.path,
                problem?.why ?? "\(error)",
                cure: "see which files are read",
                command: "lamplighter tls show --data '\(directory.path)'"
            )
        }
    }

    private func finding(_ title: String, _ material: TLSMaterial, at now: Instant) -> Finding {
        let all =
            [(material.files.certificate, material.certificate)]
            + (material.authority.map { [(material.files.authority, $0)] } ?? [])
        let early = all.first { CertificateAge($0.1, at: now) == .early }
        let (path, facts) = early ?? all.min { $0.1.end < $1.1.end } ?? all[0]
        let warning = CertificateText.warning(facts, at: now)
        let state: Finding.State =
            warning == nil ? .pass : CertificateAge(facts, at: now) == .soon ? .warn : .fail
        let isOwn = settings.tlsCertificate == nil
        return Finding(
            .doctorCertificates,
            title,
            state,
            path,
            warning ?? "until \(CertificateText.date(facts.end))",
            cure: warning == nil
                ? ""
                : isOwn ? "renew it; the running service takes it" : "renew it where it came from",
            command: warning == nil || !isOwn
                ? nil : "lamplighter tls init --data '\(directory.path)'"
        )
    }
}
