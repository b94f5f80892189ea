import Domain
import Files
import Foundation
import Glibc
import JSON
import Problems
import Storage
import Testing
import Workers

@testable import Service

@Suite struct ImportTests {
    private let folder: TemporaryFolder
    private let store: Store

    init() throws {
        folder = try TemporaryFolder()
        store = try StoreAccess.service(DataDirectory.prepare(folder.path + "/d"), .file)
    }

    private func product(_ more: [(String, JSONValue)] = [], isForced: Bool = false) throws -> Import.Outcome {
        var document = JSONObject([
            ("productKey", .string(String(repeating: "a", count: 32))), ("name", "Lamp"),
            ("dataPoints", [["name": "power", "access": "rw", "type": "bool"]]),
        ])
        for (name, value) in more { document[name] = value }
        let complete = document
        return try store.batch(at: SystemClock().now) {
            try Import.product(.object(complete), isForced: isForced, in: $0)
        }
    }

    private func app(_ more: [(String, JSONValue)] = []) throws -> Import.Outcome {
        var document: JSONObject = ["appId": "demo", "name": "Demo"]
        for (name, value) in more { document[name] = value }
        let complete = document
        return try DocumentFile.importing("app.json") {
            try store.batch(at: SystemClock().now) { try Import.app(.object(complete), in: $0) }
        }
    }

    @Test("A new product gets a secret, an existing one keeps its secret, and a given secret is used")

    func secrets() throws {
        #expect(try product().secret?.count == 43)
        #expect(try product().secret == nil)
        let given = "a-secret-of-my-own"
        #expect(try product([("productSecret", .string(given))]).secret == given)
    }

    @Test("A missing key or id is generated, each time a new one")
    func made() throws {
        let documents: [JSONValue] = [["name": "Lamp"], ["name": "Lamp", "productKey": .null]]
        let keys = try documents.map { document in
            try store.batch(at: SystemClock().now) { try Import.product(document, in: $0) }
        }
        let apps = try (0..<2).map { _ in
            try store.batch(at: SystemClock().now) { try Import.app(["name": "App"], in: $0) }
        }

        #expect(keys.allSatisfy { ProductKey($0.id) != nil && $0.isNew && $0.secret != nil })
        #expect(apps.allSatisfy { $0.id.utf8.count == 32 && $0.isNew && $0.secret != nil })
        #expect(Set((keys + apps).map(\.id)).count == 4)
        #expect(try store.read { try $0.products.all() }.count == 2)
    }

    @Test("A provider's secret is kept if a new version omits it, and replaced if it is given")

    func providerSecrets() throws {
        func twitter(_ more: [(String, JSONValue)]) throws -> String? {
            let object = JSONObject([("enabled", true), ("clientIds", ["id"])] + more)
            _ = try app([("providers", .object(JSONObject([("twitter", .object(object))])))])
            return try store.read { try $0.apps.find(AppID(trusted: "demo")) }?
                .providers[.twitter]?.clientSecret
        }
        #expect(throws: Problem.self) { try twitter([]) }
        #expect(try twitter([("clientSecret", "first")]) == "first")
        #expect(try twitter([]) == "first")
        #expect(try twitter([("clientSecret", "second"), ("keepToken", true)]) == "second")
        _ = try app([("providers", .object(JSONObject()))])
        #expect(throws: Problem.self) { try twitter([]) }
    }

    @Test("An exported document contains no secret, and can be imported again")
    func export() throws {
        let twitter: JSONValue = [
            "enabled": true, "clientIds": ["id"], "clientSecret": "hush",
        ]
        _ = try app([("secret", "hush-hush-hush-hush"), ("providers", ["twitter": twitter])])
        let id = AppID(trusted: "demo")
        let before = try #require(try store.read { try $0.apps.document(id) })

        let exported = AppSecrets.removed(from: before)
        _ = try store.batch(at: SystemClock().now) { try Import.app(.object(exported), in: $0) }

        #expect(!String(decoding: exported.encoded(), as: UTF8.self).contains("hush"))
        #expect(try store.read { try $0.apps.document(id) } == before)
    }

    @Test("Retained statuses are published again only for products whose data points change") func refreshes() throws {
        _ = try product()
        try bindDevice()
        _ = try product([("alerts", ["hot"])])
        let before = try store.read { try $0.refreshes.isWaiting() }

        _ = try product([("dataPoints", [])])

        let after = try store.read { try $0.refreshes.isWaiting() }
        #expect(!before && after)
    }

    @Test("An alert that is active on a device can be removed from its product only by force") func openAlert() throws {
        _ = try product([("alerts", ["hot", "wet"])])
        try bindDevice()
        try store.batch(at: SystemClock().now) { (tx) throws in
            try tx.lock(devices: [Self.did])
            guard var record = try tx.statuses.find(Self.did) else { return }
            record.status.open = [.init(kind: .alert, name: "hot", eventID: "e-1")]
            try tx.statuses.save(reported: [record])
        }

        let problem = #expect(throws: Problem.self) { try product([("alerts", ["wet"])]) }

        #expect(problem?.code == .conflict)
        #expect(problem?.message.contains("hot") == true)
        #expect(throws: Never.self) { try product([("alerts", ["hot"])]) }
        #expect(throws: Never.self) { try product([("alerts", [])], isForced: true) }
    }

    private static let did = DeviceID(trusted: "d-0000000000001")

    /// Creates a device that is bound to a user.
    private func bindDevice() throws {
        try store.batch(at: SystemClock().now) { (tx) throws in
            try tx.lockAll()
            try tx.devices.create(
                Self.did,
                product: ProductKey(trusted: String(repeating: "a", count: 32)),
                mac: MAC(trusted: "0123456789ab")
            )
            try tx.bindings.insert(
                Binding(
                    did: Self.did,
                    uid: UserID(trusted: "u-0000000000001"),
                    app: AppID(trusted: "demo"),
                    role: .special,
                    boundAt: tx.now
                )
            )
        }
    }

    @Test("The demo's documents match their schemas")
    func demo() throws {
        let keys = try DemoKeys.readOrMake(DataDirectory.prepare(folder.path + "/d"))

        try store.batch(at: SystemClock().now) { tx in
            try Import.product(DemoDocuments.product(keys), in: tx)
            try Import.app(DemoDocuments.app(keys), in: tx)
        }

        let (products, apps) = try store.read { (try $0.products.all(), try $0.apps.all()) }
        #expect(products.map(\.key.text) == [keys.productKey])
        #expect(products.first?.dataPoints.count == 4)
        #expect(apps.map(\.id.text) == ["demo"])
    }

    @Test(
        "An unknown policy is refused with its path",
        arguments: [
            ("policies", ["anonymous": "never"], "policies.anonymous"),
            ("policies", ["uidLogin": 1], "policies.uidLogin"), ("policies", ["uidLogin": .null], "policies.uidLogin"),
            ("policies", ["defaultCountryCode": "+49"], "policies.defaultCountryCode"),
            ("policies", ["defaultCountryCode": .null], "policies.defaultCountryCode"),
            ("texts", ["code": ["pt_BR": ["sms": "x"]]], "texts.code.pt_BR"),
            ("policies", "all", "policies"),
            ("providers", ["wechat": true], "providers.wechat"),
            ("providers", ["wechat": ["enabled": "yes"]], "providers.wechat.enabled"),
        ] as [(String, JSONValue, String)]
    )
    func policies(_ field: String, _ value: JSONValue, _ place: String) throws {
        let problem = #expect(throws: Problem.self) { try app([(field, value)]) }

        #expect(problem?.code == .documentInvalid)
        #expect(problem?.place == "app.json: \(place)")
    }

    @Test(
        "Each unknown member is refused with a suggestion, and all faults of a document are reported at once"
    )
    func faults() throws {
        let point: JSONValue = ["name": "p", "acess": "rw", "type": "boool", "min": "low"]
        let product = #expect(throws: Rejection.self) {
            try self.product([("dataPoint", []), ("dataPoints", [point]), ("historyDays", 0)])
        }
        #expect(
            Set(([product].compactMap(\.self) + (product?.others ?? [])).map(\.message)) == [
                "dataPoint is unknown; did you mean dataPoints?", "dataPoints.0.acess is unknown; did you mean access?",
                "dataPoints.0.access is missing.",
                "dataPoints.0.type must be one of bool, int, float, enum, string, raw.",
                "dataPoints.0.min must be a number.",
                "historyDays must lie between 1 and 36500.",
            ]
        )

        let app = #expect(throws: Problem.self) {
            try self.app([
                ("appId", "a b"), ("policies", ["uidLogins": true, "anonymous": .null]),
                ("texts", ["code": ["en": ["smss": "x"]]]), ("providers", ["qq": ["subject": "openid", "enabled": 1]]),
            ])
        }
        #expect(app?.place == "app.json: policies.uidLogins")
        #expect(
            Set((app?.why ?? "").split(separator: "\n")) == [
                "appId is not a valid appId: 1 to 64 of A–Z a–z 0–9 _ -.",
                "policies.uidLogins is unknown; did you mean uidLogin?", "policies.anonymous must not be null.",
                "texts.code.en.smss is unknown; did you mean sms?",
                "providers.qq.subject is unknown; expected one of enabled, keepToken, clientIds, baseUrl.",
                "providers.qq.enabled must be true or false.",
            ]
        )
    }

    @Test("A misspelled data point stores nothing")
    func nothingStored() throws {
        #expect(throws: Rejection.self) { try product([("dataPoint", [])]) }
        #expect(try store.read { try $0.products.all() }.isEmpty)
        #expect(throws: Never.self) { try product([("$schema", "product.schema.json")]) }
    }

    @Test("The known members are the schema's", arguments: ["product", "app"])
    func members(_ kind: String) throws {
        let root = URL(filePath: #filePath).appending(path: "../../..")
        let file = root.appending(path: "schemas/documents.schema.json").standardized
        let schema = try JSONValue.parse(Array(Data(contentsOf: file)))
        let definitions = schema.objectValue?["definitions"]?.objectValue
        func properties(_ value: JSONValue?) -> JSONObject {
            value?.objectValue?["properties"]?.objectValue ?? [:]
        }
        func names(_ value: JSONValue?) -> Set<String> {
            Set(properties(value).members.map(\.key))
        }
        let document = definitions?[kind]
        guard kind == "app" else {
            #expect(Set(ProductCodec.members) == names(document))
            #expect(Set(ProductCodec.pointMembers) == names(definitions?["dataPoint"]))
            return
        }
        #expect(Set(AppCodec.members) == names(document))
        #expect(Set(AppCodec.policyMembers) == names(properties(document)["policies"]))
        let providers = properties(properties(document)["providers"])
        #expect(providers.members.count == 8)
        for member in providers.members {
            let provider = try #require(ProviderName(rawValue: member.key))
            #expect(Set(ProviderSettings.members(of: provider)) == names(member.value))
        }
    }

    @Test("A database whose key is missing is refused, and no new key is made")
    func keyLost() throws {
        let directory = try DataDirectory.existing(folder.path + "/d", holdsStore: true)
        #expect(throws: Never.self) { try StoreAccess.tool(directory, .file) }
        try #require(rename(directory.serverKey, directory.serverKey + ".away") == 0)

        let problem = #expect(throws: Problem.self) { try StoreAccess.tool(directory, .file) }

        #expect(problem?.code == .secretUnreadable)
        #expect(!TextFile.exists(directory.serverKey))
    }
}
