import Credentials
import Problems
package import Reference
import ServiceSettings
import Web

extension ReferenceFacts {
    /// The facts about this program, from its tables.
    package static var ofProgram: ReferenceFacts {
        var facts = ReferenceFacts()
        facts.version = Version.text
        facts.problems = ProblemCode.allCases.map { code in
            Explained(
                code: code.rawValue,
                title: code.page.title,
                paragraphs: [code.page.text.replacing("\n", with: " ")]
            )
        }
        facts.refusals = RefusalReason.allCases.map { reason in
            let page = reason.page
            let paragraphs = ["why   " + page.cause, "do    " + page.cure]
            return Explained(code: reason.rawValue, title: page.title, paragraphs: paragraphs)
        }
        facts.settings = SettingsTable.all.map(row)
        facts.metrics = MetricCatalog.entries.map {
            Metric(name: $0.name, kind: $0.kind.rawValue, help: $0.help)
        }
        return facts
    }

    private static func row(_ setting: ServiceSettings.Setting) -> Setting {
        let takes = setting.kindText.replacing("|", with: ", ")
        return Setting(
            key: setting.key,
            takes: setting.unit.isEmpty ? takes : "\(takes), \(setting.unit)",
            standard: setting.standard.text,
            doc: setting.doc
        )
    }
}
