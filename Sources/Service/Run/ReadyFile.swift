package import Files
import Glibc
package import JSON
import ServiceLifecycle
import ServiceSettings
import Web

/// The file `ready.json` with the ports and credentials of a run, which exists from when everything accepts work until
/// the end of the run.
package struct ReadyFile: Sendable {
    private let path: String

    /// Sets the path of the file, and removes a file that an earlier run left behind.
    package init(_ directory: DataDirectory) {
        path = directory.ready
        remove()
    }

    /// Writes the file atomically, with mode 0600.
    ///
    /// - Throws: `Errno` if the file can't be written.
    package func write(_ context: RunContext) throws {
        let text = String(decoding: Self.json(context, withSecrets: true).encoded(), as: UTF8.self)
        try TextFile.write(text + "\n", to: path)
    }

    /// Returns the content of the file in a data directory; nil if no service is ready.
    package static func read(_ directory: DataDirectory) -> JSONObject? {
        TextFile.readBytes(directory.ready).flatMap { try? JSONValue.parse($0) }?.objectValue
    }

    /// Returns the content of the file; without secrets, this is the output of `up --json`.
    static func json(_ context: RunContext, withSecrets: Bool) -> JSONValue {
        let service: JSONObject = [
            "username": "service:tools", "password": withSecrets ? .string(context.secrets.tools) : nil,
            "clientIdPrefix": "svc.tools.",
        ]
        var demo = context.demo?.json
        if !withSecrets, let open = demo?.objectValue {
            let secrets: Set = ["appSecret", "productSecret"]
            demo = .object(JSONObject(members: open.members.filter { !secrets.contains($0.key) }))
        }
        return .object([
            "mqttPort": port(context.ports.mqtt),
            "mqttTlsPort": port(context.ports.mqttTLS),
            "clientCertificatePort": port(context.ports.clientCertificate),
            "webSocketPort": port(context.ports.webSocket),
            "webSocketTlsPort": port(context.ports.webSocketTLS),
            "httpPort": port(context.ports.http),
            "httpTlsPort": port(context.ports.httpTLS),
            "healthPort": port(context.ports.health),
            "consolePort": port(context.ports.console),
            "consoleUrl": context.ports.console.map { _ in .string(context.consoleURL) },
            "tlsHost": tlsHost(context),
            "pid": .integer(Int64(getpid())), "service": .object(service),
            "demo": demo,
        ])
    }

    /// Returns the address of the listeners with TLS; nil if there is no certificate.
    private static func tlsHost(_ context: RunContext) -> JSONValue? {
        context.tls.map { _ in .string(context.settings.tlsHost ?? LocalHosts.everywhere) }
    }

    private static func port(_ number: Int?) -> JSONValue? { number.map { .integer(Int64($0)) } }

    /// Removes the file.
    package func remove() { unlink(path) }
}

/// A service that announces that everything accepts work, and then waits for the end of the run.
struct Announcer: Service {
    let readiness: Readiness
    let announce: @Sendable () throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await readiness.waitForAll() }
        if readiness.isStarted { try announce() }
        // The service must not return yet: a service that returns before its turn to shut down counts as failed.
        try? await gracefulShutdown()
    }
}
