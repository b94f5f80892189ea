/// The passwords that a data directory's service gives and takes.
package struct ServiceSecrets: Sendable {
    /// Of `service:lamplighter`, the workers.
    package let service: String
    /// Of `service:tools`, commands and tests.
    package let tools: String

    /// Reads both, or makes what isn't there yet.
    ///
    /// - Throws: A `Problem` where a file cannot be read or written.
    package init(_ directory: DataDirectory) throws {
        service = try SecretFile.readOrMake(directory.serviceSecret)
        tools = try SecretFile.readOrMake(directory.toolsSecret)
    }
}
