package import JSON
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
        try ToolClient.follow(
            [Topics(root: settings.root).system("refusal")],
            directory,
            settings,
            count: count
        ) { _, refusal in
            show(refusal)
        }
    }
}
