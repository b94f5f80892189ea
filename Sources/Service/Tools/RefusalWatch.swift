package import JSON
import Mosquitto
import Wire

/// Follows what the gate tells of its refusals.
package enum RefusalWatch {
    /// Subscribes and hands over each refusal, until `count` have come or the connection ends.
    ///
    /// - Throws: A `Problem` where the broker can't be reached.
    package static func run(
        _ directory: DataDirectory,
        _ settings: Settings,
        count: Int?,
        _ show: (JSONObject) -> Void
    ) throws {
        var left = count ?? .max
        try ToolClient.connect(directory, settings) { client in
            try client.subscribe([Topics(root: settings.root).system("refusal")])
            var intake = Intake()
            while left > 0 {
                try client.receive(
                    upTo: 100,
                    linger: .zero,
                    wait: .milliseconds(500),
                    into: &intake
                )
                for delivery in intake.deliveries where left > 0 {
                    let bytes = intake.bytes[delivery.payload]
                    guard let refusal = try? Payload.object(bytes) else { continue }
                    show(refusal)
                    left -= 1
                }
                try client.flush()
            }
        }
    }
}
