import Files
import Foundation
import Problems
import ServiceSettings
import TestKit
import Testing

@testable import Service

@Suite struct BrokerTests {
    private func settings(_ flags: [String: String] = [:]) async throws -> Settings {
        try await SettingsReader(file: nil, environment: [:], flags: flags).read()
    }

    @Test("The broker is configured with its listeners and the gate, and without persistence")

    func configuration() async throws {
        let folder = try TemporaryFolder()
        let gate = try folder.write("", as: "gate.so")
        let directory = try DataDirectory.prepare(folder.path + "/d")

        let plan = try BrokerPlan(
            settings: try await settings(["broker.gate": gate, "broker.program": "/bin/true"]),
            directory: directory,
            ports: ListenerPorts(mqtt: 4711),
            secret: "secret"
        )

        let lines = plan.text.split(separator: "\n").map(String.init)
        #expect(lines.contains("listener 4711 127.0.0.1"))
        #expect(lines.contains("plugin \(gate)"))
        #expect(lines.contains("plugin_opt_credentials \(directory.credentials)"))
        #expect(
            lines.contains(
                "plugin_opt_worker_hash " + "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
            )
        )
        #expect(lines.contains("allow_anonymous false"))
        #expect(lines.contains("persistence false"))
        #expect(!plan.text.contains("secret\n"))
    }

    @Test("A missing gate causes one clear error, and the broker isn't started without it")

    func gateMissing() async throws {
        let settings = try await settings(["broker.gate": "/nowhere/gate.so"])

        let problem = #expect(throws: Problem.self) { try BrokerFiles.gate(settings) }

        #expect(problem?.code == .gateMissing)
    }

    @Test("A port in use is reported with the process that uses it")
    func portTaken() throws {
        let listener = try Listener()

        let problem = #expect(throws: Problem.self) {
            try Ports.choose(listener.port, hosts: ["127.0.0.1"], cure: "--mqtt-port 0", purpose: "why")
        }

        #expect(problem?.code == .portTaken)
        #expect(problem?.message.contains("pid \(getpid())") == true)
        #expect(Ports.accepts("127.0.0.1", listener.port))
    }

    @Test("Port 0 gives a free port")
    func freePort() throws {
        let port = try Ports.choose(0, hosts: ["127.0.0.1"], cure: "--mqtt-port 0", purpose: "why")

        #expect(port > 0)
        #expect(!Ports.accepts("127.0.0.1", port))
    }

    @Test("A child's end is reported to all waiters", .endsInTime)
    func childExit() async throws {
        let folder = try TemporaryFolder()
        let output = folder.path + "/out"
        let child = try await ChildProcess.launch(
            "/bin/sh",
            ["-c", "echo hello; echo trouble >&2; exit 7"],
            output: output
        )

        async let first = child.waitForExit()
        async let second = child.waitForExit()

        #expect(await [first, second] == [.code(7), .code(7)])
        #expect(child.exit == .code(7))
        #expect(TextFile.read(output) == "hello\ntrouble\n")
    }

    @Test("A child can be ended by a signal", .endsInTime)
    func childSignal() async throws {
        let child = try await ChildProcess.launch("/bin/sleep", ["3600"], output: "/dev/null")
        child.send(SIGTERM)

        #expect(await child.waitForExit() == .signal(SIGTERM))
        child.send(SIGKILL)
    }

    @Test("The end of the log explains why the broker did not start")
    func logTail() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old: line\n", as: "log")
        let size = try #require(TextFile.size(path))
        try "old: line\n2026-11-21T10:00:00: Error: Address already in use\n"
            .write(toFile: path, atomically: true, encoding: .utf8)

        #expect(BrokerLog.tail(path, from: size) == "Error: Address already in use")
    }
}

/// A socket that listens on a free port until the object is released.
private final class Listener {
    let port: Int
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let address = try #require(SocketAddress("127.0.0.1", 0))
        let bound = address.withPointer { bind(descriptor, $0, $1) }
        try #require(bound == 0)
        try #require(listen(descriptor, 1) == 0)
        self.descriptor = descriptor
        port = SocketAddress.port(of: descriptor)
    }

    deinit { close(descriptor) }
}
