package import Domain
package import JSON
import Mosquitto
import Wire

/// Follows what goes between a device and the service.
package enum DeviceWatch {
    /// One message, as it went.
    package struct Sight {
        /// The topic's end: `report`, `command`, `response`, `presence`.
        package var leaf: String
        /// Whether the gate says so, not the device.
        package var isOfGate: Bool
        /// What it says.
        package var body: JSONObject
    }

    /// Subscribes and hands over each message, until `count` have come or the connection ends.
    ///
    /// Passcodes and hardware, which `info` carries, are not shown.
    /// - Throws: A `Problem` where the broker can't be reached.
    package static func run(
        _ did: DeviceID,
        _ directory: DataDirectory,
        _ settings: Settings,
        count: Int?,
        _ show: (Sight) -> Void
    ) throws {
        let root = settings.root
        var left = count ?? .max
        try ToolClient.connect(directory, settings) { client in
            try client.subscribe(
                ["report", "command", "response", "presence"].map {
                    "\(root)/device/\(did.text)/\($0)"
                } + ["\(root)/system/presence/\(did.text)"]
            )
            var intake = Intake()
            while left > 0 {
                try client.receive(
                    upTo: 100,
                    linger: .zero,
                    wait: .milliseconds(500),
                    into: &intake
                )
                for delivery in intake.deliveries where left > 0 {
                    let topic = String(decoding: intake.bytes[delivery.topic], as: UTF8.self)
                    guard let body = try? Payload.object(intake.bytes[delivery.payload]) else {
                        continue
                    }
                    let isOfGate = topic.hasPrefix("\(root)/system/")
                    let leaf = isOfGate ? "presence" : topic.split(separator: "/").last
                    show(Sight(leaf: leaf.map(String.init) ?? "", isOfGate: isOfGate, body: body))
                    left -= 1
                }
                try client.flush()
            }
        }
    }
}
