import Administration
import ArgumentParser
import Certificates
import Domain
import Files
import Glibc
import JSON
import Service
import ServiceSettings
import Workers

extension TLSInitCommand {
    /// The range of days that the command accepts.
    static let daysRange = 1...3650

    /// The longest validity, in days, that Apple's systems accept for a server's certificate.
    static let appleDaysMax = 825

    func validate() throws {
        guard Self.daysRange.contains(days) else {
            throw ValidationError(
                "--days takes \(Self.daysRange.lowerBound) to \(Self.daysRange.upperBound), not \(days)"
            )
        }
        for text in name where ServerName(text) == nil {
            throw ValidationError("--name takes a DNS name or an address, not \(text): \(ServerName.fault(of: text))")
        }
    }

    func run() async throws {
        let values = try await settings.read()
        let directory = try DataDirectory.prepare(values.dataDirectory)
        let now = SystemClock().now
        let names = name.isEmpty ? Self.usual(directory) : name.compactMap(ServerName.init)
        let authority =
            try renewAuthority
            ? LocalAuthority.renew(in: directory, at: now) : LocalAuthority.readOrMake(in: directory, at: now)
        let facts = try authority.renewServer(names, days: days, at: now)
        let files = directory.ownTLS
        if output.json {
            Terminal.show(json: [
                "authority": files.authority, "authorityIsNew": authority.isNew, "certificate": files.certificate,
                "names": facts.names, "until": facts.end,
            ])
        } else {
            print(
                """
                authority    \(files.authority)\(authority.isNew ? " (new)" : "")
                certificate  \(files.certificate)
                names        \(facts.names.joined(separator: ", "))
                until        \(TimeText.of(facts.end))
                """
            )
        }
        for note in notes(values, directory) + authorityNotes(authority, facts) { Terminal.tell(note) }
    }

    private static func usual(_ directory: DataDirectory) -> [ServerName] {
        if let pem = TextFile.read(directory.ownTLS.certificate), let file = try? CertificateFile(pem: pem) {
            return file.facts.names.compactMap(ServerName.init)
        }
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return [] }
        let text = bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return [ServerName(text)].compactMap(\.self)
    }

    private func authorityNotes(
        _ authority: LocalAuthority,
        _ server: CertificateFacts
    ) -> [String] {
        if renewAuthority {
            let until = authority.linkedUntil.map {
                "Until \(TimeText.of($0)), when the old authority expires, clients with either file trust the server."
            }
            return [
                until ?? "Clients that trust an older authority refuse the server until they have the new file.",
                "Give tls/authority.pem to all clients that trust the previous authority, and restart the service: its"
                    + " broker accepts devices' certificates of the new authority from then on.",
            ]
        }
        guard server.end == authority.facts.end, days < Self.daysRange.upperBound else { return [] }
        return [
            "note: no certificate outlasts the authority, which expires then; --renew-authority makes a new authority"
        ]
    }

    private func notes(_ settings: Settings, _ directory: DataDirectory) -> [String] {
        var notes: [String] = []
        if days > Self.appleDaysMax {
            notes.append(
                "note: iPhones and Macs refuse a server certificate valid for more than \(Self.appleDaysMax) days"
            )
        }
        if settings.tlsCertificate != nil {
            notes.append("note: tls.certificate is set, so the service uses that certificate instead")
        } else if let ready = TextFile.read(directory.ready), !ready.contains("\"httpTlsPort\"") {
            notes.append("Restart the service: its TLS listeners open only if it starts with a certificate.")
        }
        return notes
    }
}
