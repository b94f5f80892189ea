package import Domain
package import JSON

/// An encoder of the messages by which Home Assistant discovers a linked user's device.
///
/// Home Assistant refuses a component that has a member unknown to the installed version. The messages therefore
/// contain only members that version 2024.12, the oldest supported version, knows. The documentation describes these
/// rules (reference: home-assistant#discovery).
package struct DiscoveryCodec {
    private let topics: Topics
    private let link: Session
    private let binding: Binding
    private let product: Product

    /// The maximum total size of the components in a message, in bytes; further components are left out.
    private static let bytesMax = 58_000

    /// Makes an encoder for the device that `binding` binds to the link's user.
    package init(_ topics: Topics, link: Session, binding: Binding, product: Product) {
        (self.topics, self.link, self.binding, self.product) = (topics, link, binding, product)
    }

    /// Returns the message about the device, and the components of this and all earlier messages.
    ///
    /// Each returned component has only the member `platform`. `known` contains the components of the earlier messages,
    /// also with only this member. If the device no longer has one of these components, the message contains only the
    /// platform of that component. Home Assistant then removes the component.
    package func message(
        maker: String,
        mac: MAC,
        hardware: JSONObject,
        known: JSONObject?
    ) -> (payload: [UInt8], components: JSONObject) {
        var (components, removed) = (known ?? [:], known ?? [:])
        var bytes = components.encoded().count
        for (key, component) in self.components {
            bytes += component.encoded().count + 2 * key.utf8.count
            guard bytes <= Self.bytesMax else { break }
            components[key] = .object(component)
            removed[key] = ["platform": component["platform"] ?? .null]
        }
        let payload: JSONObject = [
            "device": .object(device(maker, mac, hardware: hardware)), "origin": ["name": "Lamplighter"],
            "availability_mode": "all", "availability": [service, Self.availability(on: status)],
            "components": .object(components),
        ]
        return (payload.encoded(), removed)
    }

    private func device(_ maker: String, _ mac: MAC, hardware: JSONObject) -> JSONObject {
        func version(_ names: String...) -> JSONValue? {
            names.lazy.compactMap { hardware[$0] }.first { $0.stringValue?.isEmpty == false }
        }
        let pairs = stride(from: 0, to: mac.text.utf8.count, by: 2).map { mac.text.dropFirst($0).prefix(2) }
        let name = binding.alias.isEmpty ? "\(product.name) \(mac.text.suffix(4))" : binding.alias
        return [
            "identifiers": [.string("lamplighter_\(did)")],
            // Some devices have an IMEI instead of a MAC address. The IMEI is left out here.
            "connections": pairs.count == 6 ? [["mac", .string(pairs.joined(separator: ":"))]] : nil,
            "name": .string(name), "manufacturer": .string(maker), "model": .string(product.name),
            "sw_version": version("mcuSoftVersion", "wifiSoftVersion", "wifiFirmwareVer"),
            "hw_version": version("mcuHardVersion", "wifiHardVersion"), "serial_number": .string(did.text),
        ]
    }

    private var did: DeviceID { binding.did }
    private var status: String { topics.user(link.uid, device: did, "status") }
    /// The service counts as available while the control worker, which handles commands, is online.
    private var service: JSONValue { Self.availability(on: topics.system("worker/control")) }

    private static func availability(on topic: String) -> JSONValue {
        let template = "{{ 'online' if value_json is defined and value_json.online else 'offline' }}"
        return ["topic": .string(topic), "value_template": .string(template)]
    }

    // MARK: Components

    /// A component with its key.
    ///
    /// The key begins with the platform. A data point whose platform changes therefore becomes a new component.
    private typealias Component = (key: String, object: JSONObject)

    private var components: [Component] {
        // This sensor must show an offline device as "off". If the sensor's availability depended on the device, Home
        // Assistant would show "unavailable" instead. Therefore, the availability depends only on the service.
        let online: JSONObject = ["device_class": "connectivity", "availability": [service]]
        let problem = topics.link(link.id, did, leaf: "problem")
        let whole = [
            component("binary_sensor", "online", name: "Connection", members: online),
            event("activity", "Activity", on: topics.user(link.uid, device: did, "event"), of: Event.types.sorted()),
            event("problem", "Command problem", on: problem, of: HomeAssistantCodec.problems),
        ]
        return whole + product.alerts.map { condition("alert", $0) } + product.faults.map { condition("fault", $0) }
            + product.dataPoints.compactMap(component)
    }

    /// Returns a component that reads the status, where `members` override the common members.
    private func component(_ platform: String, _ id: String, name: String, members: JSONObject) -> Component {
        let diagnostic: JSONValue? = id == "online" || id == "problem" || id.hasPrefix("fault_") ? "diagnostic" : nil
        let head: JSONObject = [
            "platform": .string(platform), "unique_id": .string("ll_\(did)_\(id)"), "name": .string(name), "qos": 1,
            "entity_category": diagnostic, "state_topic": .string(status),
            "value_template": .string("{{ 'ON' if value_json is defined and value_json.online else 'OFF' }}"),
        ]
        var object = head
        for member in members.members { object[member.key] = member.value == .null ? nil : member.value }
        return ("\(platform)-\(id)", object)
    }

    private func event(_ id: String, _ name: String, on topic: String, of types: [String]) -> Component {
        let attributes = ["name", "value", "reason", "message"].map { "'\($0)': value_json.\($0) | default(none)" }
        let template = "{{ {'event_type': value_json.type, \(attributes.joined(separator: ", "))} | to_json }}"
        let members = JSONObject(showing: [
            "state_topic": topic, "event_types": types, "value_template": template, "availability": [service],
        ])
        return component("event", id, name: name, members: members)
    }

    private func condition(_ kind: String, _ name: String) -> Component {
        let list = "(value_json | default({})).\(kind)s | default([])"
        let template = "{{ 'ON' if '\(Self.escaped(name))' in \(list) else 'OFF' }}"
        let members: JSONObject = ["device_class": "problem", "value_template": .string(template)]
        return component("binary_sensor", "\(kind)_\(name)", name: name, members: members)
    }

    /// Returns a data point's component, or nil if the point is unusable.
    ///
    /// The result is nil for raw bytes, and if the user can neither see nor set the value. A settable number needs at
    /// least two allowed values.
    private func component(_ point: DataPoint) -> Component? {
        let isSet = point.access != .readOnly && binding.access == .control
        guard isSet || point.access != .writeOnly else { return nil }
        guard let (platform, form) = form(of: point, isSet: isSet) else { return nil }
        var members = form
        if point.access == .writeOnly {
            (members["state_topic"], members["value_template"]) = (.null, .null)
        } else {
            members["value_template"] = .string(Self.template(of: point, isSet: isSet))
        }
        if isSet {
            let value = point.kind.isText ? "value | to_json" : "value"
            members["command_topic"] = .string(topics.link(link.id, did, leaf: "set"))
            members["command_template"] = .string("{\"\(Self.escaped(point.name))\": {{ \(value) }}}")
        }
        let name = point.displayName ?? point.name
        return component(platform, "data_\(point.name)", name: name, members: members)
    }

    /// Returns the platform of a data point's component, and the members that belong to the platform.
    private func form(of point: DataPoint, isSet: Bool) -> (platform: String, members: JSONObject)? {
        let options = JSONValue.array(point.values.map { .string($0) })
        let unit = point.unit.flatMap { $0.isEmpty ? nil : $0 }
        let unitClass = unit.flatMap { Self.unitClasses[$0] }
        var numeric = JSONObject(showing: ["unit_of_measurement": unit, "device_class": unitClass])
        switch (point.kind, isSet) {
        case (.raw, _): return nil
        case (.bool, true) where point.access == .writeOnly: return ("button", ["payload_press": "true"])
        case (.bool, true):
            return ("switch", ["payload_on": "true", "payload_off": "false", "state_on": "ON", "state_off": "OFF"])
        case (.bool, false): return ("binary_sensor", [:])
        case (.int, true), (.float, true):
            // For a `number` without limits, Home Assistant assumes the limits 1 and 100. Home Assistant accepts no
            // step below 0.001.
            let (low, high) = (point.min ?? -1e9, point.max ?? 1e9)
            guard low < high else { return nil }
            (numeric["min"], numeric["max"]) = (ProductCodec.number(low), ProductCodec.number(high))
            numeric["step"] = ProductCodec.number(max(point.step ?? (point.kind == .int ? 1 : 0.001), 0.001))
            numeric["mode"] = point.min == nil || point.max == nil ? "box" : "auto"
            return ("number", numeric)
        case (.int, false), (.float, false):
            numeric["state_class"] = unitClass == "energy" ? "total_increasing" : "measurement"
            return ("sensor", numeric)
        case (.enum, true): return ("select", ["options": options])
        case (.enum, false): return ("sensor", ["device_class": "enum", "options": options])
        case (.string, true): return ("text", ["max": .integer(Int64(min(point.maxLength ?? 255, 255)))])
        case (.string, false): return ("sensor", [:])
        }
    }

    /// The device class for each unit that belongs to only one device class.
    private static let unitClasses = [
        "°C": "temperature", "°F": "temperature", "K": "temperature", "kWh": "energy", "Wh": "energy", "MWh": "energy",
        "W": "power", "kW": "power", "V": "voltage", "mV": "voltage", "A": "current", "mA": "current",
        "hPa": "pressure", "kPa": "pressure", "Pa": "pressure", "bar": "pressure", "mbar": "pressure",
        "psi": "pressure", "lx": "illuminance", "Hz": "frequency",
    ]

    /// Returns the template with which Home Assistant reads a data point from the status.
    ///
    /// A missing attribute becomes `None`, which Home Assistant shows as unknown. A `text` component would show the
    /// word `None`, so it gets an empty string instead. For the empty message that clears an unbound device's status,
    /// `value_json` isn't defined.
    private static func template(of point: DataPoint, isSet: Bool) -> String {
        let value = "(value_json | default({'data': {}})).data['\(escaped(point.name))']"
        return switch point.kind {
        case .bool: "{{ 'None' if \(value) is not defined else 'ON' if \(value) else 'OFF' }}"
        case .string where isSet: "{{ \(value) | default('') }}"
        // A state in Home Assistant can have at most 255 characters.
        case .string: "{{ (\(value) | default('None'))[:255] }}"
        case .int, .float, .enum, .raw: "{{ \(value) | default('None') }}"
        }
    }

    /// Escapes the special characters of Jinja and JSON in a form that both understand.
    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { scalar in
            let isPlain = !scalar.isASCII || "_- ".unicodeScalars.contains(scalar)
            if isPlain || UInt8(ascii: scalar).isLetterOrDigit { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
