import CMosquittoBroker
import Glibc

/// A guard that keeps the gate running when memory runs out.
///
/// Without the guard, Swift would trap at an allocation that fails.
///
/// Ten times a second, and after every 256 events, the guard tests whether a large block can be allocated. If the
/// allocation fails and the allocator has too little freed memory, the guard frees its reserve for the gate. The gate
/// then admits only services. It refuses the messages and subscriptions of all clients except workers.
final class Shortage {
    private(set) var isShort = false
    private var reserve: UnsafeMutableRawPointer?
    private var events = 0
    private var probedAt: Int64 = 0
    /// The block that is allocated to test whether freed memory can be reused.
    private var freed: UnsafeMutableRawPointer?
    private var loggedAt: Int64 = .min / 2

    private static let reserveBytes = 8 << 20
    private static let probeBytes = 24 << 20
    private static let eventsBetween = 256

    init() { reserve = malloc(Self.reserveBytes) }

    deinit { free(reserve) }

    /// Checks whether memory is short, unless this function last checked less than 100 ms ago.
    func probe(at steady: Int64) {
        guard steady &- probedAt >= 100 else { return }
        probedAt = steady
        probe()
    }

    private func probe() {
        events = 0
        isShort = !Self.hasRoom(for: Self.probeBytes) && !hasFreedRoom()
        if isShort {
            free(reserve)
            reserve = nil
            log()
        } else if reserve == nil {
            reserve = malloc(Self.reserveBytes)
        }
    }

    /// Returns whether the allocator can reuse memory that the system counts as used.
    private func hasFreedRoom() -> Bool {
        guard Memory.now().free >= Self.probeBytes else { return false }
        freed = malloc(Self.reserveBytes)
        defer { free(freed) }
        return freed != nil
    }

    /// Logs the shortage, at most once in ten seconds.
    private func log() {
        let now = Clock.coarse()
        guard now &- loggedAt >= 10_000 else { return }
        loggedAt = now
        Broker.log(.error, "memory is short: only workers are served")
    }

    /// Returns whether to refuse an event because memory is short.
    ///
    /// While memory is short, only services may connect, and only workers may publish, subscribe and receive messages.
    func refuses(_ event: Int32, of data: UnsafeMutableRawPointer, at gate: Gate) -> Bool {
        events &+= 1
        if events >= Self.eventsBetween { probe() }
        guard isShort else { return false }
        switch event {
        case Int32(MOSQ_EVT_BASIC_AUTH.rawValue):
            let event = data.assumingMemoryBound(to: mosquitto_evt_basic_auth.self).pointee
            guard let name = event.client.flatMap(gate_client_username) else { return true }
            return strncmp(name, "service:", 8) != 0
        case Int32(MOSQ_EVT_ACL_CHECK.rawValue):
            let client = data.assumingMemoryBound(to: mosquitto_evt_acl_check.self).pointee.client
            return client.flatMap { gate.clients[$0] }?.rights.isWorker != true
        case Int32(MOSQ_EVT_MESSAGE.rawValue):
            let client = data.assumingMemoryBound(to: mosquitto_evt_message.self).pointee.client
            return client.flatMap { gate.clients[$0] }?.rights.isWorker != true
        default: return false
        }
    }

    /// Returns whether the system can allocate `bytes` more bytes.
    ///
    /// To find out, the function allocates a block and frees it at once, without reading or writing the block.
    private static func hasRoom(for bytes: Int) -> Bool {
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        munmap(memory, bytes)
        return true
    }
}
