import ArgumentParser
import Certificates
import Domain
import Files
import JSON
import Problems
import Service
import ServiceSettings
import Workers

/// `tls show`: the certificates that the service takes.
struct TLSShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the certificates that the service takes, and check that they fit.",
        discussion: """
            lamplighter tls show
            """
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let values = try await settings.read()
        let directory = try DataDirectory.prepare(values.dataDirectory)
        guard let files = try TLSFiles.find(values, in: directory) else {
            throw Problem(
                .certificateUnusable,
                "there is no certificate",
                at: directory.ownTLS.certificate,
                why: "tls.certificate is not set, and `lamplighter tls init` has made none here",
                cures: [
                    .init(
                        "lamplighter tls init --data '\(directory.path)'",
                        "make one of one's own"
                    )
                ]
            )
        }
        let material = try TLSMaterial(files)
        let rows = [
            ("server", files.certificate, material.certificate as CertificateFacts?),
            ("authority", files.authority, material.authority),
        ]
        let now = SystemClock().now
        if output.json {
            Terminal.show(
                .array(rows.compactMap { row in row.2.map { Self.json((row.0, row.1, $0), now) } })
            )
            return
        }
        for (title, path, facts) in rows {
            guard let facts else { continue }
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
            if let warning = CertificateText.warning(facts, at: now) {
                print("  note     \(warning)")
            }
        }
    }

    private static func json(
        _ row: (title: String, path: String, facts: CertificateFacts),
        _ now: Instant
    ) -> JSONValue {
        .object(
            JSONObject([
                ("certificate", .string(row.title)), ("file", .string(row.path)),
                ("subject", .string(row.facts.subject)), ("issuer", .string(row.facts.issuer)),
                ("names", .array(row.facts.names.map(JSONValue.string))),
                ("from", .integer(row.facts.begin.milliseconds)),
                ("until", .integer(row.facts.end.milliseconds)),
                ("warning", CertificateText.warning(row.facts, at: now).map(JSONValue.string)),
            ])
        )
    }
}
