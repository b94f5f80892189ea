import Foundation
import Glibc
import Synchronization
import Testing
import Web

@testable import Service

@Suite struct SystemdTests {
    /// A socket that receives the service's messages in place of systemd.
    private final class Listener: Sendable {
        let path: String
        private let folder: TemporaryFolder
        private let descriptor: Int32

        init() throws {
            folder = try TemporaryFolder()
            path = folder.path + "/notify"
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let code = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(code == 0)
            // Because of this timeout, the test fails if a message is missing, rather than waiting forever.
            var patience = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// Waits for the next message, and returns its lines.
        func next() throws -> [String] {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            try #require(count > 0, "no message came")
            return String(decoding: buffer.prefix(count), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }

        /// Waits for a line that begins with `text`, and returns all lines until then.
        func lines(until text: String) throws -> [String] {
            var all: [String] = []
            while !all.contains(where: { $0.hasPrefix(text) }) { all += try next() }
            return all
        }
    }

    @Test("Without systemd nothing is reported")
    func absent() {
        #expect(SystemdSocket([:]) == nil)
        #expect(SystemdSocket(["NOTIFY_SOCKET": ""]) == nil)
        #expect(SystemdSocket(["NOTIFY_SOCKET": "relative"]) == nil)
        let long = "/" + String(repeating: "a", count: 200)
        #expect(SystemdSocket(["NOTIFY_SOCKET": long]) == nil)
    }

    @Test(
        "The watchdog's interval applies only to the process it names",
        arguments: [
            (["WATCHDOG_USEC": "3000000"], Duration.seconds(3)),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], .seconds(3)),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], nil),
            (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "soon"], nil),
            ([:], nil),
        ] as [([String: String], Duration?)]
    )
    func watchdog(variables: [String: String], expected: Duration?) throws {
        let environment = variables.merging(["NOTIFY_SOCKET": "@abstract"]) { $1 }
        let socket = try #require(SystemdSocket(environment, pid: 7))

        #expect(socket.watchdog == expected)
    }

    @Test("Readiness is reported once, and the health check notifies the watchdog") func reports() throws {
        let listener = try Listener()
        let socket = try #require(SystemdSocket(["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "40000"]))
        let readiness = Readiness(parts: ["store"])
        let isWell = Atomic(false)
        let reports = SystemdReports(
            socket: socket,
            readiness: readiness,
            isReady: { parts in parts.allSatisfy { $0.waitsFor == nil } },
            isAlive: { isWell.load(ordering: .relaxed) }
        )

        reports.start()
        let begin = try listener.lines(until: "STATUS=")
        readiness.isReady("store")
        let start = try listener.lines(until: "READY=1")
        isWell.store(true, ordering: .relaxed)
        let alive = try listener.lines(until: "WATCHDOG=1")
        reports.stop()
        let end = try listener.lines(until: "STOPPING=1")

        #expect(begin.contains("STATUS=waits for store: starting"))
        #expect(begin.contains("EXTEND_TIMEOUT_USEC=60000000"))
        #expect(start.contains("STATUS=accepts work"))
        #expect(!start.contains("WATCHDOG=1"))
        #expect(!alive.contains("READY=1"))
        #expect(end.last == "STATUS=stopping")
    }

    @Test("The status is a single, short line")
    func status() {
        let parts = Readiness(parts: ["broker"])
        parts.isWaiting("broker", for: "a\nb" + String(repeating: "c", count: 500))

        let text = SystemdReports.status(parts.parts)

        #expect(text.hasPrefix("waits for broker: a bc"))
        #expect(text.utf8.count <= 200)
    }
}
