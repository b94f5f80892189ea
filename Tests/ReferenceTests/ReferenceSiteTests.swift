import Credentials
import Domain
import Problems
import Service
import ServiceSettings
import Testing
import Web

@testable import Reference

@Suite struct ReferenceSiteTests {
    private let files = ReferenceDocuments.site.files

    private func page(_ name: String) -> String { files[name + ".html"] ?? "" }

    @Test func everyErrorCodeHasCauseAndCure() {
        for code in ErrorCode.allCases {
            #expect(page("errors").contains("id=\"\(code.rawValue)\""), "\(code)")
        }
    }

    @Test func everyReasonOfARefusalIsThere() {
        for reason in RefusalReason.allCases {
            #expect(page("refusals").contains("id=\"\(reason.rawValue)\""), "\(reason)")
        }
    }

    @Test func everyProblemIsThere() {
        for code in ProblemCode.allCases {
            #expect(page("problems").contains("id=\"\(code.rawValue)\""), "\(code)")
        }
    }

    @Test func everySettingAndMetricIsThere() {
        for setting in SettingsTable.all {
            #expect(page("settings").contains("<code>\(setting.key)</code>"), "\(setting.key)")
        }
        for metric in MetricCatalog.entries {
            #expect(page("metrics").contains("<code>\(metric.name)</code>"), "\(metric.name)")
        }
    }

    @Test func everyWrittenTextIsAPageOrTheHeadOfOne() {
        for name in Texts.names(of: "md") {
            let page = name.hasSuffix("-head") ? String(name.dropLast(5)) : name
            #expect(files[page + ".html"] != nil, "\(name)")
        }
    }
}
