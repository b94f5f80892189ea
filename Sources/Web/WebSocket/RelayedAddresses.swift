import DequeModule
import Glibc
import Metering
import Synchronization

/// Tells the gate the addresses of clients that come through the relay, in a file (`RelayPlace`).
///
/// Without the file the gate counts each connection by itself.
/// An address stays for a while after its connection, whose CONNECT the gate may still have to judge; then it is
/// overwritten with zeros.
package final class RelayedAddresses: Sendable {
    private struct State {
        /// The next place that was never used.
        var fresh = 1
        /// Places that were given back; the one that has rested longest is used first, so that the gate never reads
        /// of a newer client when it looks an earlier one up.
        var resting: Deque<(place: Int, since: ContinuousClock.Instant)> = []
        /// The number of resting places, from the first on, that hold no address any more.
        var cleared = 0
    }

    private let file: Int32
    private let rest: Duration
    private let state = Mutex(State())

    /// How long an address is kept after its connection: the gate reads it within the broker's next turns.
    private static let restMin = Duration.seconds(60)
    /// Places that are overwritten when another connection begins or ends: more than come to rest by that.
    private static let clearedAtOnce = 8

    /// Opens or makes the file, mode 0600, without an address in it.
    ///
    /// - Throws: `RelayError` where that is refused.
    package convenience init(path: String) throws { try self.init(path: path, rest: Self.restMin) }

    init(path: String, rest: Duration) throws {
        self.rest = rest
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw RelayError(function: "open", code: errno) }
        // What an earlier process left goes first.
        for size in [0, RelayPlace.count * RelayPlace.byteCount] {
            guard ftruncate(file, off_t(size)) == 0 else {
                let code = errno
                close(file)
                throw RelayError(function: "ftruncate", code: code)
            }
        }
    }

    deinit { close(file) }

    /// Lends a place to a connection that begins; nil where all are taken, or the file can't be written.
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

    /// Overwrites some of the addresses that have rested long enough; under the lock, so that none is lent meanwhile.
    private func clear(_ state: inout State) {
        let now = ContinuousClock.now
        for _ in 0..<Self.clearedAtOnce {
            guard state.cleared < state.resting.count,
                now - state.resting[state.cleared].since >= rest
            else { return }
            // What can't be written now is overwritten by the next client.
            _ = write(
                [UInt8](repeating: 0, count: RelayPlace.byteCount),
                to: state.resting[state.cleared].place
            )
            state.cleared += 1
        }
    }

    private func write(_ bytes: [UInt8], to place: Int) -> Bool {
        let written = bytes.withUnsafeBytes {
            pwrite(file, $0.baseAddress, $0.count, off_t(place * RelayPlace.byteCount))
        }
        return written == RelayPlace.byteCount
    }

    /// Returns an address as the file has it; zeros for what is no address.
    static func bytes(of address: String) -> [UInt8] {
        var four = [UInt8](repeating: 0, count: 4)
        var six = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &four) == 1 {
            return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four
        }
        // An address of one interface alone, fe80::1%eth0, is written without the interface.
        let plain = String(address.prefix { $0 != "%" })
        return inet_pton(AF_INET6, plain, &six) == 1 ? six : [UInt8](repeating: 0, count: 16)
    }
}

/// A failure of the system in preparing a relay.
package struct RelayError: Error, CustomStringConvertible {
    let function: String
    let code: Int32

    package var description: String { "\(function): \(String(cString: strerror(code)))" }
}
