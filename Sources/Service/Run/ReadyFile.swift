import Glibc
import JSON

/// `ready.json`: where to connect and with what, there while everything accepts work.
package struct ReadyFile: Sendable {
    private let path: String

    /// Names the file and removes a stale one.
    package init(_ directory: DataDirectory) {
        path = directory.ready
        remove()
    }

    /// Writes the file, mode 0600, at once as a whole.
    ///
    /// - Throws: `Errno` where the disk refuses.
    package func write(_ context: RunContext) throws {
        let service = JSONObject([
            ("username", "service:tools"), ("password", .string(context.secrets.tools)),
            ("clientIdPrefix", "svc.tools."),
        ])
        let all = JSONObject([
            ("mqttPort", .integer(Int64(context.mqttPort))),
            ("httpPort", .integer(Int64(context.httpPort))),
            ("healthPort", .integer(Int64(context.healthPort))),
            ("pid", .integer(Int64(getpid()))), ("service", .object(service)),
            ("demo", context.demo?.json),
        ])
        let text = String(decoding: JSONValue.object(all).encoded(), as: UTF8.self)
        try TextFile.write(text + "\n", to: path)
    }

    /// Removes the file.
    package func remove() { unlink(path) }
}
