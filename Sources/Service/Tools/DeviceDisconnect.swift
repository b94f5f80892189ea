package import Domain
import Mosquitto
import Wire

/// Notifies a running service's broker of a device's removal.
package enum DeviceDisconnect {
    /// Asks the gate to close the device's connection at once.
    ///
    /// - Returns: False where no broker could be told.
    package static func send(
        _ did: DeviceID,
        _ directory: DataDirectory,
        _ settings: Settings
    ) -> Bool {
        let told: Void? = try? ToolClient.connect(directory, settings) { client in
            _ = try client.publish(
                topic: Topics.gateControl,
                payload: SystemCodec.gate([.kickDevice(did)])
            )
            try client.settle()
        }
        return told != nil
    }
}
