import Mosquitto
package import Storage

/// Publishes a dead letter again.
package enum Replay {
    /// Publishes it to its original topic, and waits for the broker's confirmation.
    ///
    /// - Throws: A `Problem` where the broker can't be reached.
    package static func run(
        _ letter: DeadLetter,
        _ directory: DataDirectory,
        _ settings: Settings
    ) throws {
        try ToolClient.connect(directory, settings) { client in
            _ = try client.publish(topic: letter.topic, payload: letter.payload)
            try client.settle()
        }
    }
}
