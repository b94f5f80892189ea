/// Tells whether a service runs on a data directory.
package enum RunningService {
    /// Refuses to go on where none does.
    ///
    /// - Throws: A `Problem`.
    package static func require(_ directory: DataDirectory, _ settings: Settings) throws {
        try ToolClient.connect(directory, settings) { _ in }
    }
}
