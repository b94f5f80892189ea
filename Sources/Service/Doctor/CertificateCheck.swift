import Certificates
import Domain
import Files
import Problems
import ServiceSettings

/// The check that the certificates are usable, don't expire soon, and are in use.
struct CertificateCheck {
    let directory: DataDirectory
    let settings: Settings

    private static let check = Check(.doctorCertificates, "the certificates are valid")

    func run(at now: Instant) async -> Finding {
        do {
            guard let files = try TLSFiles.find(settings, in: directory) else {
                return Self.check(.skip, directory.path, found: "there are no certificates; no listener uses TLS")
                    .cured(by: "", "lamplighter tls init --data '\(directory.path)'")
            }
            return await finding(try TLSMaterial(files), at: now)
        } catch {
            let problem = error as? Problem
            let why = FindingText(verbatim: problem?.why ?? "\(error)")
            let show = "lamplighter tls show --data '\(directory.path)'"
            return Self.check(.fail, problem?.place ?? directory.path, found: why)
                .cured(by: "see which files are read, and what to do", show)
        }
    }

    private func finding(_ material: TLSMaterial, at now: Instant) async -> Finding {
        let served = ServedCertificates(directory, settings)
        var concerns = material.concerns(at: now)
        if let file = try? CertificateFile(pem: material.certificatePEM) {
            concerns += await served.concerns(file, at: now)
        }
        // Urgent concerns come first, because the finding shows the cure for the first concern.
        concerns = concerns.filter(\.isUrgent) + concerns.filter { !$0.isUrgent }
        guard let first = concerns.first else {
            let until = CertificateText.date(material.certificate.end)
            return Self.check(.pass, material.files.certificate, found: "until \(until)")
        }
        let text = FindingText(joining: concerns.map(\.text), by: "; ")
        return Self.check(first.isUrgent ? .fail : .warn, first.path, found: text)
            .cured(by: first.cure, first.command)
    }
}
