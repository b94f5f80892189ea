import CMosquittoBroker
import Glibc
import Metering

// The limit on the broker's memory for all products, devices and terminals. Most of this memory is recorded per client
// (`Held`). The remaining memory is visible only in the broker's total. It holds subscriptions, wills, half-received
// packets and TLS buffers.
extension Gate {
    /// The number of bytes that an idle connection needs without TLS.
    private static let idleBytes = 16 << 10
    /// The number of bytes that an idle connection needs with TLS.
    private static let idleBytesOfTLS = 96 << 10
    /// The number of bytes that a broker without clients needs.
    private static let emptyBytes = 16 << 20
    /// The bytes that may be held for a well-behaved client.
    ///
    /// If the gate can read the broker's memory, this is the size of the largest response. If the gate can only
    /// estimate the memory, the value is higher.
    private static let littleBytes = BrokerVersion.isTested ? 64 << 10 : 256 << 10
    /// The number of free bytes above which the gate returns free memory to the system.
    ///
    /// The gate waits until more bytes than this number have stayed free for `unusedTime` ms. Without the delay, the
    /// gate would return memory that a busy broker soon needs again. The broker would then stall while the system
    /// provides the memory.
    private static let unusedBytes = 8 << 20
    private static let unusedTime: Int64 = 15_000

    /// Ends the largest sessions if clients take up too much memory or if the machine's memory is short.
    ///
    /// The gate calls this function every 100 ms.
    func relieve(at steady: Int64) {
        relievedAt = steady
        guard mustLook(at: steady) else { return }
        let memory = Memory.now()
        giveBack(memory.free, at: steady)
        guard settings.limits.heldBytes > 0 else { return }
        let bound = settings.limits.heldBytes
        let taken = max(heldBytes, strangersBytes(of: memory))
        // Sessions are ended before newcomers are refused. Otherwise, a few clients could keep all newcomers out.
        isFull = isMuch(taken)
        isCrowded = taken > bound / 8 &* 7
        if isFull {
            takeBack(taken &- bound / 8 &* 4, of: taken)
        } else if shortage.isShort {
            takeBack(bound / 8, of: taken)
        }
    }

    private func isMuch(_ taken: Int) -> Bool {
        settings.limits.heldBytes > 0 && taken > settings.limits.heldBytes / 8 &* 5
    }

    /// Returns memory to the system if the memory has been free for the whole `unusedTime`.
    private func giveBack(_ free: Int, at steady: Int64) {
        leastFree.bytes = min(leastFree.bytes, free)
        guard steady &- leastFree.since >= Self.unusedTime else { return }
        if leastFree.bytes > Self.unusedBytes { Memory.trim() }
        leastFree = (steady, .max)
    }

    /// Returns whether to query the allocator now.
    ///
    /// A query takes long, because it goes through all free memory. While much memory is held, the allocator is queried
    /// at every call. Otherwise, it is queried once a second, and whenever the process has grown by 1/16 of the limit.
    /// The queries once a second are needed because a process that reuses freed memory doesn't grow.
    private func mustLook(at steady: Int64) -> Bool {
        let resident = Memory.resident()
        guard
            isFull || isMuch(heldBytes) || steady &- memoryLook.at >= 1_000
                || resident &- memoryLook.resident > settings.limits.heldBytes / 16
        else { return false }
        memoryLook = (steady, resident)
        return true
    }

    /// Returns the number of bytes held for clients, estimated from the broker's total memory.
    private func strangersBytes(of memory: Memory) -> Int {
        var others = Self.emptyBytes
        for client in clients.values {
            if client.tally == nil, let pointer = client.pointer {
                let holding = PrivateStructure.holding(of: pointer)
                others &+= holding.map { $0.bytes &+ $0.messages &* PrivateStructure.bytesPerMessage } ?? 0
            }
            others &+= client.isTLS ? Self.idleBytesOfTLS : Self.idleBytes
        }
        return memory.used &- others
    }

    /// Ends the sessions that use the most memory, but spares sessions that use only little memory.
    ///
    /// Unrecorded memory can belong to connections that haven't sent a CONNECT. The gate must not end the sessions of
    /// well-behaved clients because of unrecorded memory.
    private func takeBack(_ bytes: Int, of taken: Int) {
        countUnasked()
        let isCounted = heldBytes > taken / 2
        let least = isCounted ? heldBytes / max(1, held.count) / 2 : Self.littleBytes
        var left = bytes
        let most = held.values.sorted { ($1.bytes, $0.stuckSince) < ($0.bytes, $1.stuckSince) }
        for held in most {
            guard left > 0, held.bytes > least else { break }
            left &-= held.bytes
            end(held)
        }
    }

    /// Adds a memory record for each connected client that uses more memory than an idle client but has no record.
    ///
    /// The gate otherwise makes a record only when it counts a delivery. A client without deliveries can still have a
    /// large will or a half-received packet.
    private func countUnasked() {
        let steady = Clock.coarse()
        for client in clients.values where client.isConnected && client.tally != nil {
            guard held[client.clientId] == nil, let pointer = client.pointer,
                let limit = settings.limits.heldLimit(of: client.principal),
                let holding = PrivateStructure.holding(of: pointer),
                holding.bytes > Self.idleBytes
            else { continue }
            let entry = Held(client.clientId, limit: limit)
            (entry.client, client.held, held[client.clientId]) = (client, entry, entry)
            read(entry, pointer, isConnected: true, at: steady, isForced: true)
        }
    }

    /// Ends the session of a client that takes up more memory than others.
    private func end(_ held: Held) {
        guard let client = held.client, client.isConnected else { return owe(held.clientId, after: nil) }
        endSession(of: client, owedAfter: nil)
        expel(client)
    }
}

/// The memory of the broker's process, as reported by its allocator.
struct Memory {
    /// The number of bytes in use.
    var used: Int
    /// The number of bytes that were freed but not returned to the system.
    var free: Int

    static func now() -> Memory {
        let info = mallinfo2()
        return Memory(used: Int(info.uordblks) &+ Int(info.hblkhd), free: Int(info.fordblks))
    }

    /// Returns how many bytes of the process are in physical memory, or 0 if the number is unknown.
    static func resident() -> Int {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
            let count = max(0, read(file, buffer.baseAddress, buffer.count))
            // The second number in the file is the number of pages in memory.
            let pages = buffer.prefix(count).split(separator: UInt8(ascii: " ")).dropFirst().first
            return (pages.map(Array.init) ?? []).reduce(0) { $0 &* 10 &+ Int($1 &- 48) } &* 4_096
        }
    }

    /// Returns free memory to the system.
    static func trim() { _ = malloc_trim(0) }
}
