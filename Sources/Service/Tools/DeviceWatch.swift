package import Domain
package import JSON

/// A watch on the messages between a device and the service.
package enum DeviceWatch {
    /// One observed message.
    package struct ObservedMessage {
        /// The topic's end: `report`, `command`, `response`, `presence`.
        package var leaf: String
        /// Whether the gate published it, not the device.
        package var isOfGate: Bool
        /// The payload.
        package var body: JSONObject
    }

    /// Subscribes and hands over each message, until `count` messages are received or the connection ends.
    ///
    /// Passcodes and hardware, which `info` carries, are not shown.
    /// - Throws: A `Problem` if the broker can't be reached.
    package static func run(
        _ did: DeviceID,
        root: String,
        over client: ToolClient,
        count: Int?,
        show: (ObservedMessage) -> Void
    ) throws {
        let leaves = ["report", "command", "response", "presence"]
        try client.follow(
            leaves.map { "\(root)/device/\(did.text)/\($0)" }
                + ["\(root)/system/presence/\(did.text)"],
            count: count
        ) { topic, body in
            let isOfGate = topic.hasPrefix("\(root)/system/")
            let leaf = isOfGate ? "presence" : topic.split(separator: "/").last
            show(ObservedMessage(leaf: leaf.map(String.init) ?? "", isOfGate: isOfGate, body: body))
        }
    }
}
