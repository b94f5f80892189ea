import Foundation
import TestKit
import Testing

@testable import Mosquitto

@Suite(.tags(.broker), .endsInTime)
struct TLSTests {
    @Test("With the CA and a client certificate, messages pass in both directions")
    func certificate() throws {
        let (broker, directory) = try makeBroker()
        var client = try connect(broker.port, "tls") {
            $0.host = "localhost"
            $0.tls = .init(
                caFile: directory.path("ca.pem"),
                certificateFile: directory.path("client.pem"),
                keyFile: directory.path("client.key")
            )
        }
        try client.subscribe(["a/#"])
        let text = String(repeating: "x", count: 40_000)

        for _ in 0..<50 { try client.publish(topic: "a/b", payload: Array(text.utf8)) }

        let received = try client.collect(50)
        #expect(
            received
                == Array(repeating: Received(topic: "a/b", payload: text), count: 50)
        )
    }

    @Test("A session with a backlog can be subscribed again twice over TLS, too") func resumedBacklog() throws {
        let (broker, directory) = try makeBroker()
        do {
            var client = try keeper(broker, directory)
            try client.subscribe(["a/#"])
            client.disconnect()
        }
        var sender = try keeper(broker, directory, name: "sender")
        for number in 0..<500 {
            try sender.publish(topic: "a/\(number)", payload: [1])
        }
        let receipts = try sender.confirmations()
        #expect(receipts.count == 500)

        var client = try keeper(broker, directory)
        while !client.receiver.wait(for: POLLIN, milliseconds: 10) {}
        try client.subscribe(["a/#"])
        try client.subscribe(["b/#"], options: SubscribeOptions(retainHandling: .always))
        try client.unsubscribe(["b/#"])

        let again = try client.collect(500)
        #expect(again.count == 500)
    }

    private func keeper(
        _ broker: BrokerProcess,
        _ directory: TemporaryDirectory,
        name: String = "keeper"
    ) throws -> MosquittoClient {
        try connect(broker.port, name) {
            $0.host = "localhost"
            $0.tls = .init(
                caFile: directory.path("ca.pem"),
                certificateFile: directory.path("client.pem"),
                keyFile: directory.path("client.key")
            )
        }
    }

    @Test("Without the client certificate, the broker ends the connection")
    func noCertificate() throws {
        let (broker, directory) = try makeBroker()

        #expect(throws: MosquittoError.self) {
            _ = try connect(broker.port) {
                $0.host = "localhost"
                $0.tls = .init(caFile: directory.path("ca.pem"))
            }
        }
    }

    @Test("A broker whose certificate is signed by another CA is refused")
    func foreignBroker() throws {
        let (broker, directory) = try makeBroker()
        try openssl(
            directory,
            "req -x509 -newkey rsa:2048 -nodes -subj /CN=other -keyout other.key",
            "-out other.pem -days 2"
        )

        let error = #expect(throws: MosquittoError.self) {
            _ = try connect(broker.port) {
                $0.host = "localhost"
                $0.tls = .init(
                    caFile: directory.path("other.pem"),
                    certificateFile: directory.path("client.pem"),
                    keyFile: directory.path("client.key")
                )
            }
        }

        #expect(error?.code == .tls)
    }

    @Test("A missing CA file is reported before any connection")
    func missingFile() throws {
        var options = ConnectionOptions(host: "localhost", port: 1, clientID: "x")
        options.tls = .init(caFile: "/nowhere/ca.pem")

        #expect(throws: MosquittoError(.invalid, function: "mosquitto_tls_set")) {
            _ = try MosquittoClient(options, waker: Waker())
        }
    }

    private func makeBroker() throws -> (BrokerProcess, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        try openssl(directory, "req -x509 -newkey rsa:2048 -nodes -subj /CN=ca -keyout ca.key", "-out ca.pem -days 2")
        for (name, subject) in [("server", "localhost"), ("client", "service")] {
            try openssl(
                directory,
                "req -newkey rsa:2048 -nodes -subj /CN=\(subject)",
                "-keyout \(name).key -out \(name).csr"
            )
            try openssl(
                directory,
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial",
                "-out \(name).pem -days 2"
            )
        }
        let broker = try BrokerProcess(
            settings: BrokerProcess.open + """

                cafile \(directory.path("ca.pem"))
                certfile \(directory.path("server.pem"))
                keyfile \(directory.path("server.key"))
                require_certificate true
                """
        )
        return (broker, directory)
    }

    private func openssl(_ directory: TemporaryDirectory, _ arguments: String...) throws {
        let command = "cd '\(directory.path)' && openssl " + arguments.joined(separator: " ")
        #expect(try ChildProcess("/bin/sh", ["-c", command]).wait() == 0)
    }
}
