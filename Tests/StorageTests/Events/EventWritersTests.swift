import Domain
import Foundation
import StoreTestKit
import Synchronization
import TestKit
import Testing

@testable import Storage

@Suite("The event log with several writers", .enabled(if: PostgresServer.isInstalled), .serialized)
struct EventWritersTests {
    /// The number of writers that have not finished.
    private final class Running: Sendable {
        private let count = Atomic(8)

        var isAny: Bool { count.load(ordering: .acquiring) > 0 }
        func end() { count.subtract(1, ordering: .releasing) }
    }

    /// Lets eight stores write entries at once, while a reader follows the log.
    ///
    /// The transactions have different lengths. Returns the number of entries written and the entries that the reader
    /// has read.
    private func run(follow: (Store, inout EventCursor) throws -> [String]) throws -> (written: Int, read: Set<String>)
    {
        let database = try SharedDatabase()
        let stores = try (0..<8).map { number in
            let store = try database.open()
            store.sequence.take(NodeSlot.shared[number])
            return store
        }
        let reader = try database.open()
        let running = Running()
        for (number, store) in stores.enumerated() {
            Thread.detachNewThread {
                for round in 0..<60 {
                    try? store.batch(at: Make.at(Int64(round))) { tx in
                        try tx.eventLog.append([MakeEvents.event(.deviceAlert, "\(number).\(round)")])
                        try tx.sql.settle()
                        usleep(UInt32((number * 7 + round * 3) % 9) * 1_000)
                    }
                }
                running.end()
            }
        }
        var (read, cursor) = (Set<String>(), EventCursor.start)
        var isLast = false
        while !isLast {
            isLast = !running.isAny
            if isLast { try reader.awaitEvents() }
            read.formUnion(try follow(reader, &cursor))
        }
        return (8 * 60, read)
    }

    @Test("A reader of a log with eight writers misses nothing")
    func nothingLost() throws {
        let (written, read) = try run { store, cursor in
            let new = try MakeEvents.read(store, after: cursor)
            cursor = new.last?.id ?? cursor
            return new.map { String(decoding: $0.event.data, as: UTF8.self) }
        }
        #expect(read.count == written)
    }

    @Test("A reader that relies on row numbers alone misses entries, which is why the log has more than numbers")
    func control() throws {
        let (written, read) = try run { store, cursor in
            try store.read { tx in
                try tx.sql.query("SELECT seq, messages FROM eventLog WHERE seq > $1 ORDER BY seq", cursor.seq) { row in
                    cursor.seq = row.next()
                    let data = EventRowCodec.decode(row.next()).first??.data ?? []
                    return String(decoding: data, as: UTF8.self)
                }
            }
        }
        #expect(read.count < written)
    }
}
