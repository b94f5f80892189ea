import CMosquittoBroker
import Glibc
import Metering

// The bound on all that the broker holds for products, devices and apps together. What is counted for each client is the
// most of it; the rest (subscriptions, wills, half received packets, buffers of TLS) shows in the memory that the broker
// has taken.
extension Gate {
    /// Bytes that one connection takes which does nothing; with TLS more.
    private static let idleBytes = 16 << 10
    private static let idleBytesOfTLS = 96 << 10
    /// The memory that the broker has taken before anybody connects.
    private static let emptyBytes = 16 << 20
    /// Free memory beyond which it is given back to the system.
    private static let unusedBytes = 16 << 20

    /// Ends the sessions that hold most until the sum is well below its bound; called once a second.
    func relieve(at steady: Int64) {
        guard settings.limits.heldBytes > 0 else { return }
        let memory = Memory.now()
        if memory.free > Self.unusedBytes, steady &- trimmedAt >= 5_000 {
            trimmedAt = steady
            Memory.trim()
        }
        let bound = settings.limits.heldBytes
        let taken = max(heldBytes, strangersBytes(of: memory))
        isCrowded = taken > bound / 8 &* 6
        if taken > bound / 8 &* 7 {
            takeBack(taken &- bound / 8 &* 6)
        } else if shortage.isShort {
            takeBack(bound / 8)
        }
    }

    /// Returns the memory that is held for clients, as far as the broker's whole memory shows it.
    private func strangersBytes(of memory: Memory) -> Int {
        var others = Self.emptyBytes
        for client in clients.values {
            if client.tally == nil, let pointer = client.pointer {
                let holding = PrivateStructure.holding(of: pointer)
                others &+=
                    holding.map { $0.bytes &+ $0.messages &* PrivateStructure.bytesPerMessage } ?? 0
            }
            others &+= client.isTLS ? Self.idleBytesOfTLS : Self.idleBytes
        }
        return memory.used &- others
    }

    private func takeBack(_ bytes: Int) {
        let steady = Clock.coarse()
        for client in clients.values where client.isConnected && client.tally != nil {
            guard let pointer = client.pointer,
                let limit = settings.limits.heldLimit(of: client.principal),
                let holding = PrivateStructure.holding(of: pointer)
            else { continue }
            let own = holding.bytes &+ holding.messages &* PrivateStructure.bytesPerMessage
            guard own > limit.bytes / 16, held[client.clientId] == nil else { continue }
            let entry = Held(client.clientId, limit: limit)
            (entry.client, client.held, held[client.clientId]) = (client, entry, entry)
            entry.read(pointer, isConnected: true, at: steady, isForced: true)
            heldBytes &+= entry.bytes
        }
        var left = bytes
        let most = held.values.sorted { ($1.bytes, $0.stuckSince) < ($0.bytes, $1.stuckSince) }
        for held in most {
            guard left > 0, held.bytes > 0 else { break }
            left &-= held.bytes
            end(held)
        }
    }

    /// Ends the session of a client that holds more than others.
    private func end(_ held: Held) {
        guard let client = held.client, client.isConnected else { return owe(held.clientId) }
        endSession(of: client)
        expel(client)
    }
}

/// The memory of the broker's process, as its allocator knows it.
struct Memory {
    /// Bytes in use.
    var used: Int
    /// Bytes that were freed, and not given back to the system.
    var free: Int

    static func now() -> Memory {
        let info = mallinfo2()
        return Memory(used: Int(info.uordblks) &+ Int(info.hblkhd), free: Int(info.fordblks))
    }

    /// Gives free memory back to the system.
    static func trim() { _ = malloc_trim(0) }
}
