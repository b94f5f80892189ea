import ArgumentParser
import Domain
import JSON
import ServiceSettings
import Workers

/// `app show`: one app's policies and providers in force, without secrets.
struct AppShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one app: its policies and providers, without secrets.",
        discussion: "lamplighter app show demo"
    )

    @Argument(help: "The app's id.")
    var id: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let (app, document) = try place.app(id)
        let policies = AppCodec.encode(
            app.policies,
            sessionDays: Limits(place.settings).sessionSeconds / 86_400
        )
        let providers = app.providers.values.sorted {
            $0.provider.rawValue < $1.provider.rawValue
        }
        if output.json {
            return Terminal.show(
                .object(Self.json(app, policies, providers: providers, document: document))
            )
        }
        print("\(app.id)  \(PlainText.of(app.name))")
        print("products \(AppListCommand.products(app))\n")
        print(Self.table(policies, given: document["policies"]?.objectValue).text)
        if !providers.isEmpty { print("\n" + Self.table(providers).text) }
        if let texts = document["texts"]?.objectValue, !texts.members.isEmpty {
            print(
                "\nown words for \(PlainText.of(texts.members.map(\.key).joined(separator: ", ")))"
            )
        }
    }

    private static func json(
        _ app: App,
        _ policies: JSONObject,
        providers: [ProviderSettings],
        document: JSONObject
    ) -> JSONObject {
        [
            "appId": .string(app.id.text), "name": .string(app.name),
            "products": AppListCommand.json(app.products), "policies": .object(policies),
            "providers": .object(
                JSONObject(
                    providers.map { ($0.provider.rawValue, .object(AppCodec.encode($0))) }
                )
            ),
            "texts": document["texts"],
        ]
    }

    private static func table(_ policies: JSONObject, given: JSONObject?) -> TextTable {
        var table = TextTable(["POLICY", "VALUE", "FROM"])
        for policy in policies.members {
            table.add([
                policy.key, policy.value.stringValue ?? Terminal.json(policy.value),
                given?[policy.key] == nil ? "default" : "document",
            ])
        }
        return table
    }

    private static func table(_ providers: [ProviderSettings]) -> TextTable {
        var table = TextTable(["PROVIDER", "ENABLED", "CLIENT IDS", "SECRET", "KEEPS TOKEN", "AT"])
        for settings in providers {
            table.add([
                settings.provider.rawValue, settings.isEnabled ? "yes" : "no",
                settings.clientIDs.joined(separator: " "),
                settings.clientSecret == nil ? "-" : "set", settings.keepsToken ? "yes" : "no",
                settings.baseURL.isEmpty ? "-" : settings.baseURL,
            ])
        }
        return table
    }
}
