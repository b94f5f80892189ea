import Domain
import Foundation
import Testing
import Web

@testable import Service

@Suite("Refusals by listeners") struct ListenerRefusalTests {
    @Test("Refusals by listeners are reported like the gate's, with the client's input; a flood is reported as a count")
    func told() {
        let refusals = ListenerRefusals()
        let now = Instant(milliseconds: 7)
        let origin = ListenerRefusal(.origin, address: "192.0.2.7", detail: "https://evil.example")

        for _ in 0..<120 { refusals.note(origin, at: now) }
        let (told, missed) = refusals.take()

        #expect(told.count == 100 && missed == 20)
        #expect(told[0].reason == "originNotAllowed" && told[0].action == "connect")
        #expect(told[0].address == "192.0.2.7" && told[0].detail == "https://evil.example")
        #expect(told[0].lastAt == now)
        #expect(refusals.take().refusals.isEmpty)
    }

    @Test("A client's input is truncated before it is logged and stored")
    func cut() {
        let long = String(repeating: "x", count: 5000)

        #expect(ListenerRefusal(.origin, address: "", detail: long).detail.utf8.count == 128)
    }

    @Test("Failed handshakes are read from the broker's log, without other lines, and each once")

    func brokerLog() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("2026: OpenSSL Error[0]: error:1:a::before\n", as: "log")
        var watch = BrokerLogWatch(path: path)
        func append(_ text: String) throws {
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        }

        #expect(watch.take().isEmpty)
        try append(
            """
            2026-11-23T16:04:39: OpenSSL Error[0]: error:0A000418:SSL routines::tlsv1 alert unknown ca
            2026-11-23T16:04:39: OpenSSL Error[1]: error:0A000418:SSL routines::the same one
            2026-11-23T16:04:39: OpenSSL Error[0]: error:0A000126:SSL routines::unexpected eof while reading
            2026-11-23T16:04:39: mosquitto version 2.0.11 running
            2026-11-23T16:04:39: OpenSSL Error[0]: error:0A00010B:SSL routines::wrong ver
            """
        )
        #expect(watch.take().map(\.detail) == ["tlsv1 alert unknown ca"])
        try append("sion number\n")
        #expect(watch.take().map(\.detail) == ["wrong version number"])
        #expect(watch.take().isEmpty)
        _ = try folder.write("2026: OpenSSL Error[0]: error:1:a::anew\n", as: "log")
        #expect(watch.take().map(\.detail) == ["anew"])
    }
}
