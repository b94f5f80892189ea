import Administration
import Certificates
import Domain
import Files
import JSON
import Problems
import Service
import ServiceSettings
import Workers

extension TLSShowCommand {
    func run() async throws {
        let values = try await settings.read()
        let directory = try DataDirectory.prepare(values.dataDirectory)
        guard let files = try TLSFiles.find(values, in: directory) else {
            throw Problem.noCertificate(certificate: directory.ownTLS.certificate, directory: directory.path)
        }
        let material: TLSMaterial
        do {
            material = try TLSMaterial(files)
        } catch {
            // The names of the files are shown even if the files can't be used.
            if !output.json { Self.tell(files) }
            throw error
        }
        let rows: [Row] =
            [("server", files.certificate, material.certificate)]
            + material.authorities.map { ("authority", files.authority, $0) }
        let now = SystemClock().now
        let concerns = material.concerns(at: now)
        if output.json { return Terminal.show(.array(rows.map { Self.json($0, now, among: concerns) })) }
        for (title, path, facts) in rows {
            print(
                """
                \(title)
                  file     \(path)
                  subject  \(PlainText.of(facts.subject))
                  issuer   \(PlainText.of(facts.issuer))
                  names    \(facts.names.isEmpty ? "-" : PlainText.of(facts.names.joined(separator: ", ")))
                  from     \(TimeText.of(facts.begin))
                  until    \(TimeText.of(facts.end))
                """
            )
            if let warning = Self.warning((title, path, facts), now, among: concerns) { print("  note     \(warning)") }
        }
        for concern in concerns { print("do         \(concern.cure)" + (concern.command.map { ": \($0)" } ?? "")) }
    }

    private typealias Row = (title: String, path: String, facts: CertificateFacts)

    private static func tell(_ files: TLSFiles) {
        for (title, path) in [
            ("certificate  ", files.certificate), ("key          ", files.key), ("authority    ", files.authority),
        ] {
            let state = TextFile.readBytes(path) == nil ? "   \(TextFile.unreadable(path))" : ""
            print(title + path + state)
        }
    }

    /// Returns the warnings about a certificate, or nil if there are no warnings.
    ///
    /// The warnings are about the period of validity. The server's certificate also gets a warning if the
    /// authority in the same data directory hasn't signed it.
    private static func warning(_ row: Row, _ now: Instant, among concerns: [CertificateConcern]) -> String? {
        let times = CertificateText.warning(row.facts, at: now)?.description
        guard row.title == "server" else { return times }
        let all = concerns.filter { $0.path == row.path }.map(\.text.description)
        return all.isEmpty ? times : all.joined(separator: "; ")
    }

    private static func json(_ row: Row, _ now: Instant, among concerns: [CertificateConcern]) -> JSONValue {
        JSONObject(showing: [
            "certificate": row.title, "file": row.path, "subject": row.facts.subject, "issuer": row.facts.issuer,
            "names": row.facts.names, "from": row.facts.begin, "until": row.facts.end,
            "warning": warning(row, now, among: concerns),
        ]).shown
    }
}
