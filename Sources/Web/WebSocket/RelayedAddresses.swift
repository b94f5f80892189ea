import DequeModule
import Glibc
import Metering
import Synchronization

/// Passes the gate the addresses of clients behind the relay, in a file (`RelayPlace`).
///
/// Without the file the gate counts each connection separately. An address stays for a while after its connection,
/// whose CONNECT the gate may not have judged yet; then it's overwritten with zeros.
package final class RelayedAddresses: Sendable {
    private struct State {
        /// The next place that was never used.
        var fresh = 1
        /// Returned places; the one returned longest ago is reused first, so that the gate never finds a newer client's
        /// address when it looks up an earlier one.
        var resting: Deque<(place: Int, since: ContinuousClock.Instant)> = []
        /// The number of resting places, from the first on, that no longer hold an address.
        var cleared = 0
    }

    private let file: Int32
    private let rest: Duration
    private let state = Mutex(State())

    /// How long an address is kept after its connection; the gate reads it within the broker's next turns.
    private static let restMin = Duration.seconds(60)
    /// The number of places overwritten whenever a connection begins or ends: more than are returned in that time.
    private static let clearedAtOnce = 8

    /// Opens or creates the file, with mode 0600 and without addresses.
    ///
    /// - Throws: `RelayError` if the system refuses that.
    package convenience init(path: String) throws { try self.init(path: path, rest: Self.restMin) }

    init(path: String, rest: Duration) throws {
        self.rest = rest
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw RelayError(function: "open", code: errno) }
        // Remove an earlier process's addresses first.
        for size in [0, RelayPlace.count * RelayPlace.byteCount] {
            guard ftruncate(file, off_t(size)) == 0 else {
                let code = errno
                close(file)
                throw RelayError(function: "ftruncate", code: code)
            }
        }
    }

    deinit { close(file) }

    /// Lends a place to a new connection; returns nil if all are taken or the file can't be written.
    func lend(to client: String) -> Int? {
        guard let place = take() else { return nil }
        guard write(Self.bytes(of: client), to: place) else {
            giveBack(place)
            return nil
        }
        return place
    }

    /// Takes a place back when its connection has ended.
    func giveBack(_ place: Int) {
        state.withLock { state in
            state.resting.append((place, .now))
            clear(&state)
        }
    }

    private func take() -> Int? {
        state.withLock { state in
            clear(&state)
            if state.fresh < RelayPlace.count - 1 {
                state.fresh += 1
                return state.fresh - 1
            }
            state.cleared = max(0, state.cleared - 1)
            return state.resting.popFirst()?.place
        }
    }

    /// Overwrites some addresses that have rested long enough, under the lock, so that no place is lent in between.
    private func clear(_ state: inout State) {
        let now = ContinuousClock.now
        for _ in 0..<Self.clearedAtOnce {
            guard state.cleared < state.resting.count, now - state.resting[state.cleared].since >= rest else { return }
            // An address that can't be overwritten now is overwritten by the next client.
            _ = write([UInt8](repeating: 0, count: RelayPlace.byteCount), to: state.resting[state.cleared].place)
            state.cleared += 1
        }
    }

    private func write(_ bytes: [UInt8], to place: Int) -> Bool {
        let written = bytes.withUnsafeBytes {
            pwrite(file, $0.baseAddress, $0.count, off_t(place * RelayPlace.byteCount))
        }
        return written == RelayPlace.byteCount
    }

    /// Returns an address in the file's form; zeros for a text that isn't an address.
    static func bytes(of address: String) -> [UInt8] {
        var four = [UInt8](repeating: 0, count: 4)
        var six = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &four) == 1 { return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four }
        // A link-local address, fe80::1%eth0, is written without the interface.
        let plain = String(address.prefix { $0 != "%" })
        return inet_pton(AF_INET6, plain, &six) == 1 ? six : [UInt8](repeating: 0, count: 16)
    }
}

/// A system error while preparing a relay.
package struct RelayError: Error, CustomStringConvertible {
    let function: String
    let code: Int32

    package var description: String { "\(function): \(String(cString: strerror(code)))" }
}
