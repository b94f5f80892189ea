import Batching
import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("Requests over HTTP, in Mosquitto", .endsInTime)
struct HTTPRequestTests {
    private static let topic = "\(Cast.ownApp)/request/account/whoami"
    private static let answers = "\(Cast.ownApp)/http/test"

    /// A broker, a client that passes HTTP requests on, and a worker that receives them.
    private struct Front {
        let broker: GateBroker
        let client: MiniClient
        let worker: MiniClient

        init(_ records: [Record], options: [String: Int] = [:]) throws {
            broker = try GateBroker(records, options: options)
            client = try MiniClient(broker.port, Cast.worker("http-test"))
            worker = try MiniClient(broker.port, Cast.worker("session"))
            #expect(try client.subscribe("ll/v1/system/http/test") == 1)
            #expect(try worker.subscribe("ll/v1/app/+/+/request/#") == 1)
        }

        /// Passes a request on, and returns why the gate refused it, or nil if the worker received the request.
        func refusal(
            _ password: String,
            topic: String = HTTPRequestTests.topic,
            from source: String = "192.0.2.7"
        ) throws -> String? {
            var writer = BatchWriter()
            let payload = try GateBroker.hash(password).bytes + Array("{}".utf8)
            Array(topic.utf8).withUnsafeBufferPointer { topic in
                payload.withUnsafeBufferPointer { payload in
                    Array(source.utf8).withUnsafeBufferPointer { source in
                        Array(HTTPRequestTests.answers.utf8).withUnsafeBufferPointer { answers in
                            var message = BatchedMessage(topic: topic, payload: payload)
                            message.sourceAddress = source
                            message.responseTopic = answers
                            message.correlation = UnsafeBufferPointer(rebasing: answers.prefix(8))
                            writer.append(message)
                        }
                    }
                }
            }
            _ = try client.publish("$CONTROL/lamplighter/request", writer.bytes)
            let refused = try client.receive(within: 0.3)
            guard let refused else {
                let request = try #require(try worker.receive())
                #expect(request.topic == topic)
                #expect(request.bytes == Array("{}".utf8))
                #expect(request.users("lamplighter-address") == [source])
                return nil
            }
            #expect(refused.topic == "ll/v1/system/http/test")
            return String(decoding: refused.bytes, as: UTF8.self)
        }
    }

    private static func records(_ terminal: Record) throws -> [Record] { try Cast.records() + [terminal] }

    @Test("The app's secret is accepted for a new terminal, and a wrong secret is refused")
    func secret() throws {
        let front = try Front(Cast.records())
        #expect(try front.refusal("app") == nil)
        #expect(try front.refusal("wrong") == #"{"reason":"badSecret"}"#)
        let foreign = Self.topic.replacing("/demo/", with: "/none/")
        #expect(try front.refusal("app", topic: foreign) == #"{"reason":"unknownPrincipal"}"#)
    }

    @Test("A session's token is accepted, and the app's secret is refused from then on")
    func token() throws {
        let front = try Front(Self.records(Cast.terminal(session: "s-1", isUsed: false)))
        #expect(try front.refusal("app") == nil)
        #expect(try front.refusal("token s-1") == nil)
        #expect(try front.refusal("app") == #"{"reason":"sessionTokenRequired"}"#)
    }

    @Test("An expired session's token is refused")
    func expired() throws {
        let front = try Front(Self.records(Cast.terminal(session: "s-1", lasting: -1)))
        #expect(try front.refusal("token s-1") == #"{"reason":"badSecret"}"#)
    }

    @Test("Requests and messages of a terminal's connection count together")
    func shared() throws {
        let front = try Front(
            Self.records(Cast.terminal(session: "s-1")),
            options: ["terminal_messages_per_second": 1, "terminal_message_burst": 10]
        )
        let app = try MiniClient(front.broker.port, Cast.app(password: "token s-1"))
        #expect(app.code == 0)
        for _ in 0..<4 {
            #expect(try app.publish(Self.topic) < 0x80)
            _ = try front.worker.receive()
        }
        var passed = 0
        while passed < 20, try front.refusal("token s-1") == nil { passed += 1 }
        // The burst of ten consists of the CONNECT, the four messages and five requests. The rate allows a few more
        // requests during the test.
        #expect((5...9).contains(passed))
        #expect(try app.publish(Self.topic) == 0x87)
    }

    @Test("The limit of an address covers requests over HTTP by all its terminals")
    func address() throws {
        let front = try Front(
            Cast.records(),
            options: [
                "address_messages_per_second": 1, "address_message_burst": 5, "terminal_messages_per_second": 0,
                "terminal_bytes_per_second": 0,
            ]
        )
        var reasons: [String?] = []
        for _ in 0..<40 where reasons.last != #"{"reason":"addressTooFast"}"# {
            reasons.append(try front.refusal("app"))
        }
        #expect(reasons.last == #"{"reason":"addressTooFast"}"#)
    }

    @Test("Other clients can neither publish nor subscribe to the topic of such requests")
    func others() throws {
        let front = try Front(Cast.records())
        let app = try MiniClient(front.broker.port, Cast.app())
        #expect(try app.publish("$CONTROL/lamplighter/request", "{}") >= 0x80)
        #expect(try app.subscribe("$CONTROL/#") ?? 0x80 >= 0x80)
    }
}
