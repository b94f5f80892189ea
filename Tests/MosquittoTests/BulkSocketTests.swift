import Glibc
import TestKit
import Testing

@testable import Mosquitto

@Suite("Bytes in bulk")
struct BulkSocketTests {
    /// Two ends of a connection: ours, written to in bulk, and the broker's.
    private final class Ends {
        let ours: Int32
        let theirs: Int32
        let bulk: BulkSocket

        init() throws {
            var ends: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            (ours, theirs) = (ends[0], ends[1])
            bulk = try #require(BulkSocket())
        }

        deinit {
            close(ours)
            close(theirs)
        }

        /// Writes as the library does: the rest of a packet until all of it was taken.
        func write(_ packet: [UInt8], whenFull: () -> Void) {
            bulk.enter(ours)
            defer { bulk.leave() }
            var rest = packet[...]
            while !rest.isEmpty {
                let taken = rest.withUnsafeBytes { Glibc.write(ours, $0.baseAddress, $0.count) }
                if taken > 0 { rest = rest.dropFirst(taken) } else { whenFull() }
            }
        }

        /// What the broker's end has to read.
        func arrived(upTo count: Int = 1 << 20) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = recv(theirs, &bytes, count, 0)
            return Array(bytes.prefix(max(0, got)))
        }
    }

    private static func acknowledgement(_ id: Int) -> [UInt8] {
        [0x40, 2, UInt8(id >> 8 & 0xFF), UInt8(id & 0xFF)]
    }

    /// A message whose body looks like acknowledgements.
    private static func message(_ id: Int, bodyCount: Int) -> [UInt8] {
        let body =
            [UInt8(id >> 8 & 0xFF), UInt8(id & 0xFF)]
            + (0..<bodyCount).map { [0x40, 2, 0, 1][$0 % 4] }
        var packet: [UInt8] = [0x32]
        var count = body.count
        repeat {
            packet.append(UInt8(count % 128) | (count > 127 ? 0x80 : 0))
            count /= 128
        } while count > 0
        return packet + body
    }

    /// The ids of acknowledgements and of messages, in order; nil where it is no row of whole packets.
    private static func ids(_ bytes: [UInt8]) -> (acknowledged: [Int], messages: [Int])? {
        var (acknowledged, messages): ([Int], [Int]) = ([], [])
        var index = 0
        while index < bytes.count {
            let kind = bytes[index]
            var (count, shift) = (0, 0)
            repeat {
                index += 1
                guard index < bytes.count else { return nil }
                count |= Int(bytes[index] & 0x7F) << shift
                shift += 7
            } while bytes[index] & 0x80 != 0
            index += 1
            guard index + count <= bytes.count, count >= 2 else { return nil }
            let id = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            switch kind {
            case 0x40: acknowledged.append(id)
            case 0x32: messages.append(id)
            default: return nil
            }
            index += count
        }
        return (acknowledged, messages)
    }

    @Test("Messages leave in front of the acknowledgements that were written before them")
    func order() throws {
        let ends = try Ends()
        for packet in [
            Self.acknowledgement(1), Self.acknowledgement(2), Self.message(3, bodyCount: 40),
            Self.acknowledgement(4),
        ] {
            ends.write(packet) { Issue.record("The buffer is full.") }
        }
        #expect(ends.arrived().isEmpty)
        #expect(ends.bulk.flush())
        #expect(
            ends.arrived()
                == Self.message(3, bodyCount: 40) + Self.acknowledgement(1)
                + Self.acknowledgement(2) + Self.acknowledgement(4)
        )
        #expect(ends.bulk.flush())
        #expect(ends.arrived().isEmpty)
    }

    @Test("Nothing is lost, doubled or torn, however full the socket is", arguments: 1...20)
    func whole(seed: Int) throws {
        var random = Seed(seed)
        let ends = try Ends()
        var arrived: [UInt8] = []
        var written: (acknowledged: [Int], messages: [Int]) = ([], [])
        for id in 0..<3_000 {
            let isAcknowledgement = Bool.random(using: &random)
            if isAcknowledgement {
                written.acknowledged.append(id)
            } else {
                written.messages.append(id)
            }
            let count = Int.random(in: 0...(id % 100 == 0 ? 90_000 : 300), using: &random)
            ends.write(
                isAcknowledgement ? Self.acknowledgement(id) : Self.message(id, bodyCount: count)
            ) {
                arrived += ends.arrived(upTo: 5_000)
            }
            if Int.random(in: 0..<20, using: &random) == 0 { _ = ends.bulk.flush() }
            if Int.random(in: 0..<60, using: &random) == 0 { arrived += ends.arrived(upTo: 999) }
        }
        while !ends.bulk.flush() { arrived += ends.arrived(upTo: 5_000) }
        while case let more = ends.arrived(), !more.isEmpty { arrived += more }

        let ids = try #require(Self.ids(arrived))
        #expect(ids.acknowledged == written.acknowledged)
        #expect(ids.messages == written.messages)
    }
}
