import Domain
import JSON
import NIOCore
import NIOEmbedded
import Testing

@testable import Web

@Suite struct StreamTests {
    private static let terminal = String(repeating: "ab", count: 16)
    private static let uid = "u-abcdefghijklm"

    private func filters(_ query: String?) throws -> [String] {
        let holder = RequestFront.Holder(
            app: try #require(AppID("demo")),
            terminal: try #require(TerminalID(Self.terminal)),
            uid: UserID(Self.uid),
            refusal: nil
        )
        return try StreamFilters(query, of: holder).texts
    }

    @Test("A stream has all its own topics unless filters name some")
    func ownTopics() throws {
        #expect(try filters(nil) == ["app/demo/\(Self.terminal)/#", "user/\(Self.uid)/#"])
        #expect(try filters("filter=user/\(Self.uid)/device/%2B/status") == ["user/\(Self.uid)/device/+/status"])
    }

    @Test(
        "Foreign and malformed filters are refused",
        arguments: [
            ("filter=user/u-zzzzzzzzzzzzz/%23", 403), ("filter=%23", 403), ("filter=device/%2B/report", 403),
            ("filter=", 400), ("filter", 400), ("after=1", 400), ("filter=user/\(uid)/%0a", 400),
            (Array(repeating: "filter=user/\(uid)/x", count: 9).joined(separator: "&"), 400),
        ]
    )
    func foreign(_ query: String, status: Int) {
        let error = #expect(throws: Rejection.self) { try filters(query) }
        #expect(error?.httpStatus == status)
    }

    @Test("Each line of the payload is a line of data")
    func event() {
        let bytes = UserStream.event("user/x/share", Array("{\"a\":\n1}".utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == "event: user/x/share\ndata: {\"a\":\ndata: 1}\n\n")
        #expect(
            String(decoding: UserStream.end("replaced"), as: UTF8.self)
                == "event: end\ndata: {\"reason\":\"replaced\"}\n\n"
        )
    }

    @Test("Packets are read completely, however they are split", arguments: 1...7)
    func packets(_ size: Int) throws {
        let topic: [UInt8] = [0, 3] + Array("a/b".utf8)
        let long = [UInt8](repeating: 0x78, count: 200)
        let message: [UInt8] = [0x32, 0xD0, 0x01] + topic + [0, 9, 0] + long
        let bytes: [UInt8] =
            [0x20, 3, 0, 0x87, 0] + [0x90, 5, 0, 1, 0, 1, 0x87] + message + [0xE0, 2, 0x98, 0] + [0xD0, 0]
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(MQTTDecoder()))
        var found: [MQTTPacket] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
            while let packet = try channel.readInbound(as: MQTTPacket.self) { found.append(packet) }
        }
        #expect(
            found == [
                .connected(code: 0x87), .subscribed(codes: [1, 0x87]), .message(topic: "a/b", payload: long, id: 9),
                .disconnected, .other,
            ]
        )
    }

    @Test("An address can have 16 streams, and the service has a total limit")
    func places() throws {
        let places = StreamPlaces(limit: 17)
        for _ in 0..<16 { try places.enter("a") }
        #expect(throws: Rejection.self) { try places.enter("a") }
        try places.enter("b")
        #expect(throws: Rejection.self) { try places.enter("c") }
        places.leave("a")
        try places.enter("c")
    }

    @Test("A stream of events accepts lists with commas or repeated parameters, and no other parameters")
    func query() throws {
        let read = try EventQuery.read("types=device.alert,share.*&types=account.%2A&after=start")
        #expect(read["types"]?.arrayValue?.compactMap(\.stringValue) == ["device.alert", "share.*", "account.*"])
        #expect(read["after"]?.stringValue == "start")
        for query in ["wait=3", "types", "after=%zz", "=x", "after=now&after=start"] {
            #expect(throws: Rejection.self, "\(query)") { try EventQuery.read(query) }
        }
        #expect(try EventQuery.lastID("") == nil)
        #expect(try EventQuery.lastID("1-2-0") == EventCursor(xid: 1, seq: 2))
        #expect(throws: Rejection.self) { try EventQuery.lastID("1-2") }
    }
}
