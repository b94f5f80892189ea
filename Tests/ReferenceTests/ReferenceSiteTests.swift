import Credentials
import Domain
import JSON
import Problems
import Reference
import Service
import ServiceSettings
import Testing
import Web

@Suite struct ReferenceSiteTests {
    private let files = ReferenceDocuments.site.files

    private func page(_ name: String) -> String { files[name + ".html"] ?? "" }

    @Test func everyPageShowsTheVersion() {
        let pages = files.filter { $0.key.hasSuffix(".html") }
        #expect(pages.count > 50)
        for (path, text) in pages { #expect(text.contains("<span>reference \(Version.text)</span>"), "\(path)") }
    }

    @Test func everyErrorCodeHasCauseAndCure() {
        for code in ErrorCode.allCases { #expect(page("errors").contains("id=\"\(code.rawValue)\""), "\(code)") }
    }

    @Test func everyReasonOfARefusalIsThere() {
        for reason in RefusalReason.allCases {
            #expect(page("refusals").contains("id=\"\(reason.rawValue)\""), "\(reason)")
        }
    }

    @Test func everyProblemIsThere() {
        for code in ProblemCode.allCases { #expect(page("problems").contains("id=\"\(code.rawValue)\""), "\(code)") }
    }

    @Test func everySettingAndMetricIsThere() {
        for setting in SettingsTable.all {
            #expect(page("settings").contains("<code>\(setting.key)</code>"), "\(setting.key)")
        }
        for metric in MetricCatalog.entries {
            #expect(page("metrics").contains("<code>\(metric.name)</code>"), "\(metric.name)")
        }
    }

    @Test("The modules that the playground's scripts import exist")
    func everyImportOfThePlaygroundIsAFile() {
        for (path, text) in files where path.hasPrefix("try/") && path.hasSuffix(".js") {
            for line in text.split(separator: "\n") where line.hasPrefix("import ") {
                let name = "try/" + line.split(separator: "\"")[1].dropFirst(2)
                #expect(files[name] != nil, "\(path) imports \(name)")
            }
        }
        #expect(page("try").contains("try/start.js"))
    }

    @Test("The playground has each method with its params, and each error") func contractOfThePlayground() throws {
        let contract = try JSONValue.parse(Array((files["try/contract.json"] ?? "").utf8)).objectValue
        let methods = try #require(contract?["methods"]?.arrayValue).compactMap(\.objectValue)

        #expect(methods.count > 60)
        for method in methods {
            #expect(method["examples"]?.arrayValue?.isEmpty == false)
            #expect(method["params"]?.objectValue?["type"]?.stringValue == "object")
        }
        let errors = contract?["errors"]?.objectValue?.members.map(\.key) ?? []
        #expect(Set(errors) == Set(ErrorCode.allCases.map(\.rawValue)))
        #expect(files["try/contract.json"]?.contains("$ref") == false)
    }
}
