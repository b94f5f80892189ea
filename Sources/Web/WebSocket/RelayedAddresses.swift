import DequeModule
import Glibc
import Metering
import Synchronization

/// The file through which the relay passes the addresses of its clients to the gate (`RelayPlace`).
///
/// The relay uses a separate loopback address for each connection. Without the file, the gate would therefore count
/// each connection as a separate client. An address stays in the file for some time after its connection has ended,
/// because the gate might not have handled the connection's CONNECT yet. After that time, the address is overwritten.
package final class RelayedAddresses: Sendable {
    private struct State {
        /// The first place that has never been used.
        var fresh = 1
        /// The places of ended connections, in the order in which the connections ended.
        ///
        /// The places are reused in this order too. Each place is thus reused as late as possible. If a place were
        /// reused early, the gate could find a new client's address for an old client.
        var resting: Deque<(place: Int, since: ContinuousClock.Instant)> = []
        /// The number of places at the beginning of `resting` whose addresses have been overwritten.
        var cleared = 0
    }

    private let file: Int32
    private let rest: Duration
    private let state = Mutex(State())

    /// How long the gate can read an address after its connection has ended.
    private static let restMin = Duration.seconds(60)
    /// The maximum number of addresses that are overwritten when a connection begins or ends.
    private static let clearedAtOnce = 8

    /// Opens or creates the file with mode 0600, and removes all addresses from it.
    ///
    /// - Throws: `RelayError` if the file can't be opened or resized.
    package convenience init(path: String) throws { try self.init(path: path, rest: Self.restMin) }

    init(path: String, rest: Duration) throws {
        self.rest = rest
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw RelayError(function: "open", code: errno) }
        // The addresses of an earlier process are removed first.
        for size in [0, RelayPlace.count * RelayPlace.byteCount] {
            guard ftruncate(file, off_t(size)) == 0 else {
                let code = errno
                close(file)
                throw RelayError(function: "ftruncate", code: code)
            }
        }
    }

    deinit { close(file) }

    /// Takes a place for a new connection, or returns nil if no place is free or the write fails.
    func lend(to client: String) -> Int? {
        guard let place = take() else { return nil }
        guard write(Self.bytes(of: client), to: place) else {
            giveBack(place)
            return nil
        }
        return place
    }

    /// Gives a place back after its connection has ended or could not be made.
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

    /// Under the caller's lock, overwrites a few addresses whose connections ended at least `rest` ago.
    private func clear(_ state: inout State) {
        let now = ContinuousClock.now
        for _ in 0..<Self.clearedAtOnce {
            guard state.cleared < state.resting.count, now - state.resting[state.cleared].since >= rest else { return }
            // If this write fails, the next client's address overwrites the old one.
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

    /// Returns the bytes by which the file represents an address, or zeros if the string isn't an IP address.
    static func bytes(of address: String) -> [UInt8] {
        var four = [UInt8](repeating: 0, count: 4)
        var six = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &four) == 1 { return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four }
        // A link-local address such as fe80::1%eth0 is written without the interface.
        let plain = String(address.prefix { $0 != "%" })
        return inet_pton(AF_INET6, plain, &six) == 1 ? six : [UInt8](repeating: 0, count: 16)
    }
}

/// A system error that occurred while the relay's file was being prepared.
package struct RelayError: Error, CustomStringConvertible {
    let function: String
    let code: Int32

    package var description: String { "\(function): \(String(cString: strerror(code)))" }
}
