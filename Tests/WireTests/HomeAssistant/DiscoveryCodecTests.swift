import Domain
import JSON
import Testing
import Wire

@Suite("Discovery by Home Assistant")
struct DiscoveryCodecTests {
    private static let session = Session(
        id: Session.linkID(on: Make.terminal),
        uid: Make.uid,
        app: Make.app,
        terminal: Make.terminal,
        platform: Session.linkPlatform,
        os: "",
        name: "",
        loginTime: Make.now,
        expiresAt: .max
    )

    private func message(
        _ points: [DataPoint],
        alerts: [String] = [],
        access: Binding.Access = .control,
        alias: String = "",
        mac: MAC = Make.mac,
        known: JSONObject = [:]
    ) -> (payload: [UInt8], components: JSONObject) {
        let binding = Binding(
            did: Make.did,
            uid: Make.uid,
            app: Make.app,
            role: .owner,
            access: access,
            alias: alias,
            boundAt: Make.now
        )
        let product = Product(key: Make.key, name: "Lamp", dataPoints: points, alerts: alerts)
        return DiscoveryCodec(Make.topics, link: Self.session, binding: binding, product: product).message(
            maker: "Maker",
            mac: mac,
            hardware: ["mcuSoftVersion": "", "wifiSoftVersion": "2.1", "wifiHardVersion": "B"],
            known: known
        )
    }

    private func components(_ points: [DataPoint], access: Binding.Access = .control) throws -> JSONObject {
        let object = try Make.object(message(points, access: access).payload)
        return try #require(object["components"]?.objectValue)
    }

    private func component(_ point: DataPoint, access: Binding.Access = .control) throws -> (String, JSONObject)? {
        let all = try components([point], access: access).members.first { $0.key.contains("-data_") }
        return all.flatMap { member in member.value.objectValue.map { (member.key, $0) } }
    }

    @Test(
        "A data point becomes an entity according to its kind and access",
        arguments: [
            (.bool, .readWrite, "switch"), (.bool, .readOnly, "binary_sensor"), (.bool, .writeOnly, "button"),
            (.int, .readWrite, "number"), (.float, .readOnly, "sensor"), (.int, .writeOnly, "number"),
            (.enum, .readWrite, "select"), (.enum, .writeOnly, "select"), (.enum, .readOnly, "sensor"),
            (.string, .readWrite, "text"), (.string, .writeOnly, "text"), (.string, .readOnly, "sensor"),
            (.raw, .readWrite, nil),
        ] as [(DataPoint.Kind, DataPoint.Access, String?)]
    )
    func platforms(_ kind: DataPoint.Kind, _ access: DataPoint.Access, _ platform: String?) throws {
        let found = try component(DataPoint("x", kind, access: access, values: kind == .enum ? ["a"] : []))
        #expect(found?.0 == platform.map { "\($0)-data_x" })
        #expect(found?.1["platform"]?.stringValue == platform)
        #expect((found?.1["state_topic"] != nil) == (platform != nil && access != .writeOnly))
        #expect((found?.1["command_topic"] != nil) == (platform != nil && access != .readOnly))
    }

    @Test("A user with read access only gets no controls") func readers() throws {
        #expect(try component(DataPoint("x", .bool), access: .read)?.0 == "binary_sensor-data_x")
        #expect(try component(DataPoint("x", .bool, access: .writeOnly), access: .read) == nil)
    }

    @Test("Numbers have limits, a step that Home Assistant accepts, and their unit's class") func numbers() throws {
        let bounded = try #require(try component(DataPoint("x", .float, min: -5, max: 5, step: 0.0001, unit: "°C"))?.1)
        #expect(bounded["min"] == -5 && bounded["max"] == 5 && bounded["step"] == 0.001 && bounded["mode"] == "auto")
        #expect(bounded["device_class"] == "temperature" && bounded["unit_of_measurement"] == "°C")
        let free = try #require(try component(DataPoint("x", .int, unit: "lm"))?.1)
        #expect(free["min"] == -1_000_000_000 && free["step"] == 1 && free["mode"] == "box")
        #expect(free["device_class"] == nil && free["unit_of_measurement"] == "lm")
        #expect(try component(DataPoint("x", .int, min: 3, max: 3)) == nil)
        let meter = try #require(try component(DataPoint("x", .float, access: .readOnly, unit: "kWh"))?.1)
        #expect(meter["device_class"] == "energy" && meter["state_class"] == "total_increasing")
    }

    @Test("A name is escaped where Jinja or JSON would interpret it") func names() throws {
        let name = #"a'b"{{c\ü_1"#
        let found = try #require(try component(DataPoint(name, .int))?.1)
        let escaped = #"a\u0027b\u0022\u007b\u007bc\u005cü_1"#
        let template = "{{ (value_json | default({'data': {}})).data['\(escaped)'] | default('None') }}"
        #expect(found["value_template"]?.stringValue == template)
        #expect(found["command_template"]?.stringValue == "{\"\(escaped)\": {{ value }}}")
        #expect(found["unique_id"]?.stringValue == "ll_\(Make.did)_data_\(name)")
    }

    @Test("Components of earlier messages that this message omits are removed") func removal() throws {
        let first = message([DataPoint("x", .bool), DataPoint("y", .bool)])
        let second = message([DataPoint("x", .bool, access: .readOnly)], known: first.components)
        let components = try #require(try Make.object(second.payload)["components"]?.objectValue)
        #expect(components["switch-data_x"] == ["platform": "switch"])
        #expect(components["switch-data_y"] == ["platform": "switch"])
        #expect(components["binary_sensor-data_x"]?.objectValue?["name"] == "x")
        #expect(message([DataPoint("x", .bool, access: .readOnly)], known: second.components).payload == second.payload)
    }

    @Test("The device has its maker, versions, hardware address and the user's name for it") func device() throws {
        let device = try Make.object(message([], alias: "Kitchen").payload)["device"]?.objectValue
        #expect(device?["name"] == "Kitchen" && device?["manufacturer"] == "Maker" && device?["model"] == "Lamp")
        #expect(device?["sw_version"] == "2.1" && device?["hw_version"] == "B")
        #expect(device?["connections"] == [["mac", "01:23:45:67:89:ab"]])
        let modem = try Make.object(message([], mac: MAC(trusted: "123456789012345")).payload)["device"]?.objectValue
        #expect(modem?["connections"] == nil && modem?["name"] == "Lamp 2345")
    }

    @Test("A message with very many data points stays within the limit") func size() throws {
        let long = String(repeating: "n", count: 60)
        let message = message((0..<256).map { DataPoint("\(long)\($0)", .float) })
        #expect(message.payload.count <= 62_000 && message.components.members.count > 40)
    }

    @Test("A command is translated into its request") func command() throws {
        let request = try HomeAssistantCodec.controlling(Make.did, by: Make.bytes(#"{"power": true}"#))
        #expect(try Make.object(request)["params"] == ["did": .string(Make.did.text), "data": ["power": true]])
        #expect(throws: WireError.self) { try HomeAssistantCodec.controlling(Make.did, by: Make.bytes("on")) }
    }
}
