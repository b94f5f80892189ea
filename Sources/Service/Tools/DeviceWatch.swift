package import Domain
package import JSON

/// A watch on the messages between a device and the service.
package enum DeviceWatch {
    /// A message that the watch received.
    package struct ObservedMessage {
        /// The last level of the topic: `report`, `command`, `response` or `presence`.
        package var leaf: String
        /// Whether the gate, and not the device, published the message.
        package var isOfGate: Bool
        /// The payload of the message.
        package var body: JSONObject
    }

    /// Calls `show` for each message between the device and the service, at most `count` times.
    ///
    /// Messages on `info`, which contain passcodes and facts about the hardware, are not shown.
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
