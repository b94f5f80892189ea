package import Files
import Glibc
package import JSON
import ServiceLifecycle
import ServiceSettings
import Web

/// The file `ready.json` with a run's ports and credentials; the file exists while the service is ready.
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

    /// Returns the content of a data directory's file, or nil if no service is ready.
    package static func read(_ directory: DataDirectory) -> JSONObject? {
        TextFile.readBytes(directory.ready).flatMap { try? JSONValue.parse($0) }?.objectValue
    }

    /// Returns the file's content, or the output of `up --json` if `withSecrets` is false.
    static func json(_ context: RunContext, withSecrets: Bool) -> JSONValue {
        let (ports, password) = (context.ports, withSecrets ? context.secrets.tools : nil)
        var demo = context.demo?.json
        if !withSecrets, let open = demo?.objectValue {
            let secrets: Set = ["appSecret", "productSecret"]
            demo = .object(JSONObject(members: open.members.filter { !secrets.contains($0.key) }))
        }
        return JSONObject(showing: [
            "mqttPort": ports.mqtt, "mqttTlsPort": ports.mqttTLS, "clientCertificatePort": ports.clientCertificate,
            "webSocketPort": ports.webSocket, "webSocketTlsPort": ports.webSocketTLS, "httpPort": ports.http,
            "httpTlsPort": ports.httpTLS, "healthPort": ports.health, "consolePort": ports.console,
            "consoleUrl": ports.console.map { _ in context.consoleURL },
            "tlsHost": context.tls.map { _ in context.settings.tlsHost ?? LocalHosts.everywhere },
            "pid": Int(getpid()),
            "service": JSONObject(showing: [
                "username": "service:tools", "password": password, "clientIdPrefix": "svc.tools.",
            ]),
            "demo": demo,
        ]).shown
    }

    /// Removes the file.
    package func remove() { unlink(path) }
}

/// Announces that the service accepts work, and then waits for the end of the run.
struct Announcer: Service {
    let readiness: Readiness
    let announce: @Sendable () throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await readiness.waitForAll() }
        if readiness.isStarted { try announce() }
        // The service must wait: returning before its turn to shut down counts as a failure.
        try? await gracefulShutdown()
    }
}
