package import Domain
import JSON
import Mosquitto
import Wire

/// Tells a running service's broker that a device is gone.
package enum DeviceFarewell {
    /// Has the gate close the device's connection, and tells those who were bound.
    ///
    /// - Returns: False where no broker could be told.
    package static func tell(
        _ did: DeviceID,
        _ users: [UserID],
        _ directory: DataDirectory,
        _ settings: Settings
    ) -> Bool {
        let topics = Topics(root: settings.root)
        let notice = JSONObject([
            ("type", "unbound"), ("did", .string(did.text)), ("reason", "operator"),
        ]).encoded()
        let told: Void? = try? ToolClient.connect(directory, settings) { client in
            _ = try client.publish(
                topic: Topics.gateControl,
                payload: SystemCodec.gate([.kickDevice(did)])
            )
            for user in users {
                _ = try client.publish(topic: topics.user(user, "device"), payload: notice)
            }
            try client.settle()
        }
        return told != nil
    }
}
